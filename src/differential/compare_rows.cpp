// Comparison of programs that are launched.
#include <algorithm>
#include <cstring>
#include <utility>

#include "differential/compare.h"

namespace gcnjit::differential {

using runtime::WaveEvent;

void Comparison::LoadRows(const Program& program, const CodeRanges& code) {
  rows_ = std::make_unique<RowLaunch>(machine_, program, code);
  const Engine interpreter = InterpreterEngine();
  const Engine& reference = reference_.prepare_launch ? reference_ : interpreter;
  launch_reference_ = reference.prepare_launch(*code_);
  for (const Engine& engine : tested_) {
    launch_tested_.push_back(engine.prepare_launch ? engine.prepare_launch(*code_)
                                                   : LaunchFunction());
  }
}

void Comparison::RunRows(const LaunchFunction& launch, const InitialState& initial,
                         Outcome& outcome) {
  std::memcpy(machine_.memory().data(), initial.memory.data(), initial.memory.size());
  const LaunchResult result = rows_->Run(launch, outcome.threads);
  outcome.event = WaveEvent::kNone;
  if (result.status == LaunchStatus::kDone) outcome.event = WaveEvent::kEnd;
  outcome.executed = result.statistics.wave_instructions;
  outcome.fault = {};
  outcome.wave.pc = 0;
  outcome.wave.SetPair(frontend::kCodeExecLo, 0);
  if (!result.fault) return;
  const FaultReport& fault = *result.fault;
  outcome.event = WaveEvent::kFault;
  outcome.fault = {fault.kind, fault.lane, fault.address, fault.access_bytes, fault.detail};
  outcome.wave.pc = fault.pc;
  outcome.wave.SetPair(frontend::kCodeExecLo, fault.exec);
}

Verdict Comparison::CompareRows(const Program& program, const InitialState& initial) {
  RunRows(launch_reference_, initial, expected_);
  if (expected_.event == WaveEvent::kNone) return Verdict::kUnfinished;
  KeepMemory(program, expected_);
  differing_.clear();
  std::vector<unsigned> threads = {1};
  // Other threads take their time to come: from one state is enough.
  if (program.rows.is_orderly && (program.seed + round_) % 3 == 0) {
    threads.push_back(2 + program.seed % 2);
  }
  // What several threads compile and learn at the same time is another matter.
  if (program.seed % 4 < 2) std::ranges::reverse(threads);
  for (size_t n = 0; n < tested_.size(); ++n) {
    if (!launch_tested_[n]) continue;
    for (const unsigned count : threads) {
      latest_.threads = count;
      RunRows(launch_tested_[n], initial, latest_);
      // Of several faults any may be the one that ends it.
      const bool both_fault =
          expected_.event == WaveEvent::kFault && latest_.event == WaveEvent::kFault;
      if ((both_fault && count > 1) || IsSame(program, tested_[n], latest_)) continue;
      if (differing_.empty()) std::swap(got_, latest_);
      differing_.push_back(&tested_[n]);
      break;
    }
  }
  return differing_.empty() ? Verdict::kSame : Verdict::kDifferent;
}

std::string Comparison::LaunchCase() {
  std::memcpy(machine_.memory().data(), initial_.memory.data(), initial_.memory.size());
  return rows_->Case(reference_, *differing_.front(), got_.threads);
}

}  // namespace gcnjit::differential
