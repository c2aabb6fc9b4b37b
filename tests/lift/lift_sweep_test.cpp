// Every row that has a lift_* function, in every encoding and with every operand class: lifted and
// evaluated on random states, it must leave what the interpreter leaves.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "frontend/disassemble/disassembler.h"
#include "lift/lift_machine.h"

namespace gcnjit::lift_tests {
namespace {

using frontend::Generation;
using frontend::OpcodeRow;
using runtime::CodeSlot;

constexpr int kMaxSweepReports = 40;

// States that an instruction is tried on; GCNJIT_LIFT_STATES for a longer dose.
int StatesEach() {
  const char* wanted = std::getenv("GCNJIT_LIFT_STATES");
  return wanted != nullptr ? std::atoi(wanted) : 3;
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
      for (int state = 0; state < StatesEach() && reports < kMaxSweepReports; ++state) {
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

// Rows that do the same, or differ in what random states do not show.
bool MayPassFor(const OpcodeRow& row, const OpcodeRow& other) {
  using enum frontend::Opcode;
  using Pair = std::pair<frontend::Opcode, frontend::Opcode>;
  // Integer overflow flags, which nothing reads; moves that differ in what their operands may be.
  static const std::set<Pair> kSame = {{V_RCP_IFLAG_F32, V_RCP_F32},
                                       {V_ACCVGPR_WRITE_B32, V_ACCVGPR_READ_B32}};
  return kSame.contains({row.opcode, other.opcode});
}

// The sweep can fail: with the function of the row before in the table it does.
TEST_P(LiftSweep, NoticesTheFunctionOfAnotherRow) {
  constexpr int kMaxStates = 8;
  LiftMachine machine(GetParam());
  const OpcodeRow* previous = nullptr;
  int planted = 0;
  const auto notices = [&](const OpcodeRow& row, frontend::LiftFn function) {
    const std::vector<CodeSlot> slots = DecodedSamples(GetParam(), row);
    for (int state = 0; state < kMaxStates; ++state) {
      for (const CodeSlot& slot : slots) {
        std::string refusal;
        if (!machine.Compare({&slot, 1}, refusal, function).empty()) return true;
      }
    }
    return false;
  };
  for (int n = 0; n < frontend::kOpcodeCount; ++n) {
    const OpcodeRow& row = frontend::RowOf(n);
    if (!IsLifted(GetParam(), row)) continue;
    const OpcodeRow* other = previous;
    previous = &row;
    // Functions that expect other operands may do anything.
    if (other == nullptr || other->dst != row.dst || other->src != row.src ||
        row.dst == frontend::OperandType::NONE || MayPassFor(row, *other)) {
      continue;
    }
    ++planted;
    EXPECT_TRUE(notices(row, frontend::LiftFunctionOf(other->opcode)))
        << row.id << " lifted as " << other->id;
  }
  EXPECT_GT(planted, 200);
  fmt::print("{}: {} planted\n", frontend::TargetName(GetParam()), planted);
}

INSTANTIATE_TEST_SUITE_P(Lift, LiftSweep, testing::ValuesIn(frontend::kGenerations),
                         [](const testing::TestParamInfo<Generation>& info) {
                           return frontend::TargetName(info.param);
                         });

}  // namespace
}  // namespace gcnjit::lift_tests
