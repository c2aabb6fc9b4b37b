// The sets of typical instructions exactly: not larger than they need be.
#include <gtest/gtest.h>

#include <initializer_list>
#include <string>

#include "encoding/skeleton.h"
#include "frontend/decode/decoder.h"
#include "frontend/flow/register_access.h"

namespace gcnjit::frontend {
namespace {

using encoding::Words;

struct Field {
  size_t word;
  int lo;
  int bits;
  uint32_t value;
};

Instruction MakeInstruction(Generation generation, Opcode opcode,
                            std::initializer_list<Field> fields, bool vop3 = false) {
  const OpcodeRow& row = RowOf(opcode);
  OpcodeNumber number = row.On(generation);
  if (vop3) number = {Format::kVop3, static_cast<uint16_t>(Vop3NumberOf(row, generation))};
  Words words = {encoding::SkeletonOf(generation, number.format, number.number).bits, 0};
  for (const Field& field : fields) {
    encoding::SetField(words[field.word], field.lo, field.bits, field.value);
  }
  Instruction inst;
  EXPECT_EQ(Decode(generation, words, inst), DecodeStatus::kOk) << row.id;
  EXPECT_EQ(inst.opcode, opcode);
  return inst;
}

std::string Text(const RegisterSet& set) {
  std::string text;
  for (int n = 0; n < kVectorRegisters; ++n) {
    if (set.vgprs[n]) text += " " + VectorRegisterName(n);
  }
  for (size_t n = 0; n < 128; ++n) {
    if (set.sgprs[n]) text += " s" + std::to_string(n);
  }
  return text + (set.scc ? " scc" : "");
}
std::string Text(const RegisterAccess& access) {
  std::string text = Text(access.reads) + " ->" + Text(access.writes);
  if (access.may_write != access.writes) text += " /" + Text(access.may_write);
  if (access.exec == ExecEffect::kNarrows) text += " narrows";
  if (access.exec == ExecEffect::kChanges) text += " changes";
  return text;
}
std::string Sets(Generation generation, Opcode opcode, std::initializer_list<Field> fields,
                 bool vop3 = false) {
  return Text(AccessOf(MakeInstruction(generation, opcode, fields, vop3), generation));
}

constexpr auto k7 = Generation::kGfx7;
constexpr auto k8 = Generation::kGfx8;
constexpr auto k9 = Generation::kGfx900;

TEST(RegisterAccessSets, VectorAlu) {
  const std::initializer_list<Field> vop2 = {{0, 0, 9, 258}, {0, 9, 8, 3}, {0, 17, 8, 1}};
  EXPECT_EQ(Sets(k9, Opcode::V_AND_B32, vop2), " v2 v3 s126 s127 -> v1");
  EXPECT_EQ(Sets(k9, Opcode::V_ADD_CO_U32, vop2), " v2 v3 s126 s127 -> v1 s106 s107");
  EXPECT_EQ(Sets(k9, Opcode::V_ADDC_CO_U32, vop2), " v2 v3 s106 s107 s126 s127 -> v1 s106 s107");
  EXPECT_EQ(Sets(k9, Opcode::V_MAC_F32, vop2), " v1 v2 v3 s126 s127 -> v1");
  // Carry in s[4:5], out s[8:9].
  EXPECT_EQ(Sets(k9, Opcode::V_ADDC_CO_U32,
                 {{0, 0, 8, 1}, {0, 8, 7, 8}, {1, 0, 9, 258}, {1, 9, 9, 259}, {1, 18, 9, 4}}, true),
            " v2 v3 s4 s5 s126 s127 -> v1 s8 s9");
  EXPECT_EQ(Sets(k9, Opcode::V_DIV_FMAS_F64,
                 {{0, 0, 8, 10}, {1, 0, 9, 258}, {1, 9, 9, 260}, {1, 18, 9, 128}}),
            " v2 v3 v4 v5 s106 s107 s126 s127 -> v10 v11");
  EXPECT_EQ(Sets(k9, Opcode::V_CMPX_LT_U32, {{0, 0, 9, 258}, {0, 9, 8, 3}}),
            " v2 v3 s126 s127 -> s106 s107 s126 s127 narrows");
  EXPECT_EQ(Sets(k9, Opcode::V_READLANE_B32, {{0, 0, 8, 6}, {1, 0, 9, 258}, {1, 9, 9, 124}}),
            " v2 s124 -> s6");
}

TEST(RegisterAccessSets, Scalar) {
  const std::initializer_list<Field> sop2 = {{0, 0, 8, 2}, {0, 8, 8, 4}, {0, 16, 7, 6}};
  EXPECT_EQ(Sets(k9, Opcode::S_ADDC_U32, sop2), " s2 s4 scc -> s6 scc");
  EXPECT_EQ(Sets(k9, Opcode::S_LSHL_B64, sop2), " s2 s3 s4 -> s6 s7 scc");
  EXPECT_EQ(Sets(k7, Opcode::S_MULK_I32, {{0, 16, 7, 6}}), " s6 -> s6");
  EXPECT_EQ(Sets(k8, Opcode::S_MULK_I32, {{0, 16, 7, 6}}), " s6 -> s6");
  EXPECT_EQ(Sets(k9, Opcode::S_CBRANCH_VCCZ, {}), " s106 s107 ->");
  EXPECT_EQ(Sets(k9, Opcode::S_SWAPPC_B64, {{0, 0, 8, 2}, {0, 16, 7, 30}}), " s2 s3 -> s30 s31");
}

TEST(RegisterAccessSets, Exec) {
  const std::initializer_list<Field> saveexec = {{0, 0, 8, 2}, {0, 16, 7, 4}};
  EXPECT_EQ(Sets(k9, Opcode::S_AND_SAVEEXEC_B64, saveexec),
            " s2 s3 s126 s127 -> s4 s5 s126 s127 scc narrows");
  EXPECT_EQ(Sets(k9, Opcode::S_ANDN2_SAVEEXEC_B64, saveexec),
            " s2 s3 s126 s127 -> s4 s5 s126 s127 scc changes");
  const std::initializer_list<Field> exec_first = {{0, 0, 8, 126}, {0, 8, 8, 2}, {0, 16, 7, 126}};
  EXPECT_EQ(Sets(k9, Opcode::S_ANDN2_B64, exec_first), " s2 s3 s126 s127 -> s126 s127 scc narrows");
  EXPECT_EQ(Sets(k9, Opcode::S_OR_B64, exec_first), " s2 s3 s126 s127 -> s126 s127 scc changes");
  EXPECT_EQ(Sets(k9, Opcode::S_ANDN2_B64, {{0, 0, 8, 2}, {0, 8, 8, 126}, {0, 16, 7, 126}}),
            " s2 s3 s126 s127 -> s126 s127 scc changes");
  EXPECT_EQ(Sets(k9, Opcode::S_MOV_B64, {{0, 0, 8, 128}, {0, 16, 7, 126}}),
            " -> s126 s127 narrows");
  EXPECT_EQ(Sets(k9, Opcode::S_MOV_B64, {{0, 0, 8, 193}, {0, 16, 7, 126}}),
            " -> s126 s127 changes");
  EXPECT_EQ(Sets(k9, Opcode::S_AND_B64, {{0, 0, 8, 126}, {0, 8, 8, 2}, {0, 16, 7, 4}}),
            " s2 s3 s126 s127 -> s4 s5 scc");
}

TEST(RegisterAccessSets, Memory) {
  EXPECT_EQ(Sets(k9, Opcode::S_LOAD_DWORDX4, {{0, 0, 6, 1}, {0, 6, 7, 4}, {1, 0, 7, 8}}),
            " s2 s3 s8 -> s4 s5 s6 s7");
  const std::initializer_list<Field> global = {{1, 0, 8, 2}, {1, 16, 7, 127}, {1, 24, 8, 4}};
  EXPECT_EQ(Sets(k9, Opcode::GLOBAL_LOAD_DWORDX2, global), " v2 v3 s126 s127 -> v4 v5");
  EXPECT_EQ(Sets(k9, Opcode::GLOBAL_LOAD_DWORD, {{1, 0, 8, 2}, {1, 16, 7, 8}, {1, 24, 8, 4}}),
            " v2 s8 s9 s126 s127 -> v4");
  const std::initializer_list<Field> flat = {{1, 0, 8, 2}, {1, 24, 8, 4}};
  EXPECT_EQ(Sets(k7, Opcode::FLAT_LOAD_DWORD, flat), " v2 v3 s104 s105 s126 s127 -> v4");
  EXPECT_EQ(Sets(k9, Opcode::FLAT_LOAD_DWORD, flat), " v2 v3 s102 s103 s126 s127 -> v4");
  EXPECT_EQ(Sets(k8, Opcode::DS_READ2_B64, flat), " v2 s124 s126 s127 -> v4 v5 v6 v7");
  EXPECT_EQ(Sets(k9, Opcode::DS_READ2_B64, flat), " v2 s126 s127 -> v4 v5 v6 v7");
  EXPECT_EQ(Sets(k9, Opcode::DS_READ_U16_D16_HI, flat), " v2 v4 s126 s127 -> v4");
  // idxen, offen, tfe
  EXPECT_EQ(
      Sets(
          k8, Opcode::BUFFER_LOAD_DWORD,
          {{0, 12, 2, 3}, {1, 0, 8, 2}, {1, 8, 8, 6}, {1, 16, 5, 2}, {1, 23, 1, 1}, {1, 24, 8, 3}}),
      " v2 v3 s3 s8 s9 s10 s11 s126 s127 -> v6 v7");
  // Without glc an atomic returns nothing.
  const Field vdata = {1, 8, 8, 6};
  EXPECT_EQ(Sets(k8, Opcode::BUFFER_ATOMIC_CMPSWAP, {vdata, {1, 16, 5, 2}, {1, 24, 8, 128}}),
            " v6 v7 s8 s9 s10 s11 s126 s127 ->");
  EXPECT_EQ(Sets(k8, Opcode::BUFFER_ATOMIC_CMPSWAP,
                 {vdata, {0, 14, 1, 1}, {1, 16, 5, 2}, {1, 24, 8, 128}}),
            " v6 v7 s8 s9 s10 s11 s126 s127 -> v6");
  EXPECT_EQ(Sets(k9, Opcode::S_ATOMIC_CMPSWAP,
                 {{0, 0, 6, 1}, {0, 6, 7, 4}, {0, 16, 1, 1}, {0, 17, 1, 1}}),
            " s2 s3 s4 s5 -> s4");
}

TEST(RegisterAccessSets, PartOfTheLanes) {
  const std::initializer_list<Field> all = {{0, 0, 9, 250},   {0, 17, 8, 1}, {1, 0, 8, 2},
                                            {1, 8, 9, 0x111}, {1, 19, 1, 1}, {1, 24, 8, 0xFF}};
  EXPECT_EQ(Sets(k9, Opcode::V_MOV_B32, all), " v2 s126 s127 -> v1");
  const std::initializer_list<Field> some = {
      {0, 0, 9, 250}, {0, 17, 8, 1}, {1, 0, 8, 2}, {1, 8, 9, 0x111}, {1, 24, 8, 0xFF}};
  EXPECT_EQ(Sets(k9, Opcode::V_MOV_B32, some), " v1 v2 s126 s127 -> / v1");
  const auto write_lane = AccessOf(
      MakeInstruction(k9, Opcode::V_WRITELANE_B32, {{0, 0, 8, 1}, {1, 0, 9, 2}, {1, 9, 9, 129}}),
      k9);
  EXPECT_EQ(Text(write_lane), " v1 s2 -> / v1");
  EXPECT_TRUE(write_lane.wide_vgpr_writes[1]);
}

// Permutations move values between lanes that EXEC has; v_readlane reads any.
TEST(RegisterAccessSets, LanesThatExecDoesNotHave) {
  const auto wide = [](Opcode opcode, std::initializer_list<Field> fields) {
    return AccessOf(MakeInstruction(k9, opcode, fields), k9).wide_vgpr_reads.count();
  };
  const std::initializer_list<Field> ds = {{1, 0, 8, 2}, {1, 8, 8, 3}, {1, 24, 8, 4}};
  EXPECT_EQ(wide(Opcode::DS_BPERMUTE_B32, ds), 0u);
  EXPECT_EQ(wide(Opcode::DS_PERMUTE_B32, ds), 0u);
  EXPECT_EQ(wide(Opcode::DS_SWIZZLE_B32, {{1, 0, 8, 2}, {1, 24, 8, 4}}), 0u);
  EXPECT_EQ(
      wide(Opcode::V_MOV_B32, {{0, 0, 9, 250}, {0, 17, 8, 1}, {1, 0, 8, 2}, {1, 8, 9, 0x111}}), 0u);
  EXPECT_EQ(wide(Opcode::V_READLANE_B32, {{0, 0, 8, 6}, {1, 0, 9, 258}, {1, 9, 9, 124}}), 1u);
}

// Matrices take all lanes, whatever EXEC says; what they add to is read although it is written.
TEST(RegisterAccessSets, AccVgprs) {
  constexpr Generation k908 = Generation::kGfx908;
  const auto product =
      AccessOf(MakeInstruction(
                   k908, Opcode::V_MFMA_F32_4X4X1F32,
                   {{0, 0, 8, 4}, {1, 0, 9, 257}, {1, 9, 9, 258}, {1, 18, 9, 260}, {1, 28, 1, 1}}),
               k908);
  EXPECT_EQ(Text(product), " v1 a2 a4 a5 a6 a7 -> / a4 a5 a6 a7");
  EXPECT_EQ(product.wide_vgpr_reads, product.reads.vgprs);
  EXPECT_EQ(product.wide_vgpr_writes, product.may_write.vgprs);
  EXPECT_TRUE(product.kept_vgprs.none());
  EXPECT_EQ(Sets(k908, Opcode::V_ACCVGPR_WRITE_B32, {{0, 0, 8, 4}, {1, 0, 9, 257}}),
            " v1 s126 s127 -> a4");
  EXPECT_EQ(Sets(k908, Opcode::V_ACCVGPR_READ_B32, {{0, 0, 8, 4}, {1, 0, 9, 257}, {1, 27, 1, 1}}),
            " a1 s126 s127 -> v4");
}

TEST(RegisterAccessSets, RefusedInstructionsAreUnknown) {
  for (const Generation generation : kGenerations) {
    for (int n = 0; n < kOpcodeCount; ++n) {
      if (RowOf(n).refusal == nullptr) continue;
      Instruction inst;
      inst.opcode = static_cast<Opcode>(n);
      const RegisterAccess access = AccessOf(inst, generation);
      EXPECT_TRUE(access.unknown);
      EXPECT_EQ(access.reads, RegisterSet::All());
      EXPECT_TRUE(access.writes.None());
    }
  }
}

}  // namespace
}  // namespace gcnjit::frontend
