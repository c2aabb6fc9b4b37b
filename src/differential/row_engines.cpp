#include "differential/row_engines.h"

#include <cstring>

namespace gcnjit::differential {

using runtime::WaveEvent;

RowEngines::RowEngines(Machine& machine, const Program& program, const CodeRanges& ranges,
                       runtime::CodeMap& code, const Engine& reference,
                       const std::vector<Engine>& tested)
    : machine_(machine), rows_(machine, program, ranges) {
  const Engine interpreter = InterpreterEngine();
  const Engine& first = reference.prepare_launch ? reference : interpreter;
  launch_reference_ = first.prepare_launch(code);
  for (const Engine& engine : tested) {
    launch_tested_.push_back(engine.prepare_launch ? engine.prepare_launch(code)
                                                   : LaunchFunction());
  }
}

void RowEngines::Run(const LaunchFunction& launch, const InitialState& initial, Outcome& outcome) {
  std::memcpy(machine_.memory().data(), initial.memory.data(), initial.memory.size());
  const LaunchResult result = rows_.Run(launch, outcome.threads);
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

std::string RowEngines::Case(const Engine& reference, const Engine& tested,
                             const InitialState& initial, unsigned threads) {
  std::memcpy(machine_.memory().data(), initial.memory.data(), initial.memory.size());
  return rows_.Case(reference, tested, threads);
}

}  // namespace gcnjit::differential
