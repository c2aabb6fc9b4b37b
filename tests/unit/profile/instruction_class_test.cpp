// Kinds of instructions, by the words that clang assembles for them (gfx900).
#include "profile/instruction_class.h"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "frontend/decode/decoder.h"

namespace gcnjit::profile {
namespace {

struct Case {
  const char* text;
  std::vector<uint32_t> words;
  InstructionClass kind;
};

// From: clang-14 -target amdgcn-amd-amdhsa -mcpu=gfx900 -x assembler -c.
const Case kCases[] = {
    {"v_add_f32 v0, v1, v2", {0x02000501}, InstructionClass::kValu},
    {"v_mad_f32 v0, v1, v2, v3", {0xD1C10000, 0x040E0501}, InstructionClass::kValu},
    {"v_readfirstlane_b32 s0, v1", {0x7E000501}, InstructionClass::kValu},
    {"s_add_u32 s0, s1, s2", {0x80000201}, InstructionClass::kSalu},
    {"s_mov_b32 s0, s1", {0xBE800001}, InstructionClass::kSalu},
    {"s_cmp_eq_u32 s0, s1", {0xBF060100}, InstructionClass::kSalu},
    {"s_movk_i32 s0, 0x1", {0xB0000001}, InstructionClass::kSalu},
    {"s_setpc_b64 s[0:1]", {0xBE801D00}, InstructionClass::kSalu},
    {"s_branch 4", {0xBF820004}, InstructionClass::kBranch},
    {"s_cbranch_execz 4", {0xBF880004}, InstructionClass::kBranch},
    {"s_barrier", {0xBF8A0000}, InstructionClass::kBarrier},
    {"s_sendmsg sendmsg(MSG_INTERRUPT)", {0xBF900001}, InstructionClass::kMessage},
    {"s_waitcnt vmcnt(0)", {0xBF8C0F70}, InstructionClass::kOther},
    {"s_endpgm", {0xBF810000}, InstructionClass::kOther},
    {"s_load_dword s0, s[2:3], 0x0", {0xC0020001, 0x00000000}, InstructionClass::kSmem},
    {"ds_read_b32 v0, v1", {0xD86C0000, 0x00000001}, InstructionClass::kLds},
    {"ds_swizzle_b32 v0, v1", {0xD87A0000, 0x00000001}, InstructionClass::kLds},
    {"ds_add_u32 v1, v2 gds", {0xD8010000, 0x00000201}, InstructionClass::kGds},
    {"global_load_dword v0, v[2:3], off", {0xDC508000, 0x007F0002}, InstructionClass::kVmemRead},
    {"global_store_dword v[2:3], v0, off", {0xDC708000, 0x007F0002}, InstructionClass::kVmemWrite},
    {"flat_load_dword v0, v[2:3]", {0xDC500000, 0x00000002}, InstructionClass::kVmemRead},
    {"global_atomic_add v[2:3], v0, off", {0xDD088000, 0x007F0002}, InstructionClass::kVmemAtomic},
    {"buffer_load_dword v0, off, s[4:7], 0", {0xE0500000, 0x80010000}, InstructionClass::kVmemRead},
    {"buffer_store_dword v0, off, s[4:7], 0",
     {0xE0700000, 0x80010000},
     InstructionClass::kVmemWrite},
    {"buffer_wbinvl1", {0xE0F80000, 0x00000000}, InstructionClass::kOther},
};

TEST(InstructionClassTest, IsThatOfTheProfilers) {
  for (const Case& c : kCases) {
    frontend::Instruction i;
    ASSERT_EQ(frontend::Decode(frontend::Generation::kGfx900, c.words, i),
              frontend::DecodeStatus::kOk)
        << c.text;
    // The words are those of the text.
    const std::string mnemonic = std::string(c.text).substr(0, std::string(c.text).find(' '));
    EXPECT_EQ(i.row().Name(frontend::Generation::kGfx900), mnemonic);
    EXPECT_EQ(NameOf(ClassOf(i)), NameOf(c.kind)) << c.text;
  }
}

TEST(InstructionClassTest, NamesDiffer) {
  std::set<std::string_view> names;
  for (size_t n = 0; n < kInstructionClasses; ++n)
    names.insert(NameOf(static_cast<InstructionClass>(n)));
  EXPECT_EQ(names.size(), kInstructionClasses);
}

}  // namespace
}  // namespace gcnjit::profile
