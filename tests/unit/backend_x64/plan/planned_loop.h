// Blocks that may be loops, from text, and what is planned for them.
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "backend_x64/plan/loops.h"
#include "backend_x64/plan/repeated_parts.h"
#include "backend_x64/plan/stages.h"
#include "ir/parser.h"
#include "ir/verifier.h"

namespace gcnjit::backend::loop_plan_tests {

enum class Kind { kNone, kUniform, kUntilNoLane };

inline void PrintTo(Kind kind, std::ostream* out) {
  constexpr const char* kNames[] = {"no such loop", "uniform", "until no lane"};
  *out << kNames[static_cast<int>(kind)];
}

struct Planned {
  ir::Function function;
  StagePlan plan;
};

inline constexpr int64_t kNoVgpr = 256;

// VGPRs from `repeating` on hold values that repeat themselves, and have these part bits. Four
// registers are the wave's, or half of it. `step`: of all VGPRs.
inline Planned PlanOf(const std::string& lines, int64_t repeating = kNoVgpr, uint8_t bits = 0,
                      int lanes_per_register = 16, const RegisterCounts& registers = {26, 6, 6},
                      LoopAccesses accesses = LoopAccesses::kAny,
                      LaneStep step = LaneStep::kUnknown) {
  ir::ParseResult parsed = ir::Parse("block 0x0 instructions=1\nguest 0 0x0\n" + lines);
  if (parsed.error) {
    ADD_FAILURE() << parsed.error->line << ": " << parsed.error->message << '\n' << lines;
    return {};
  }
  const auto messages = ir::Verify(parsed.function);
  if (!messages.empty()) {
    ADD_FAILURE() << messages.front() << '\n' << lines;
    return {};
  }
  Planned planned{std::move(parsed.function), {}};
  std::vector<uint8_t> part_bits(planned.function.insts.size(), kAllPartBits);
  for (size_t id = 0; id < part_bits.size(); ++id) {
    const ir::Inst& inst = planned.function.insts[id];
    if (inst.op == ir::Op::kGetVgpr && inst.imm >= repeating) part_bits[id] = bits;
  }
  planned.plan = PlanStages(
      planned.function, planned.function.blocks[0], lanes_per_register, registers, part_bits,
      FindWanted(planned.function, planned.function.blocks[0], lanes_per_register),
      std::vector<LaneStep>(planned.function.insts.size(), step), accesses);
  return planned;
}

inline Kind KindOf(const std::string& lines) {
  const Planned planned = PlanOf(lines);
  if (!planned.plan.loop) return Kind::kNone;
  return planned.plan.loop->until_no_lane ? Kind::kUntilNoLane : Kind::kUniform;
}

// s0 counts down; %2 is its old value, %4 its new one, %1 is v0.
inline std::string Counting(const std::string& body, const std::string& sets = "",
                            const std::string& end = "branch %5, 0x0, 0x4\n") {
  return "%1 = get_vgpr.v32 v0\n%2 = get_sgpr.u32 s0\n%3 = add.v32 %1, %2\n%4 = sub.u32 %2, 1\n" +
         body + "set_vgpr v0, %3\nset_sgpr s0, %4\n" + sets + "%5 = ne.u1 %4, 0\n" + end;
}

// Lanes leave when v0 reaches 10; %1 is EXEC, %2 is v0, %3 its next value, %5 the next EXEC.
inline std::string Leaving(const std::string& body, const std::string& sets = "",
                           const std::string& end = "%6 = ne.u1 %5, 0:u64\nbranch %6, 0x0, 0x4\n") {
  return "%1 = get_sgpr64.u64 s126\n%2 = get_vgpr.v32 v0\n%3 = add.v32 %2, 1\n"
         "%4 = lt_u.u64 %3, 10\n%5 = and.u64 %1, %4\n" +
         body + "set_vgpr v0, %3 {active}\nset_sgpr64 s126, %5\n" + sets + end;
}

}  // namespace gcnjit::backend::loop_plan_tests
