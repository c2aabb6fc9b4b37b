// Floats of VGPRs in which lanes that have left may have integers.
#include <gtest/gtest.h>

#include <string>

#include "ir/parser.h"
#include "ir/passes.h"
#include "ir/printer.h"
#include "ir/verifier.h"
#include "tests/unit/ir/ir_machine.h"

namespace gcnjit::ir {
namespace {

// v1 is the product of what v0 and v2 have; elsewhere v0 gets `left`, in lanes of EXEC or, where
// nothing reads those of the others any more, in all.
std::string LoopOf(const std::string& left, const std::string& product, bool keeps = true) {
  return "block 0x0 instructions=1\nguest 0 0x0\n%1 = get_sgpr64.u64 s126\n%2 = get_vgpr.v32 v0\n"
         "%3 = get_vgpr.v32 v2\n%4 = get_vgpr.v32 v3\n" +
         product +
         "set_vgpr v1, %9 {active}\nexit end, 0x4\n"
         "block 0x100 instructions=1\nguest 0 0x100\n%20 = get_sgpr64.u64 s126\n%21 = get_vgpr.v32 "
         "v0\n%22 = get_vgpr.v32 v3\n" +
         left +
         (keeps ? "%40 = select.v32 %20, %30, %21\nset_vgpr v0, %40\n"
                : "set_vgpr v0, %30 {active}\n") +
         "exit end, 0x104\n";
}

Function Parsed(const std::string& text) {
  ParseResult parsed = Parse(text);
  EXPECT_FALSE(parsed.error) << parsed.error->line << ": " << parsed.error->message << '\n' << text;
  return parsed.function;
}

// In lanes of EXEC the product is what it was; what it is in the others: the bits.
uint32_t ProductOfLeftLane(const std::string& text, bool gains_lanes = false) {
  const Function before = Parsed(text);
  Function after = before;
  for (Block& block : after.blocks) block.gains_lanes = gains_lanes;
  QuietLanes(after);
  EXPECT_EQ(Verify(after), std::vector<std::string>{}) << Print(after);
  IrMachine machine;
  constexpr uint64_t kExecLanes = 0x00FF'00FF'1234'5677;
  machine.sgpr[kExec] = static_cast<uint32_t>(kExecLanes);
  machine.sgpr[kExec + 1] = static_cast<uint32_t>(kExecLanes >> 32);
  for (uint32_t lane = 0; lane < kLanes; ++lane) {
    machine.vgpr[0][lane] = (kExecLanes >> lane & 1) != 0 ? 0x3F000000 + lane : 9;
    machine.vgpr[2][lane] = 0x40000000 + 3 * lane;
    machine.vgpr[3][lane] = 0x3FF00000;
  }
  IrMachine expected = machine;
  expected.Run(before);
  machine.Run(after);
  for (size_t lane = 0; lane < kLanes; ++lane) {
    if ((kExecLanes >> lane & 1) == 0) continue;
    EXPECT_EQ(machine.vgpr[1][lane], expected.vgpr[1][lane]) << lane << '\n' << Print(after);
  }
  machine.vgpr[1] = expected.vgpr[1];
  EXPECT_EQ(machine, expected);
  machine.Run(after);
  return machine.vgpr[1][3];  // which EXEC does not have
}

constexpr const char* kProduct = "%9 = fmul.v32 %2, %3 {rn}\n";

TEST(QuietLanes, IntegersThatLanesHaveLeftAreNoFloats) {
  for (const char* const left :
       {"%30 = add.v32 %22, 1\n", "%30 = get_sgpr.u32 s8\n", "%30 = lane_id.v32\n",
        "%31 = lshr.v32 %22, 3\n%30 = select.v32 %20, %31, %22\n", "%30 = f32_to_u32.v32 %22\n",
        "%31 = load_scalar.u32 0x1000:u64 {dwords=2}\n%30 = part.u32 %31 {dword=1}\n"}) {
    for (const bool keeps : {true, false}) {
      EXPECT_EQ(ProductOfLeftLane(LoopOf(left, kProduct, keeps)), 0u) << left;
    }
  }
}

TEST(QuietLanes, OfAllArithmetic) {
  for (const char* const product :
       {"%9 = fmul.v32 %3, %2 {rn}\n", "%9 = fdiv.v32 %2, %3 {rn}\n", "%9 = fsqrt.v32 %2 {rn}\n",
        "%9 = ffma.v32 %2, %2, %2 {rn}\n", "%9 = fadd.v32 %2, %2 {rn}\n",
        "%9 = fsub.v32 %2, %2 {rn}\n", "%10 = and.v32 %2, 0x7fffffff\n%9 = fmul.v32 %10, %3 {rn}\n",
        "%10 = pack.v64 %4, %2\n%11 = fmul.v64 %10, %10 {rn}\n%9 = high.v32 %11\n"}) {
    EXPECT_EQ(ProductOfLeftLane(LoopOf("%30 = add.v32 %22, 1\n", product)), 0u) << product;
  }
  // 0 with the other sign.
  const char* const product = "%10 = xor.v32 %2, 0x80000000\n%9 = fmul.v32 %10, %3 {rn}\n";
  EXPECT_EQ(ProductOfLeftLane(LoopOf("%30 = add.v32 %22, 1\n", product)), 0x80000000);
}

// The lane's 9 stays, twice as much as a float: where lanes may come back, where only floats are
// left, and where denormals are zeros.
TEST(QuietLanes, OthersStay) {
  constexpr uint32_t kTwice = 18;
  const std::string integer = "%30 = add.v32 %22, 1\n";
  EXPECT_EQ(ProductOfLeftLane(LoopOf(integer, kProduct), /*gains_lanes=*/true), kTwice);
  for (const char* const left :
       {"%30 = fadd.v32 %22, %22 {rn}\n", "%30 = xor.v32 %22, 0x80000000\n",
        "%30 = select.v32 %20, 0x3f800000, %22\n"}) {
    EXPECT_EQ(ProductOfLeftLane(LoopOf(left, kProduct)), kTwice) << left;
  }
  // Other operations than arithmetic.
  EXPECT_EQ(ProductOfLeftLane(LoopOf(integer, "%9 = add.v32 %2, 9\n")), kTwice);
}

}  // namespace
}  // namespace gcnjit::ir
