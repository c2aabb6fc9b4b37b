// The harness itself: what it must accept, and that wrong expectations, stray writes and unreadable
// files do fail.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "harness/case_file.h"
#include "harness/run_case.h"
#include "harness/value.h"

namespace gcnjit::isa_tests {
namespace {

// Reports of running `text`; a file that cannot be read is one report.
std::vector<std::string> Failures(const std::string& text) {
  const Result<CaseFile> file = ParseCaseFile("test.case", text);
  if (!file) return {file.error().message};
  return RunFile(file.value());
}

void ExpectPass(const std::string& text) {
  for (const std::string& failure : Failures(text)) ADD_FAILURE() << failure;
}

void ExpectFailure(const std::string& text, const std::string& part) {
  const std::vector<std::string> failures = Failures(text);
  ASSERT_FALSE(failures.empty()) << "passed, but must fail:\n" << text;
  EXPECT_NE(failures[0].find(part), std::string::npos) << failures[0];
}

TEST(HarnessTest, ScalarSeries) {
  ExpectPass("[s_add_u32 s2, s0, s1] all\ns0 = 1 -1\ns1 = 2 1\ns2 : 3 0\nscc : 0 1\n");
  ExpectFailure("[s_add_u32 s2, s0, s1] all\ns0 = 1 -1\ns1 = 2 1\ns2 : 3 1\nscc : 0 1\n",
                "run 2 of 2");
}

TEST(HarnessTest, UnmentionedChangeFails) {
  ExpectFailure("[s_add_u32 s2, s0, s1] gfx9\ns0 = 1 ; s1 = 2 ; s2 : 3 ; scc = 1\n", "scc: got");
  ExpectFailure("[s_add_u32 s2, s0, s1] gfx9\ns0 = 1 ; s1 = 2 ; scc : 0\n", "s2: got");
  ExpectFailure("[v_mov_b32 v1, v0] gfx9\nv0 = 5\nunchanged\n", "v1 lane");
}

TEST(HarnessTest, VectorLanes) {
  ExpectPass("[v_mov_b32 v1, v0] all\nv0 = 0..63\nv1 : 0..63\n");
  ExpectFailure("[v_mov_b32 v1, v0] all\nv0 = 0..63\nv1 : 0..62 64\n", "v1 lane 63");
}

TEST(HarnessTest, PartialExecIsChecked) {
  // v_readfirstlane's result depends on EXEC: without a flag the repetition notices.
  ExpectFailure("[v_readfirstlane_b32 s0, v0] gfx9\nv0 = 0..63\ns0 : 0\n", "initial EXEC");
  ExpectPass("[v_readfirstlane_b32 s0, v0] gfx9 exec-sensitive\nv0 = 0..63\ns0 : 0\n");
}

TEST(HarnessTest, LaneMasksAreMaskedByExec) {
  ExpectPass("[v_cmp_eq_u32 vcc, v0, v1] all\nv0 = 1 2\nv1 = 1\nvcc : lanes 1 0\n");
  ExpectFailure("[v_cmp_eq_u32 vcc, v0, v1] all\nv0 = 1 2\nv1 = 1\nvcc : lanes 1 1\n", "vcc_lo");
  ExpectPass("[v_cmp_eq_u32 s[4:5], v0, v1] all\nv0 = 1 2\nv1 = 1\ns[4:5] : lanes 1 0\n");
}

TEST(HarnessTest, BranchesAndEvents) {
  ExpectPass("[s_branch 2] all\npc : +12\n");
  ExpectPass("[s_branch -3] all\npc : -8\n");
  ExpectFailure("[s_branch 2] all\npc : +8\n", "pc");
  ExpectPass("[s_endpgm] all\nevent : end\n");
  ExpectFailure("[s_endpgm] all\nunchanged\n", "event");
  ExpectFailure("[s_nop 0 ; s_branch -2] all\nunchanged\n", "256 steps");
}

TEST(HarnessTest, MemoryAndFaults) {
  const std::string load = "[s_load_dword s2, s[0:1], 0x0] gfx8+\nbuffer A = 7 8\n";
  ExpectPass(load + "s[0:1] = &A+4 ; s2 : 8\n");
  ExpectFailure(load + "s[0:1] = &A ; s2 : 8\n", "s2: got");
  ExpectPass(load + "s[0:1] = &A+4096 ; fault : memory_read address &A+4096\n");
  ExpectFailure(load + "s[0:1] = &A+4096 ; fault : memory_read address &A\n", "expected");
  ExpectFailure(load + "s[0:1] = &A+4096 ; s2 : 0\n", "fault");
  ExpectFailure(load + "s[0:1] = &A ; fault : memory_read\n", "no fault");
  ExpectFailure(load + "s[0:1] = &B ; s2 : 0\n", "unknown buffer");
}

TEST(HarnessTest, AssemblerAndDecoderErrors) {
  ExpectFailure("[s_mov_b32 s0, s[2:3]] gfx9\ns0 : 1\n", "test.case:1");
  ExpectFailure("[.long 0xbe800001 as s_mov_b64] gfx9\ns0 : 1\n", "decoded as S_MOV_B32");
  ExpectPass("[.long 0xbe800001 as s_mov_b32] gfx9\ns1 = 4 ; s0 : 4\n");
}

TEST(HarnessTest, UnreadableFilesFail) {
  for (const char* text :
       {"", "v0 = 1\n", "[s_nop 0] gfx5\nunchanged\n", "[s_nop 0] all\n",
        "[s_nope 0] all\nunchanged\n", "[s_nop 0] all\ns0 = 0x1ffffffff\nunchanged\n",
        "[s_nop 0] all\ns0 = _\nunchanged\n", "[s_nop 0] all\ns0 = 1 2\ns1 = 1 2 3\nunchanged\n",
        "[s_nop 0] all\nx0 = 1\nunchanged\n", "[s_nop 0] all\ns0 = 1.0.0\nunchanged\n",
        "[s_nop 0] all\nv0 = 0..64\nunchanged\n"}) {
    EXPECT_FALSE(ParseCaseFile("test.case", text).ok()) << text;
  }
}

uint64_t One(const std::string& text, int bits) {
  const Result<std::vector<Value>> values = ParseValues(text, bits);
  if (!values) ADD_FAILURE() << values.error().message;
  return values ? values.value()[0].bits : 0;
}

TEST(HarnessTest, Values) {
  EXPECT_EQ(One("1.0", 32), 0x3F800000u);
  EXPECT_EQ(One("1.0", 64), 0x3FF0000000000000u);
  EXPECT_EQ(One("-1", 32), 0xFFFFFFFFu);
  EXPECT_EQ(One("-1", 64), ~uint64_t{0});
  EXPECT_EQ(One("1.5h", 32), 0x3E00u);
  EXPECT_EQ(One("-infh", 32), 0xFC00u);
  EXPECT_EQ(One("1.5h|-2.0h", 32), 0xC0003E00u);
  EXPECT_EQ(One("-1|7", 32), 0x0007FFFFu);
  EXPECT_EQ(One("-nan", 32), 0xFFC00000u);
  EXPECT_EQ(One("snan", 64), 0x7FF4000000000000u);
  EXPECT_EQ(One("1e-45", 32), 1u);
  EXPECT_EQ(One("inf", 32), 0x7F800000u);
  EXPECT_EQ(ParseValues("0..12/4 7*3 0x10", 32).value().size(), 8u);
  EXPECT_EQ(ParseValues("&A + 0 4 8", 64).value()[2].bits, 8u);
}

TEST(HarnessTest, Tolerance) {
  EXPECT_TRUE(WithinUlps(FloatFormat::kF32, 0x3F800001, 0x3F800000, 1));
  EXPECT_FALSE(WithinUlps(FloatFormat::kF32, 0x3F800002, 0x3F800000, 1));
  EXPECT_TRUE(WithinUlps(FloatFormat::kF32, 0x80000001, 0x00000001, 2));
  EXPECT_FALSE(WithinUlps(FloatFormat::kF32, 0x7FC00000, 0x7F800000, 1 << 20));
  ExpectPass("[v_mov_b32 v1, v0] gfx9\nv0 = 0x3f800001\nv1 : 1.0~1\n");
  ExpectFailure("[v_mov_b32 v1, v0] gfx9\nv0 = 0x3f800002\nv1 : 1.0~1\n", "v1 lane 0");
}

}  // namespace
}  // namespace gcnjit::isa_tests
