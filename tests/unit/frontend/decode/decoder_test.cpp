// The decoded form: operands resolved, constants expanded, implicit operands named; what is
// undefined is refused; and no words make the decoder read too far or die.
#include "frontend/decode/decoder.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "frontend/disassemble/disassembler.h"
#include "isa/vector_registers.h"
#include "tests/unit/frontend/generations.h"

namespace gcnjit::frontend {
namespace {

Instruction MustDecode(Generation g, std::vector<uint32_t> words) {
  Instruction in;
  EXPECT_EQ(Decode(g, words, in), DecodeStatus::kOk) << std::hex << words[0];
  return in;
}

DecodeStatus StatusOf(Generation g, std::vector<uint32_t> words) {
  Instruction in;
  return Decode(g, words, in);
}

// Errata 17 and 18; LLVM's SISrcMods and bug 46302 for 16-bit integers.
// The manuals leave misaligned tuples undefined.
TEST(DecoderTest, RefusesMisalignedScalarTuples) {
  EXPECT_EQ(StatusOf(k9, {0xc00a0100, 0}), DecodeStatus::kOk);          // s_load_dwordx4 s[4:7]
  EXPECT_EQ(StatusOf(k9, {0xc00a0080, 0}), DecodeStatus::kBadOperand);  // .. s[2:5]
  EXPECT_EQ(StatusOf(k9, {0xc0060080, 0}), DecodeStatus::kOk);          // s_load_dwordx2 s[2:3]
  EXPECT_EQ(StatusOf(k9, {0xc0060040, 0}), DecodeStatus::kBadOperand);  // .. s[1:2]
}

TEST(DecoderTest, ConstantsByType) {
  EXPECT_EQ(MustDecode(k9, {0xbe8000c1}).src[0].value, 0xffffffffu);          // s_mov_b32 s0, -1
  EXPECT_EQ(MustDecode(k9, {0xbe8001c1}).src[0].value, 0xffffffffffffffffu);  // s_mov_b64 .., -1
  EXPECT_EQ(MustDecode(k9, {0xbe8001f0}).src[0].value, 0x3fe0000000000000u);  // s_mov_b64 .., 0.5
  EXPECT_EQ(MustDecode(k9, {0x7e0202f0}).src[0].value, 0x3f000000u);          // v_mov_b32 v1, 0.5
  EXPECT_EQ(MustDecode(k9, {0x3e0204f0}).src[0].value, 0x3800u);              // v_add_f16
  EXPECT_EQ(MustDecode(k9, {0x3e0204c1}).src[0].value, 0xffffu);
  EXPECT_EQ(MustDecode(k9, {0x4c0204f0}).src[0].value, 0u);       // v_add_u16: low half of f32
  EXPECT_EQ(MustDecode(k9, {0x4c0204f8}).src[0].value, 0xf983u);  // ... of 1/(2*pi)
  EXPECT_EQ(MustDecode(k9, {0xd38f4001, 0x180204f2}).src[0].value, 0x3c00u);      // v_pk_add_f16
  EXPECT_EQ(MustDecode(k9, {0xd38a4001, 0x180204c1}).src[0].value, 0xffffffffu);  // v_pk_add_u16
  EXPECT_EQ(MustDecode(k9, {0xd38a4001, 0x180204f2}).src[0].value, 0x3f800000u);
  // v_mad_mix_f32: as f32, or as f16 where op_sel_hi chooses a half.
  EXPECT_EQ(MustDecode(k9, {0xd3a00001, 0x040e04f2}).src[0].value, 0x3f800000u);
  EXPECT_EQ(MustDecode(k9, {0xd3a00001, 0x0c0e04f2}).src[0].value, 0x3c00u);
}

TEST(DecoderTest, Inv2PiStartsWithGfx8) {
  EXPECT_EQ(StatusOf(k7, {0x7e0202f8}), DecodeStatus::kBadOperand);
  EXPECT_EQ(MustDecode(k8, {0x7e0202f8}).src[0].value, 0x3e22f983u);
}

TEST(DecoderTest, LiteralsByType) {
  const Instruction b64 = MustDecode(k9, {0xbe8001ff, 0x80000000});
  EXPECT_EQ(b64.src[0].value, 0x80000000u);  // s_mov_b64: zero-extended
  EXPECT_TRUE(b64.src[0].IsLiteral());
  EXPECT_EQ(b64.size, 8);
  // s_ashr_i64: sign-extended
  EXPECT_EQ(MustDecode(k9, {0x908082ff, 0x80000000}).src[0].value, 0xffffffff80000000u);
  // v_cvt_i32_f64: the high dword
  EXPECT_EQ(MustDecode(k9, {0x7e0206ff, 0x40590000}).src[0].value, 0x4059000000000000u);
  // v_add_f16: the low half
  const Instruction f16 = MustDecode(k9, {0x3e0204ff, 0xabcd1234});
  EXPECT_EQ(f16.src[0].value, 0x1234u);
  EXPECT_EQ(f16.literal, 0xabcd1234u);
  // VOP3 takes none (errata 66).
  EXPECT_EQ(StatusOf(k9, {0xd1010001, 0x000204ff, 0x1}), DecodeStatus::kBadOperand);
}

TEST(DecoderTest, MadmkAndMadak) {
  const Instruction madmk = MustDecode(k9, {0x2e020702, 0x12345678});
  EXPECT_EQ(madmk.src[1].value, 0x12345678u);
  EXPECT_EQ(madmk.src[2].kind, OperandKind::kVector);
  EXPECT_EQ(madmk.src[2].index, 3);
  const Instruction madak = MustDecode(k9, {0x30020702, 0x12345678});
  EXPECT_EQ(madak.src[1].index, 3);
  EXPECT_EQ(madak.src[2].value, 0x12345678u);
}

TEST(DecoderTest, ImplicitVccIsAnOperand) {
  const Instruction addc = MustDecode(k9, {0x38020702});  // v_addc_co_u32_e32
  EXPECT_EQ(addc.sdst.kind, OperandKind::kScalar);
  EXPECT_EQ(addc.sdst.index, kCodeVccLo);
  EXPECT_EQ(addc.src[2].index, kCodeVccLo);
  EXPECT_EQ(addc.src[2].type, OperandType::M64);
  EXPECT_EQ(addc.encoding, Encoding::kVop2);
  EXPECT_EQ(MustDecode(k6, {0x7c020702}).dst.index, kCodeVccLo);  // v_cmp_lt_f32_e32
  const Instruction e64 = MustDecode(k9, {0xd11c0401, 0x001a0702});
  EXPECT_EQ(e64.encoding, Encoding::kVop3b);
  EXPECT_EQ(e64.sdst.index, 4);
  EXPECT_EQ(e64.src[2].index, 6);
}

TEST(DecoderTest, LaneAccess) {
  const Instruction read6 = MustDecode(k6, {0x0202f902});  // v_readlane_b32 s1, v2, m0
  EXPECT_EQ(read6.dst.kind, OperandKind::kScalar);
  EXPECT_EQ(read6.dst.index, 1);
  EXPECT_EQ(read6.src[0].kind, OperandKind::kVector);
  EXPECT_EQ(read6.src[1].index, kCodeM0);
  const Instruction write6 = MustDecode(k6, {0x0402f885});  // v_writelane_b32 v1, 5, m0
  EXPECT_EQ(write6.dst.kind, OperandKind::kVector);
  EXPECT_EQ(write6.src[0].value, 5u);
  EXPECT_EQ(StatusOf(k6, {0x0202f802}), DecodeStatus::kBadOperand);  // v_readlane of an SGPR
}

TEST(DecoderTest, ClampBitMoved) {
  EXPECT_TRUE(MustDecode(k6, {0xd2060801, 0x00020702}).clamp);
  EXPECT_TRUE(MustDecode(k8, {0xd1018001, 0x00020702}).clamp);
  // Errata 64: no clamp in VOP3b before gfx8.
  EXPECT_FALSE(MustDecode(k6, {0xd24a0401, 0x00020702}).clamp);
}

TEST(DecoderTest, ScalarMemory) {
  const Instruction imm6 = MustDecode(k6, {0xc00083ff});  // offset 255 dwords
  EXPECT_TRUE(imm6.has_offset);
  EXPECT_EQ(imm6.offset, 1020);
  EXPECT_EQ(imm6.src[1].kind, OperandKind::kNone);
  const Instruction literal7 = MustDecode(k7, {0xc00082ff, 0xc0000001});
  EXPECT_EQ(literal7.src[1].kind, OperandKind::kConstant);
  EXPECT_EQ(literal7.src[1].value, 0x300000004u);
  EXPECT_EQ(StatusOf(k6, {0xc00082ff, 0x1}), DecodeStatus::kBadOperand);
  const Instruction both9 = MustDecode(k9, {0xc0024041, 0x0a000012});
  EXPECT_EQ(both9.src[1].index, 5);
  EXPECT_EQ(both9.offset, 0x12);
  EXPECT_EQ(MustDecode(k9, {0xc0020041, 0x001fffff}).offset, -1);
  EXPECT_EQ(MustDecode(k8, {0xc0020041, 0x000fffff}).offset, 0xfffff);
  const Instruction sgpr9 = MustDecode(k9, {0xc0000041, 0x00000004});
  EXPECT_EQ(sgpr9.src[1].index, 4);
  EXPECT_FALSE(sgpr9.has_offset);
}

TEST(DecoderTest, BufferOperands) {
  const Instruction addr64 = MustDecode(k7, {0xe0308004, 0x01010102});
  EXPECT_TRUE(addr64.addr64);
  EXPECT_EQ(addr64.src[0].index, 2);
  EXPECT_EQ(addr64.src[2].index, 4);
  EXPECT_EQ(addr64.src[3].index, 1);
  EXPECT_EQ(StatusOf(k7, {0xe0309004, 0x01010102}), DecodeStatus::kBadOperand);  // addr64 offen
  const Instruction none = MustDecode(k9, {0xe0500000, 0x01010100});
  EXPECT_EQ(none.src[0].kind, OperandKind::kNone);
  // Atomics return with GLC only.
  EXPECT_EQ(MustDecode(k9, {0xe1080000, 0x01010100}).dst.kind, OperandKind::kNone);
  EXPECT_EQ(MustDecode(k9, {0xe1084000, 0x01010100}).dst.index, 1);
  // gfx803 keeps each D16 half in a register of its own.
  EXPECT_EQ(MustDecode(k8, {0xe0240000, 0x01010100}).dst.type, OperandType::B64);
  EXPECT_EQ(MustDecode(k9, {0xe0240000, 0x01010100}).dst.type, OperandType::B32);
}

TEST(DecoderTest, FlatSegments) {
  EXPECT_EQ(MustDecode(k9, {0xdc500fff, 0x01000002}).offset, 4095);
  EXPECT_EQ(MustDecode(k9, {0xdc501fff, 0x01000002}).offset, 4095);  // FLAT ignores the sign bit
  const Instruction global = MustDecode(k9, {0xdc509ffb, 0x01020002});
  EXPECT_EQ(global.encoding, Encoding::kGlobal);
  EXPECT_EQ(global.offset, -5);
  EXPECT_EQ(global.src[0].type, OperandType::VADDR32);
  EXPECT_EQ(global.src[2].index, 2);
  EXPECT_EQ(MustDecode(k9, {0xdc508000, 0x017f0002}).src[2].kind, OperandKind::kNone);
  EXPECT_EQ(MustDecode(k9, {0xdc504004, 0x01020000}).src[0].kind, OperandKind::kNone);
  EXPECT_EQ(StatusOf(k9, {0xdc50c000, 0x01000002}), DecodeStatus::kUnknownOpcode);
  EXPECT_EQ(StatusOf(k8, {0xdc500004, 0x01000002}), DecodeStatus::kBadOperand);
  EXPECT_EQ(StatusOf(k6, {0xdc300000, 0x01000002}), DecodeStatus::kUnknownOpcode);
}

TEST(DecoderTest, Sdwa) {
  const Instruction in = MustDecode(k9, {0x020206f9, 0x02357102});
  EXPECT_EQ(in.encoding, Encoding::kSdwa);
  EXPECT_EQ(in.sdwa.dst_sel, SdwaSelect::kByte1);
  EXPECT_EQ(in.sdwa.dst_unused, SdwaUnused::kPreserve);
  EXPECT_EQ(in.sdwa.src_sel[0], SdwaSelect::kWord1);
  EXPECT_EQ(in.sdwa.src_sel[1], SdwaSelect::kByte2);
  EXPECT_EQ(in.neg, 1);
  EXPECT_EQ(in.abs, 1);
  EXPECT_EQ(in.omod, 1);
  EXPECT_TRUE(in.clamp);
  // A scalar source on gfx9 only; the bit is reserved on gfx8.
  EXPECT_EQ(MustDecode(k9, {0x7e0202f9, 0x00860602}).src[0].kind, OperandKind::kScalar);
  EXPECT_EQ(MustDecode(k8, {0x7e0202f9, 0x00860602}).src[0].kind, OperandKind::kVector);
  // gfx9 compares name their mask.
  EXPECT_EQ(MustDecode(k9, {0x7c8204f9, 0x02058201}).dst.index, 2);
  EXPECT_EQ(StatusOf(k9, {0x7e0202f9, 0x00070602}), DecodeStatus::kBadOperand);     // select 7
  EXPECT_EQ(StatusOf(k9, {0x7e0206f9, 0x00060602}), DecodeStatus::kUnknownOpcode);  // f64
}

TEST(DecoderTest, Dpp) {
  const Instruction in = MustDecode(k9, {0x7e0202fa, 0xa108e402});
  EXPECT_EQ(in.encoding, Encoding::kDpp);
  EXPECT_EQ(in.dpp.ctrl, 0xe4);
  EXPECT_TRUE(in.dpp.bound_ctrl);
  EXPECT_EQ(in.dpp.bank_mask, 1);
  EXPECT_EQ(in.dpp.row_mask, 0xa);
  EXPECT_EQ(StatusOf(k9, {0x7e0202fa, 0xff010002}), DecodeStatus::kBadOperand);  // ctrl 0x100
  EXPECT_EQ(StatusOf(k7, {0x7e0202fa, 0xff00e402}), DecodeStatus::kBadOperand);
}

TEST(DecoderTest, RegistersPastTheEnd) {
  EXPECT_EQ(StatusOf(k9, {0x7e0206ff}), DecodeStatus::kTruncated);
  EXPECT_EQ(StatusOf(k9, {0x7e0207ff}), DecodeStatus::kBadOperand);  // v_cvt_i32_f64 v1, v[255:256]
  EXPECT_EQ(StatusOf(k9, {0xbe800103}), DecodeStatus::kBadOperand);  // s_mov_b64 s[0:1], s[3:4]
  EXPECT_EQ(StatusOf(k8, {0xbe800065}), DecodeStatus::kOk);          // s101
  EXPECT_EQ(StatusOf(k6, {0xbe800367}), DecodeStatus::kOk);          // s103
  EXPECT_EQ(StatusOf(k6, {0xbe800368}), DecodeStatus::kBadOperand);  // 104: gfx7's flat_scratch
  EXPECT_EQ(StatusOf(k9, {0xbe80007d}), DecodeStatus::kBadOperand);  // 125
  EXPECT_EQ(StatusOf(k8, {0xbe8000eb}), DecodeStatus::kBadOperand);  // apertures are gfx9's
  EXPECT_EQ(MustDecode(k9, {0xbe8000eb}).src[0].kind, OperandKind::kSpecial);
}

TEST(DecoderTest, Truncated) {
  Instruction in;
  EXPECT_EQ(Decode(k9, {}, in), DecodeStatus::kTruncated);
  for (const uint32_t word : {0xd1010001u, 0xbe8000ffu, 0x7e0202f9u, 0x7e0202fau, 0x2e020702u,
                              0xdc500000u, 0xc0020041u, 0xba000001u}) {
    EXPECT_EQ(StatusOf(k9, {word}), DecodeStatus::kTruncated) << std::hex << word;
  }
}

// Set bits in fields that the instruction ignores (isa/ignored_fields.h) are not seen.
TEST(DecoderTest, IgnoredFields) {
  const Instruction omod = MustDecode(k9, {0xd1138002, 0x98020300});  // v_and_b32 clamp mul neg[2]
  EXPECT_EQ(omod.omod, 0);
  EXPECT_EQ(omod.neg, 0);
  EXPECT_FALSE(omod.clamp);
  EXPECT_EQ(MustDecode(k6, {0xd2360802, 0x00020300}).clamp, false);
  EXPECT_EQ(MustDecode(k9, {0xbf8a0123}).imm, 0);                          // s_barrier
  EXPECT_TRUE(MustDecode(k9, {0xd1018002, 0x00020300}).clamp);             // v_add_f32: acts
  EXPECT_EQ(MustDecode(k9, {0xd1130002, 0x20020300}).neg, 1);              // v_and_b32 -v0
  EXPECT_EQ(MustDecode(k9, {0xd1130402, 0x00020300}).abs, 0);              // no third source
  EXPECT_EQ(StatusOf(k908, {0xd3d9c070, 0x18000146}), DecodeStatus::kOk);  // v_accvgpr_write clamp
  EXPECT_EQ(StatusOf(k908, {0xd3d8c070, 0x18000146}), DecodeStatus::kOk);  // v_accvgpr_read clamp
}

// What sources do not settle stays refused.
TEST(DecoderTest, ModifiersThatAreNotKnown) {
  EXPECT_EQ(StatusOf(k9, {0xd1ff8002, 0x04020300}), DecodeStatus::kBadOperand);  // v_add3_u32 clamp
  EXPECT_EQ(StatusOf(k9, {0xd1260002, 0x20020300}), DecodeStatus::kBadOperand);  // v_add_u16 -v0
  EXPECT_EQ(StatusOf(k9, {0xd1000002, 0x80120300}),
            DecodeStatus::kBadOperand);  // v_cndmask -s[4:5]
  EXPECT_EQ(StatusOf(k9, {0xd2890002, 0x20000900}), DecodeStatus::kBadOperand);  // v_readlane -v0
  EXPECT_EQ(StatusOf(k9, {0xd1160002, 0x80020300}), DecodeStatus::kBadOperand);  // v_mac_f32 neg[2]
  EXPECT_EQ(StatusOf(k9, {0xd11f0802, 0x00020300}), DecodeStatus::kBadOperand);  // v_add_f16 op_sel
  EXPECT_EQ(StatusOf(k9, {0xd3820002, 0x38020300}), DecodeStatus::kBadOperand);  // v_pk_add_i16 neg
  EXPECT_EQ(StatusOf(k9, {0x260404f9, 0x06160600}),
            DecodeStatus::kBadOperand);  // v_and_b32_sdwa -v0
  EXPECT_EQ(StatusOf(k908, {0xd3c28000, 0x04020300}),
            DecodeStatus::kBadOperand);  // v_mfma_f32_4x4x1f32: bit 15
  EXPECT_EQ(StatusOf(k908, {0xd3d94170, 0x18000146}),
            DecodeStatus::kBadOperand);  // v_accvgpr_write neg_hi
  EXPECT_EQ(StatusOf(k9, {0x000404f9, 0x06140600}), DecodeStatus::kBadOperand);  // v_cndmask -word0
}

// What every accepted instruction must look like, whatever the words were.
void CheckConsistent(Generation g, const Instruction& in, size_t words) {
  ASSERT_TRUE(in.size == 4 || in.size == 8);
  ASSERT_LE(in.size, 4 * words);
  ASSERT_LT(static_cast<int>(in.opcode), kOpcodeCount);
  ASSERT_TRUE(in.row().ExistsOn(g));
  const auto check = [g](const Operand& operand) {
    if (operand.kind == OperandKind::kScalar) {
      ASSERT_LE(operand.index + std::max(1, RegistersOf(operand.type)), 128);
    }
    if (operand.kind == OperandKind::kVector) {
      ASSERT_TRUE(!IsAccVgpr(operand.index) || Has(g, kAccVgprs));
      ASSERT_LE(operand.index % kMaxVgprs + RegistersOf(operand.type), kMaxVgprs);
    }
  };
  check(in.dst);
  check(in.sdst);
  for (const Operand& operand : in.src) check(operand);
  ASSERT_LE(in.omod, 3);
  ASSERT_FALSE(Disassemble(g, in).empty());
}

TEST(DecoderTest, TotalOnRandomWords) {
  std::mt19937_64 random(7);
  for (Generation g : kGenerations) {
    for (int i = 0; i < 300000; ++i) {
      const uint64_t bits = random();
      const uint32_t words[2] = {static_cast<uint32_t>(bits), static_cast<uint32_t>(bits >> 32)};
      const size_t count = 1 + (i & 1);
      Instruction in;
      if (Decode(g, std::span(words, count), in) == DecodeStatus::kOk) {
        ASSERT_NO_FATAL_FAILURE(CheckConsistent(g, in, count));
      }
    }
  }
}

// Every value of the upper half of the first word, where formats and opcodes are, with a few lower
// halves and second words.
TEST(DecoderTest, TotalOnAllOpcodes) {
  constexpr uint32_t kLow[] = {0, 0xffff, 0x01ff, 0x00f9, 0x00fa, 0x7f80};
  constexpr uint32_t kSecond[] = {0, 0xffffffff, 0x06060606, 0x7f7f7f7f};
  for (Generation g : kGenerations) {
    int accepted = 0;
    for (uint32_t high = 0; high < 0x10000; ++high) {
      for (const uint32_t low : kLow) {
        for (const uint32_t second : kSecond) {
          const uint32_t words[2] = {high << 16 | low, second};
          Instruction in;
          if (Decode(g, words, in) != DecodeStatus::kOk) continue;
          ++accepted;
          ASSERT_NO_FATAL_FAILURE(CheckConsistent(g, in, 2));
        }
      }
    }
    EXPECT_GT(accepted, 100000) << TargetName(g);
  }
}

}  // namespace
}  // namespace gcnjit::frontend
