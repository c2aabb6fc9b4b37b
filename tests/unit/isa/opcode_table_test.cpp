// The ISA table: how many rows each format has, look-up, names and modifiers.
#include "isa/opcode_table.h"

#include <gtest/gtest.h>

#include <array>
#include <set>
#include <string>

namespace gcnjit::frontend {
namespace {

constexpr int kFormats = static_cast<int>(Format::kExp) + 1;
using Counts = std::array<int, kFormats>;

Counts CountFormats(Generation g) {
  Counts counts{};
  for (int i = 0; i < kOpcodeCount; ++i) ++counts[static_cast<size_t>(RowOf(i).On(g).format)];
  counts[0] = 0;  // rows of other generations
  return counts;
}

// The opcodes that LLVM 15's and CLRX's decoders know (docs/isa.md); a change must be meant.
TEST(OpcodeTableTest, RowsPerFormatAndGeneration) {
  // clang-format off
  //                   sop1 sop2 sopk sopc sopp smrd smem vop1 vop2 vopc vop3 vop3p mai vint ds  mubuf mtbuf flat glob scr mimg exp
  const Counts gfx6 = {0, 50, 43, 21, 17, 21, 12,  0, 60, 50, 196,  53,  0,  0, 3, 131, 56,  8,  0,  0,  0, 93, 1};
  const Counts gfx7 = {0, 50, 43, 21, 17, 26, 13,  0, 66, 50, 196,  56,  0,  0, 3, 140, 56,  8, 46,  0,  0, 92, 1};
  const Counts gfx8 = {0, 49, 44, 20, 20, 30,  0, 24, 76, 52, 198,  79,  0,  0, 3, 144, 59, 16, 40,  0,  0, 89, 1};
  const Counts g900 = {0, 54, 53, 21, 20, 31,  0, 84, 78, 55, 198, 110, 22,  0, 3, 154, 69, 16, 48, 48, 22, 89, 1};
  const Counts g906 = {0, 54, 53, 21, 20, 31,  0, 84, 78, 57, 198, 110, 29,  0, 3, 154, 69, 16, 48, 48, 22, 89, 1};
  const Counts g908 = {0, 54, 53, 21, 20, 31,  0, 84, 78, 62, 198, 110, 29, 22, 3, 154, 71, 16, 48, 50, 22, 89, 1};
  const Counts g90a = {0, 54, 53, 21, 20, 31,  0, 84, 79, 62, 198, 104, 33, 29, 0, 124, 76, 16, 51, 53, 22,  0, 0};
  const Counts g942 = {0, 54, 53, 21, 20, 31,  0, 84, 84, 61, 198, 107, 33, 48, 0, 128, 76, 16, 54, 59, 27,  0, 0};
  // clang-format on
  EXPECT_EQ(CountFormats(Generation::kGfx6), gfx6);
  EXPECT_EQ(CountFormats(Generation::kGfx7), gfx7);
  EXPECT_EQ(CountFormats(Generation::kGfx8), gfx8);
  EXPECT_EQ(CountFormats(Generation::kGfx900), g900);
  EXPECT_EQ(CountFormats(Generation::kGfx906), g906);
  EXPECT_EQ(CountFormats(Generation::kGfx908), g908);
  EXPECT_EQ(CountFormats(Generation::kGfx90a), g90a);
  EXPECT_EQ(CountFormats(Generation::kGfx942), g942);
}

TEST(OpcodeTableTest, ComputeRowsPerGeneration) {
  const std::array<int, kGenerationCount> expected = {804, 873, 927, 1156, 1165, 1196, 1108, 1152};
  for (Generation g : kGenerations) {
    int compute = 0;
    for (int i = 0; i < kOpcodeCount; ++i) {
      compute += RowOf(i).ExistsOn(g) && !RowOf(i).Has(GRAPHICS) ? 1 : 0;
    }
    EXPECT_EQ(compute, expected[static_cast<size_t>(g)]) << TargetName(g);
  }
}

TEST(OpcodeTableTest, EveryRowIsFoundByItsNumber) {
  for (int i = 0; i < kOpcodeCount; ++i) {
    const OpcodeRow& row = RowOf(i);
    for (Generation g : kGenerations) {
      const OpcodeNumber n = row.On(g);
      if (!row.ExistsOn(g)) {
        EXPECT_EQ(n.format, Format::kNone) << row.id;
        continue;
      }
      EXPECT_EQ(FindOpcode(g, n.format, n.number), &row) << row.id;
      const int vop3 = Vop3NumberOf(row, g);
      if (vop3 >= 0) {
        EXPECT_EQ(FindOpcode(g, Format::kVop3, vop3), &row) << row.id;
      }
    }
  }
}

TEST(OpcodeTableTest, LookUpIsTotal) {
  for (Generation g : kGenerations) {
    for (int format = 0; format < kFormats; ++format) {
      for (const int number : {-1, 1024, 65536, -2147483647}) {
        EXPECT_EQ(FindOpcode(g, static_cast<Format>(format), number), nullptr);
      }
    }
  }
}

TEST(OpcodeTableTest, IdsAndMnemonicsAreUnique) {
  std::set<std::string> ids;
  for (int i = 0; i < kOpcodeCount; ++i) {
    EXPECT_TRUE(ids.insert(RowOf(i).id).second) << RowOf(i).id;
  }
  for (Generation g : kGenerations) {
    std::set<std::string> names;
    for (int i = 0; i < kOpcodeCount; ++i) {
      const OpcodeRow& row = RowOf(i);
      if (!row.ExistsOn(g)) continue;
      EXPECT_FALSE(row.Name(g).empty()) << row.id;
      EXPECT_TRUE(names.insert(std::string(row.Name(g))).second)
          << TargetName(g) << " " << row.Name(g);
    }
  }
}

TEST(OpcodeTableTest, NamesChangeWithTheGeneration) {
  const OpcodeRow& add = RowOf(Opcode::V_ADD_CO_U32);
  EXPECT_EQ(add.Name(Generation::kGfx6), "v_add_i32");
  EXPECT_EQ(add.Name(Generation::kGfx8), "v_add_u32");
  EXPECT_EQ(add.Name(Generation::kGfx906), "v_add_co_u32");
  EXPECT_EQ(RowOf(Opcode::V_ADD_U32).Name(Generation::kGfx900), "v_add_u32");
  EXPECT_EQ(RowOf(Opcode::V_MAD_LEGACY_F16).Name(Generation::kGfx8), "v_mad_f16");
  EXPECT_EQ(RowOf(Opcode::V_MAD_LEGACY_F16).Name(Generation::kGfx900), "v_mad_legacy_f16");
  const OpcodeRow& matrix = RowOf(Opcode::V_MFMA_F32_32X32X1F32);
  EXPECT_EQ(matrix.Name(Generation::kGfx90a), "v_mfma_f32_32x32x1f32");
  EXPECT_EQ(matrix.Name(Generation::kGfx942), "v_mfma_f32_32x32x1_2b_f32");
}

// Errata 62, 63 and 65: promoted numbers, and what has none.
TEST(OpcodeTableTest, Vop3Numbers) {
  EXPECT_EQ(Vop3NumberOf(RowOf(Opcode::V_ADD_F32), Generation::kGfx6), 0x103);
  EXPECT_EQ(Vop3NumberOf(RowOf(Opcode::V_ADD_F32), Generation::kGfx8), 0x101);
  EXPECT_EQ(Vop3NumberOf(RowOf(Opcode::V_MOV_B32), Generation::kGfx7), 0x181);
  EXPECT_EQ(Vop3NumberOf(RowOf(Opcode::V_MOV_B32), Generation::kGfx900), 0x141);
  EXPECT_EQ(Vop3NumberOf(RowOf(Opcode::V_MADMK_F32), Generation::kGfx6), -1);
  EXPECT_EQ(Vop3NumberOf(RowOf(Opcode::V_SWAP_B32), Generation::kGfx900), -1);
  EXPECT_EQ(Vop3NumberOf(RowOf(Opcode::S_ADD_U32), Generation::kGfx6), -1);
  // CDNA 2 gave v_mul_legacy_f32's number to v_fmac_f64.
  EXPECT_EQ(FindOpcode(Generation::kGfx908, Format::kVop2, 4)->opcode, Opcode::V_MUL_LEGACY_F32);
  EXPECT_EQ(FindOpcode(Generation::kGfx90a, Format::kVop2, 4)->opcode, Opcode::V_FMAC_F64);
  EXPECT_EQ(FindOpcode(Generation::kGfx90a, Format::kVop3, 673)->opcode, Opcode::V_MUL_LEGACY_F32);
  // CDNA 3 has other numbers for matrices of bf16, and their numbers for others.
  EXPECT_EQ(FindOpcode(Generation::kGfx90a, Format::kMai, 100)->opcode,
            Opcode::V_MFMA_F32_16X16X4BF16_1K);
  EXPECT_EQ(FindOpcode(Generation::kGfx942, Format::kMai, 100)->opcode,
            Opcode::V_SMFMAC_F32_32X32X16_F16);
  EXPECT_EQ(FindOpcode(Generation::kGfx942, Format::kMai, 94)->opcode,
            Opcode::V_MFMA_F32_16X16X4BF16_1K);
  EXPECT_EQ(FindOpcode(Generation::kGfx8, Format::kVop3, 0x289)->opcode, Opcode::V_READLANE_B32);
}

TEST(OpcodeTableTest, Modifiers) {
  EXPECT_TRUE(TakesFloatModifiers(RowOf(Opcode::V_ADD_F32), 1));
  EXPECT_FALSE(TakesFloatModifiers(RowOf(Opcode::V_LDEXP_F32), 1));
  EXPECT_TRUE(TakesFloatModifiers(RowOf(Opcode::V_CNDMASK_B32), 0));
  EXPECT_FALSE(TakesFloatModifiers(RowOf(Opcode::V_CNDMASK_B32), 2));
  EXPECT_TRUE(TakesIntegerSignModifiers(RowOf(Opcode::V_AND_B32), 1));
  EXPECT_TRUE(TakesIntegerSignModifiers(RowOf(Opcode::V_LDEXP_F32), 1));
  EXPECT_FALSE(TakesIntegerSignModifiers(RowOf(Opcode::V_ADD_U16), 0));
  EXPECT_FALSE(TakesIntegerSignModifiers(RowOf(Opcode::V_CNDMASK_B32), 2));
  EXPECT_TRUE(TakesClamp(RowOf(Opcode::V_ADD_CO_U32), Generation::kGfx8));
  EXPECT_FALSE(TakesClamp(RowOf(Opcode::V_ADD_CO_U32), Generation::kGfx6));  // errata 64
  EXPECT_FALSE(TakesClamp(RowOf(Opcode::V_CVT_U32_F32), Generation::kGfx7));
  EXPECT_FALSE(TakesClamp(RowOf(Opcode::V_AND_B32), Generation::kGfx900));
  EXPECT_TRUE(TakesOutputModifier(RowOf(Opcode::V_MUL_F64)));
  EXPECT_FALSE(TakesOutputModifier(RowOf(Opcode::V_MAD_F16)));
}

// Every refused row says why.
TEST(OpcodeTableTest, RefusalsHaveReasons) {
  for (int i = 0; i < kOpcodeCount; ++i) {
    const OpcodeRow& row = RowOf(i);
    if (row.refusal != nullptr) {
      EXPECT_GT(std::string(row.refusal).size(), 10u) << row.id;
    }
    if (row.Has(GRAPHICS)) {
      EXPECT_NE(row.refusal, nullptr) << row.id;
    }
  }
}

}  // namespace
}  // namespace gcnjit::frontend
