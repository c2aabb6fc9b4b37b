// Golden texts, one for each piece of syntax. The oracle tests compare far more with LLVM itself;
// these run where LLVM is not installed. All lines are llvm-mc's.
#include "frontend/disassemble/disassembler.h"

#include <gtest/gtest.h>

#include <vector>

#include "frontend/decode/decoder.h"
#include "tests/unit/frontend/generations.h"

namespace gcnjit::frontend {
namespace {

struct Golden {
  Generation generation;
  std::vector<uint32_t> words;
  const char* text;
};

class DisassemblerTest : public testing::TestWithParam<Golden> {};

TEST_P(DisassemblerTest, PrintsLlvmSyntax) {
  const Golden& golden = GetParam();
  Instruction instruction;
  ASSERT_EQ(Decode(golden.generation, golden.words, instruction), DecodeStatus::kOk);
  EXPECT_EQ(Disassemble(golden.generation, instruction), golden.text);
  EXPECT_EQ(instruction.size, 4 * golden.words.size());
}

// clang-format off
INSTANTIATE_TEST_SUITE_P(Lines, DisassemblerTest, testing::Values(
    Golden{k8, {0xbe800000}, "s_mov_b32 s0, s0"},
    Golden{k8, {0xbe8001ff, 0x12345678}, "s_mov_b64 s[0:1], 0x12345678"},
    Golden{k8, {0xbe8001f0}, "s_mov_b64 s[0:1], 0.5"},
    Golden{k7, {0xbee80402}, "s_mov_b64 flat_scratch, s[2:3]"},
    Golden{k6, {0xbee60402}, "s_mov_b64 s[102:103], s[2:3]"},
    Golden{k9, {0xb000ffff}, "s_movk_i32 s0, 0xffff"},
    Golden{k9, {0xb880f801}, "s_getreg_b32 s0, hwreg(HW_REG_MODE)"},
    Golden{k9, {0xb8800801}, "s_getreg_b32 s0, hwreg(HW_REG_MODE, 0, 2)"},
    Golden{k9, {0xba000001, 0x55}, "s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 1), 0x55"},
    Golden{k9, {0xbf82ffff}, "s_branch 65535"},
    Golden{k9, {0xbf810000}, "s_endpgm"},
    Golden{k9, {0xbf8c8170}, "s_waitcnt vmcnt(32) lgkmcnt(1)"},
    Golden{k8, {0xbf8c0f7f}, "s_waitcnt vmcnt(15) expcnt(7) lgkmcnt(15)"},
    Golden{k9, {0xbf900322}, "s_sendmsg sendmsg(MSG_GS, GS_OP_EMIT, 3)"},
    Golden{k6, {0xbf900004}, "s_sendmsg sendmsg(4, 0, 0)"},
    Golden{k9, {0xbf110300}, "s_set_gpr_idx_on s0, gpr_idx(SRC0,SRC1)"},
    Golden{k7, {0xc00082ff, 0x3ff}, "s_load_dword s1, s[2:3], 0x3ff"},
    Golden{k7, {0xc0008204}, "s_load_dword s1, s[2:3], s4"},
    Golden{k9, {0xc0024041, 0x0a000012}, "s_load_dword s1, s[2:3], s5 offset:0x12"},
    Golden{k9, {0xc0020041, 0x001fffff}, "s_load_dword s1, s[2:3], -0x1"},
    Golden{k9, {0x02030200}, "v_add_f32_e32 v1, s0, v129"},
    Golden{k8, {0x7e0202f8}, "v_mov_b32_e32 v1, 0.15915494"},
    Golden{k9, {0x3e0204ff, 0x00003c00}, "v_add_f16_e32 v1, 1.0, v2"},
    Golden{k9, {0x3e0204ff, 0x12343c00}, "v_add_f16_e32 v1, 0x3c00, v2"},
    Golden{k908, {0x6e0204ff, 0x00003c00}, "v_dot2c_f32_f16_e32 v1, 1.0, v2"},
    Golden{k908, {0x6e0204ff, 0x3f800000}, "v_dot2c_f32_f16_e32 v1, 0x3f800000, v2"},
    Golden{k908, {0x700204ff, 0x3f800000}, "v_dot2c_i32_i16_e32 v1, 1.0, v2"},
    Golden{k6, {0xd2060801, 0x00020702}, "v_add_f32_e64 v1, v2, v3 clamp"},
    Golden{k8, {0xd1018301, 0x2801e502}, "v_add_f32_e64 v1, -|v2|, |1.0| clamp mul:2"},
    Golden{k8, {0xd1010001, 0x70010302}, "v_add_f32_e64 v1, -v2, neg(1) mul:4"},
    Golden{k6, {0x4a020702}, "v_add_i32_e32 v1, vcc, v2, v3"},
    Golden{k8, {0x32020702}, "v_add_u32_e32 v1, vcc, v2, v3"},
    Golden{k9, {0x32020702}, "v_add_co_u32_e32 v1, vcc, v2, v3"},
    Golden{k7, {0xd2ec0401, 0x04160903}, "v_mad_u64_u32 v[1:2], s[4:5], v3, v4, v[5:6]"},
    Golden{k9, {0x2e020702, 0x12345678}, "v_madmk_f32 v1, v2, 0x12345678, v3"},
    Golden{k9, {0x020206fa, 0xff312502}, "v_add_f32_dpp v1, -|v2|, v3 row_ror:5 row_mask:0xf bank_mask:0xf"},
    Golden{k9, {0x7e0202fa, 0xa108e402}, "v_mov_b32_dpp v1, v2 quad_perm:[0,1,2,3] row_mask:0xa bank_mask:0x1 bound_ctrl:1"},
    Golden{k9, {0x020206f9, 0x02357102}, "v_add_f32_sdwa v1, -|v2|, v3 clamp mul:2 dst_sel:BYTE_1 dst_unused:UNUSED_PRESERVE src0_sel:WORD_1 src1_sel:BYTE_2"},
    Golden{k9, {0x7c8204f9, 0x02058201}, "v_cmp_lt_f32_sdwa s[2:3], v1, v2 src0_sel:WORD_1 src1_sel:BYTE_2"},
    Golden{k9, {0xd38fca01, 0x30020702}, "v_pk_add_f16 v1, v2, v3 op_sel:[1,0] op_sel_hi:[0,1] neg_lo:[1,0] neg_hi:[0,1] clamp"},
    Golden{k9, {0xd3a00901, 0x24120702}, "v_mad_mix_f32 v1, -|v2|, v3, v4 op_sel:[1,0,0]"},
    Golden{k906, {0xd3a00901, 0x24120702}, "v_fma_mix_f32 v1, -|v2|, v3, v4 op_sel:[1,0,0]"},
    Golden{k9, {0xd204c801, 0x04120702}, "v_mad_u16 v1, v2, v3, v4 op_sel:[1,0,0,1] clamp"},
    Golden{k9, {0xd4060d01}, "v_interp_mov_f32_e32 v1, p20, attr3.y"},
    Golden{k9, {0xd87a8055, 0x01000002}, "ds_swizzle_b32 v1, v2 offset:swizzle(QUAD_PERM,1,1,1,1)"},
    Golden{k9, {0xd81dff01, 0x00030201}, "ds_write2_b32 v1, v2, v3 offset0:1 offset1:255 gds"},
    Golden{k7, {0xe0308004, 0x01010102}, "buffer_load_dword v1, v[2:3], s[4:7], s1 addr64 offset:4"},
    Golden{k9, {0xe0527fff, 0x80810102}, "buffer_load_dword v1, v[2:3], s[4:7], 0 idxen offen offset:4095 glc slc tfe"},
    Golden{k9, {0xdc539ffb, 0x01020002}, "global_load_dword v1, v2, s[2:3] offset:-5 glc slc"},
    Golden{k9, {0xdc504004, 0x01020000}, "scratch_load_dword v1, off, s2 offset:4"},
    Golden{k7, {0xdc300000, 0x01000002}, "flat_load_dword v1, v[2:3]"},
    Golden{k6, {0xf8001c0f, 0x00000301}, "exp mrt0 v1, v1, v3, v3 done compr vm"}));
// clang-format on

TEST(BranchTargetTest, CountsFromTheNextInstruction) {
  Instruction in;
  ASSERT_EQ(Decode(k9, std::vector<uint32_t>{0xbf82ffff}, in), DecodeStatus::kOk);
  EXPECT_EQ(BranchTarget(in, 0x1000), 0x1000u);
  EXPECT_EQ(Disassemble(k9, in, 0x1000), "s_branch 65535 // 0x1000");
  ASSERT_EQ(Decode(k9, std::vector<uint32_t>{0xbf850003}, in), DecodeStatus::kOk);
  EXPECT_EQ(BranchTarget(in, 0x1000), 0x1010u);
  ASSERT_EQ(Decode(k9, std::vector<uint32_t>{0xbe800000}, in), DecodeStatus::kOk);
  EXPECT_EQ(BranchTarget(in, 0x1000), std::nullopt);
}

}  // namespace
}  // namespace gcnjit::frontend
