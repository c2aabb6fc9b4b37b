// The engines of a comparison, prepared for a program that is a single wave.
#pragma once

#include <cstddef>
#include <vector>

#include "differential/engine.h"
#include "differential/machine.h"
#include "differential/outcome.h"
#include "differential/program.h"
#include "differential/registers.h"

namespace gcnjit::differential {

class WaveEngines {
 public:
  // For the code of one program, which outlives this.
  WaveEngines(Machine& machine, runtime::CodeMap& code, const Engine& reference,
              const std::vector<Engine>& tested);

  // All but memory goes to `outcome`; that is the machine's.
  void RunReference(const Program& program, const InitialState& initial, Outcome& outcome) {
    Run(run_reference_, program, initial, outcome);
  }
  void RunTested(size_t engine, const Program& program, const InitialState& initial,
                 Outcome& outcome) {
    Run(run_tested_[engine], program, initial, outcome);
  }

 private:
  void Run(const RunFunction& run, const Program& program, const InitialState& initial,
           Outcome& outcome);

  Machine& machine_;
  RunFunction run_reference_;
  std::vector<RunFunction> run_tested_;  // by engine
};

}  // namespace gcnjit::differential
