// The engines of a comparison, prepared for a program that is launched: those that have launches.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "differential/engine.h"
#include "differential/machine.h"
#include "differential/outcome.h"
#include "differential/program.h"
#include "differential/registers.h"
#include "differential/row_launch.h"

namespace gcnjit::differential {

class RowEngines {
 public:
  // For the code of one program of Program::rows, which outlives this. A reference without
  // launches leaves them to the interpreter.
  RowEngines(Machine& machine, const Program& program, const CodeRanges& ranges,
             runtime::CodeMap& code, const Engine& reference, const std::vector<Engine>& tested);

  // On outcome.threads. All but memory goes to `outcome`; that is the machine's.
  void RunReference(const InitialState& initial, Outcome& outcome) {
    Run(launch_reference_, initial, outcome);
  }
  bool HasLaunches(size_t engine) const { return launch_tested_[engine] != nullptr; }
  void RunTested(size_t engine, const InitialState& initial, Outcome& outcome) {
    Run(launch_tested_[engine], initial, outcome);
  }
  // A file that repeats the launch in both engines.
  std::string Case(const Engine& reference, const Engine& tested, const InitialState& initial,
                   unsigned threads);

 private:
  void Run(const LaunchFunction& launch, const InitialState& initial, Outcome& outcome);

  Machine& machine_;
  RowLaunch rows_;
  LaunchFunction launch_reference_;
  std::vector<LaunchFunction> launch_tested_;  // by engine; empty: it has none
};

}  // namespace gcnjit::differential
