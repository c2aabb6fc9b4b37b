// Every row that has a lift_* function, in every encoding and with every operand class: lifted and
// evaluated on random states, it must leave what the interpreter leaves.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <xmmintrin.h>

#include <cstdlib>
#include <cstring>
#include <memory>
#include <set>

#include "../unit/frontend/wave_fixture.h"
#include "encoding/row_samples.h"
#include "frontend/disassembler.h"
#include "frontend/lift/lifter.h"
#include "lift/lifted_step.h"

namespace gcnjit::lift_tests {
namespace {

using frontend::Generation;
using frontend::OpcodeRow;
using runtime::CodeSlot;
using runtime::Wave;
using runtime::WaveEvent;
using runtime::WaveState;

// States an instruction is tried on; GCNJIT_LIFT_STATES for a longer dose.
int StatesEach() {
  const char* wanted = std::getenv("GCNJIT_LIFT_STATES");
  return wanted != nullptr ? std::atoi(wanted) : 4;
}

constexpr int kMaxReports = 40;

class Sweep {
 public:
  explicit Sweep(Generation generation) : generation_(generation), random_(generation_seed()) {
    dispatch_.memory = memory_.guest();
    dispatch_.generation = generation;
    dispatch_.scratch_base = memory_.arena();
    dispatch_.gds = memory_.gds();
    dispatch_.stop = &stop_;
    group_.lds = memory_.lds();
    group_.lds_bytes = frontend::TestMemory::kLdsBytes;
    group_.wave_count = 1;
  }

  void Run(const OpcodeRow& row) {
    std::set<encoding::Words> seen;
    for (const encoding::Words& words : encoding::RowSamples(generation_, row)) {
      const CodeSlot slot = runtime::DecodeSlot(generation_, words);
      if (slot.status != frontend::DecodeStatus::kOk || slot.instruction.opcode != row.opcode) {
        continue;
      }
      if (!seen.insert({words[0], slot.instruction.size > 4 ? words[1] : 0}).second) continue;
      ++samples_;
      const int states = StatesEach();
      for (int n = 0; n < states && reports_ < kMaxReports; ++n) Compare(slot, words);
    }
  }

  int runs() const { return runs_; }
  int samples() const { return samples_; }
  int faults() const { return faults_; }
  // Row and reason of what was left to the interpreter although there is a function.
  const std::set<std::string>& refusals() const { return refusals_; }

 private:
  uint64_t generation_seed() const { return 77 + static_cast<uint64_t>(generation_); }

  WaveEvent Interpret(WaveState& state, const CodeSlot& slot) {
    const uint32_t host_mxcsr = _mm_getcsr();
    Wave wave{state, group_, dispatch_};
    runtime::StepWave(wave, slot);
    _mm_setcsr(host_mxcsr);
    return wave.event;
  }

  void Compare(const CodeSlot& slot, const encoding::Words& words) {
    frontend::FillState(pool_, random_, *initial_);
    if (frontend::OneIn(random_, 4)) initial_->mode |= runtime::kModeFp16Overflow;
    frontend::PrepareOperands(slot.instruction, generation_, memory_, random_, *initial_);
    const Inactive inactive = frontend::OneIn(random_, 3) ? Inactive::kLost : Inactive::kKept;

    *lifted_ = *initial_;
    Wave wave{*lifted_, group_, dispatch_};
    const bool touches_memory =
        (slot.instruction.row().flags & (frontend::STORE | frontend::ATOMIC)) != 0;
    if (touches_memory) memory_.Reset();
    const std::string reason = StepLifted(wave, slot, inactive);
    if (!reason.empty()) {
      refusals_.insert(fmt::format("{}: {}", slot.instruction.row().id, reason));
      if (reason.starts_with(kMalformed)) Report(slot, words, reason);
      return;
    }
    std::vector<std::byte> contents;
    if (touches_memory) contents = memory_.Contents();

    *expected_ = *initial_;
    if (touches_memory) memory_.Reset();
    const WaveEvent event = Interpret(*expected_, slot);
    ++runs_;
    if (event != wave.event) {
      return Report(slot, words,
                    fmt::format("event {}, the interpreter's {}", static_cast<int>(wave.event),
                                static_cast<int>(event)));
    }
    if (event == WaveEvent::kFault) {  // what a faulting instruction has done is not promised
      ++faults_;
      return;
    }
    const std::string difference = Difference(inactive);
    if (!difference.empty()) return Report(slot, words, difference);
    if (touches_memory && contents != memory_.Contents()) Report(slot, words, "memory differs");
  }

