// Runs a program in several engines from the same state and compares everything that a program can
// observe.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "differential/engine.h"
#include "differential/machine.h"
#include "differential/outcome.h"
#include "differential/program.h"
#include "differential/registers.h"
#include "differential/row_engines.h"
#include "differential/wave_engines.h"

namespace gcnjit::differential {

enum class Verdict : uint8_t {
  kSame,
  kDifferent,
  kUnfinished,  // the reference used up its budget: nothing to compare
};

// A reference and engines that are to do as it does, on one machine. Reuses all of its memory from
// program to program.
class Comparison {
 public:
  Comparison(Machine& machine, Engine reference, std::vector<Engine> tested)
      : machine_(machine), reference_(std::move(reference)), tested_(std::move(tested)) {}
  Comparison(Machine& machine, Engine reference, Engine tested)
      : Comparison(machine, std::move(reference), std::vector{std::move(tested)}) {}

  // From how many states Compare runs a program.
  void set_states(uint32_t states) { states_ = states; }
  uint32_t states() const { return states_; }
  // From all states in turn, in the same compiled code: what it learned from the first run, as
  // the memory that it may access, serves the next. The first verdict that is not kSame.
  Verdict Compare(const Program& program);
  // The same program from many states: its code is prepared once.
  void Load(const Program& program);
  Verdict CompareLoaded(const Program& program, const InitialState& initial);

  const Outcome& expected() const { return expected_; }
  // After kDifferent: the engines that differ, and what the first of them left.
  const std::vector<const Engine*>& differing() const { return differing_.engines; }
  const Outcome& got() const { return differing_.first; }
  uint32_t round() const { return round_; }  // the state that was compared last
  const std::vector<Engine>& tested() const { return tested_; }
  // As --engines takes them: "interp,avx2,avx512".
  std::string EngineNames() const;
  Machine& machine() { return machine_; }

  // How a failure is shown: differences, listing, state.
  std::string Report(const Program& program) const;
  // Of a launch that differs: a file for 'gcnjit diff --replay'.
  std::string LaunchCase();

 private:
  struct Differing {
    std::vector<const Engine*> engines;
    Outcome first;  // what the first of them left
  };

  Verdict CompareWaves(const Program& program, const InitialState& initial);
  Verdict CompareRows(const Program& program, const InitialState& initial);
  // Registers count if both engines keep all of them.
  bool IsExact(const Engine& engine) const {
    return !rows_ && engine.exact_registers && reference_.exact_registers;
  }
  // Has the engine that ran last left what the reference left?
  bool AsExpected(const Program& program, const Engine& engine);
  // It has not.
  void Differs(const Engine& engine);

  Machine& machine_;
  const Engine reference_;
  const std::vector<Engine> tested_;
  std::optional<runtime::CodeMap> code_;  // of the program that was loaded last
  std::optional<WaveEngines> waves_;      // for it, or:
  std::optional<RowEngines> rows_;
  InitialState initial_;
  uint32_t states_ = 3;
  uint32_t round_ = 0;
  Outcome expected_;
  Outcome latest_;  // of the engine that ran last
  Differing differing_;
};

}  // namespace gcnjit::differential
