// Every row that has a lift_* function, in every encoding and with every operand class: lifted and
// evaluated on random states, it must leave what the interpreter leaves.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <map>
#include <set>
#include <string>
#include <string_view>

#include "frontend/disassembler.h"
#include "lift/lift_machine.h"

namespace gcnjit::lift_tests {
namespace {

using frontend::Generation;
using frontend::OpcodeRow;
using runtime::CodeSlot;

constexpr int kMaxReports = 40;

// States that an instruction is tried on; GCNJIT_LIFT_STATES for a longer dose.
int StatesEach() {
  const char* wanted = std::getenv("GCNJIT_LIFT_STATES");
  return wanted != nullptr ? std::atoi(wanted) : 4;
}

// GCNJIT_LIFT_ROWS=V_ADD: only rows whose id begins with that.
bool IsWanted(const OpcodeRow& row) {
  const char* prefix = std::getenv("GCNJIT_LIFT_ROWS");
  return prefix == nullptr || std::string_view(row.id).starts_with(prefix);
}

class LiftSweep : public testing::TestWithParam<Generation> {};

TEST_P(LiftSweep, LeavesWhatTheInterpreterLeaves) {
  LiftMachine machine(GetParam());
  std::set<std::string> refusals;
  int rows = 0;
  int samples = 0;
  int reports = 0;
  for (int n = 0; n < frontend::kOpcodeCount; ++n) {
    const OpcodeRow& row = frontend::RowOf(n);
    if (!IsLifted(GetParam(), row) || !IsWanted(row)) continue;
    ++rows;
    for (const CodeSlot& slot : DecodedSamples(GetParam(), row)) {
      ++samples;
      for (int state = 0; state < StatesEach() && reports < kMaxReports; ++state) {
        std::string refusal;
        const std::string difference = machine.Compare({&slot, 1}, refusal);
        if (!refusal.empty()) refusals.insert(fmt::format("{}: {}", row.id, refusal));
        if (difference.empty()) continue;
        ++reports;
        ADD_FAILURE() << fmt::format("{}: {}\n  {}",
                                     frontend::Disassemble(GetParam(), slot.instruction),
                                     difference, machine.InitialState(slot.instruction));
      }
    }
  }
  const LiftMachine::Counts& counts = machine.counts();
  EXPECT_GT(counts.executed, rows);
  fmt::print("{}: {} rows, {} instructions, {} executed, {} of them faulted\n",
             frontend::TargetName(GetParam()), rows, samples, counts.executed, counts.faulted);
  for (const std::string& refusal : refusals) fmt::print("  refused: {}\n", refusal);
}

// The sweep can fail: with the function of the row's neighbour in the table it does, unless the two
// do the same.
TEST_P(LiftSweep, NoticesTheFunctionOfAnotherRow) {
  LiftMachine machine(GetParam());
  const OpcodeRow* previous = nullptr;
  int planted = 0;
  std::string missed;
  for (int n = 0; n < frontend::kOpcodeCount; ++n) {
    const OpcodeRow& row = frontend::RowOf(n);
    if (!IsLifted(GetParam(), row)) continue;
    const OpcodeRow* other = previous;
    previous = &row;
    // Functions that expect other operands may do anything.
    if (other == nullptr || other->dst != row.dst || other->src != row.src ||
        row.dst == frontend::OperandType::NONE) {
      continue;
    }
    ++planted;
    bool noticed = false;
    for (const CodeSlot& slot : DecodedSamples(GetParam(), row)) {
      std::string refusal;
      noticed =
          !machine.Compare({&slot, 1}, refusal, frontend::LiftFunctionOf(other->opcode)).empty();
      if (noticed) break;
    }
    if (!noticed) missed += fmt::format("{} by {}; ", row.id, other->id);
  }
  EXPECT_GT(planted, 100);
  fmt::print("{}: {} planted; not noticed: {}\n", frontend::TargetName(GetParam()), planted,
             missed);
}

INSTANTIATE_TEST_SUITE_P(Lift, LiftSweep, testing::ValuesIn(frontend::kGenerations),
                         [](const testing::TestParamInfo<Generation>& info) {
                           return frontend::TargetName(info.param);
                         });

}  // namespace
}  // namespace gcnjit::lift_tests
