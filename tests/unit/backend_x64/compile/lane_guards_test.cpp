// Guards of kernels: where the compares' scalars come from.
#include "backend_x64/compile/lane_guards.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "ir/parser.h"
#include "ir/printer.h"
#include "ir/verifier.h"

namespace gcnjit::backend {
namespace {

constexpr int kGuardedDwords = 16;

// `id < bound`, where the bound is any dword of a load, and dword 2 is added to the id. All are
// read.
std::string GuardOf(int bound) {
  std::string text =
      "block 0x0 instructions=1\nguest 0 0x0\n%1 = get_sgpr64.u64 s4\n%2 = lane_id.v32\n"
      "%10 = load_scalar.u32 %1 {dwords=" +
      std::to_string(kGuardedDwords) + "}\n";
  for (int n = 1; n < kGuardedDwords; ++n) {
    text += "%" + std::to_string(10 + n) + " = part.u32 %10 {dword=" + std::to_string(n) + "}\n";
  }
  for (int n = 0; n < kGuardedDwords; ++n) {
    text += "set_sgpr s" + std::to_string(16 + n) + ", %" + std::to_string(10 + n) + "\n";
  }
  return text + "%30 = add.v32 %12, %2\n%31 = lt_u.u64 %30, %" + std::to_string(10 + bound) +
         "\nset_sgpr64 s126, %31\nexit end, 0x4\n";
}

// A load's parts are right after it: a guard between them would read a dword that is not there yet.
TEST(LaneGuards, LeaveALoadAndItsPartsTogether) {
  for (int bound = 0; bound < kGuardedDwords; ++bound) {
    ir::ParseResult parsed = ir::Parse(GuardOf(bound));
    ASSERT_FALSE(parsed.error) << parsed.error->line << ": " << parsed.error->message;
    ASSERT_TRUE(AssumeLaneGuards(parsed.function)) << "dword " << bound;
    EXPECT_EQ(ir::Verify(parsed.function), std::vector<std::string>{})
        << "dword " << bound << '\n'
        << ir::Print(parsed.function);
  }
}

}  // namespace
}  // namespace gcnjit::backend