  // The first one, in words.
  std::string Difference(Inactive inactive) const {
    const uint64_t exec = initial_->exec();
    for (int code = 0; code < 128; ++code) {
      if (lifted_->sgpr[code] != expected_->sgpr[code]) {
        return fmt::format("scalar register {}: {:#010x}, expected {:#010x}, was {:#010x}", code,
                           lifted_->sgpr[code], expected_->sgpr[code], initial_->sgpr[code]);
      }
    }
    if (lifted_->scc != expected_->scc) return fmt::format("SCC: {}", lifted_->scc);
    if (lifted_->mode != expected_->mode) return fmt::format("MODE: {:#x}", lifted_->mode);
    if (lifted_->pc != expected_->pc) return fmt::format("PC: {:#x}", lifted_->pc);
    for (int reg = 0; reg < runtime::kMaxVgprs; ++reg) {
      for (int lane = 0; lane < runtime::kLanes; ++lane) {
        if (inactive == Inactive::kLost && (exec >> lane & 1) == 0) continue;
        if (lifted_->vgpr[reg][lane] != expected_->vgpr[reg][lane]) {
          return fmt::format("v{} lane {}: {:#010x}, expected {:#010x}, was {:#010x}", reg, lane,
                             lifted_->vgpr[reg][lane], expected_->vgpr[reg][lane],
                             initial_->vgpr[reg][lane]);
        }
      }
    }
    return {};
  }

  void Report(const CodeSlot& slot, const encoding::Words& words, const std::string& what) {
    if (++reports_ > kMaxReports) return;
    std::string sources;
    for (const frontend::Operand& operand : slot.instruction.src) {
      if (operand.kind == frontend::OperandKind::kVector) {
        sources += fmt::format(" v{} {:#010x}", operand.index, initial_->vgpr[operand.index][0]);
      } else if (operand.kind == frontend::OperandKind::kScalar) {
        sources += fmt::format(" code {} {:#010x}", operand.index, initial_->sgpr[operand.index]);
      }
    }
    ADD_FAILURE() << fmt::format(
        "{} [{:08x} {:08x}] on {}: {}\n  EXEC {:#018x} MODE {:#x}; lane 0:{}",
        frontend::Disassemble(generation_, slot.instruction), words[0], words[1],
        frontend::TargetName(generation_), what, initial_->exec(), initial_->mode, sources);
  }

  const Generation generation_;
  frontend::Random random_;
  const frontend::DwordPool pool_;
  frontend::TestMemory memory_;
  runtime::DispatchState dispatch_;
  runtime::WorkgroupState group_;
  std::atomic<bool> stop_{false};
  const std::unique_ptr<WaveState> initial_ = std::make_unique<WaveState>();
  const std::unique_ptr<WaveState> lifted_ = std::make_unique<WaveState>();
  const std::unique_ptr<WaveState> expected_ = std::make_unique<WaveState>();
  std::set<std::string> refusals_;
  int runs_ = 0;
  int samples_ = 0;
  int faults_ = 0;
  int reports_ = 0;
};

class LiftSweep : public testing::TestWithParam<Generation> {};

// GCNJIT_LIFT_ROWS=V_ADD: only rows whose id begins with that.
TEST_P(LiftSweep, LeavesWhatTheInterpreterLeaves) {
  const char* prefix = std::getenv("GCNJIT_LIFT_ROWS");
  Sweep sweep(GetParam());
  int rows = 0;
  for (int n = 0; n < frontend::kOpcodeCount; ++n) {
    const OpcodeRow& row = frontend::RowOf(n);
    if (!row.ExistsOn(GetParam()) || row.refusal != nullptr) continue;
    if (frontend::LiftFunctionOf(row.opcode) == nullptr) continue;
    if (prefix != nullptr && !std::string_view(row.id).starts_with(prefix)) continue;
    ++rows;
    sweep.Run(row);
  }
  EXPECT_GT(rows, 0);
  EXPECT_GT(sweep.runs(), rows);
  fmt::print("{}: {} rows, {} instructions, {} executed, {} of them faulted\n",
             frontend::TargetName(GetParam()), rows, sweep.samples(), sweep.runs(), sweep.faults());
  for (const std::string& refusal : sweep.refusals()) fmt::print("  refused: {}\n", refusal);
}

INSTANTIATE_TEST_SUITE_P(Lift, LiftSweep, testing::ValuesIn(frontend::kGenerations),
                         [](const testing::TestParamInfo<Generation>& info) {
                           return frontend::TargetName(info.param);
                         });

}  // namespace
}  // namespace gcnjit::lift_tests
