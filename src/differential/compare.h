// Runs a program in several engines from the same state and compares everything that a program can
// observe.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "differential/engine.h"
#include "differential/machine.h"
#include "differential/program.h"
#include "differential/registers.h"
#include "differential/row_launch.h"

namespace gcnjit::differential {

// What an engine leaves.
struct Outcome {
  runtime::WaveState wave;
  std::vector<std::byte> memory;
  std::vector<std::byte> lds;
  std::vector<std::byte> gds;
  runtime::WaveEvent event = runtime::WaveEvent::kNone;
  runtime::PendingFault fault;
  uint64_t executed = 0;
  bool mxcsr_kept = true;  // the host's own
  unsigned threads = 1;    // of the host, that ran a launch
};

enum class Verdict : uint8_t {
  kSame,
  kDifferent,
  kUnfinished,  // the reference used up its budget: nothing to compare
};

// Where the second outcome differs; empty: nowhere. After a fault only the fault, PC and EXEC
// count: what the faulting instruction left undone is unspecified.
// Registers count if they are `exact` in the engine.
std::string Differences(const Outcome& expected, const Outcome& got, uint32_t vgpr_count,
                        bool exact, const Machine& machine);

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
  const std::vector<const Engine*>& differing() const { return differing_; }
  const Outcome& got() const { return got_; }
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
  void Run(const RunFunction& run, const InitialState& initial, const Program& program,
           Outcome& outcome);
  // Copies what the machine's memory holds now.
  void KeepMemory(const Program& program, Outcome& outcome);
  // The same for a program of Program::rows, in engines that have launches.
  void LoadRows(const Program& program, const CodeRanges& code);
  Verdict CompareRows(const Program& program, const InitialState& initial);
  // On outcome.threads.
  void RunRows(const LaunchFunction& launch, const InitialState& initial, Outcome& outcome);
  // Registers count if both engines keep all of them.
  bool IsExact(const Engine& engine) const {
    return rows_ == nullptr && engine.exact_registers && reference_.exact_registers;
  }
  // The engine has just left `outcome`, and the machine's memory as it is: did both end without a
  // fault and leave the same?
  bool EndsAlike(const Program& program, const Engine& engine, const Outcome& outcome);
  // The same with faults. Keeps the memory if it differs.
  bool IsSame(const Program& program, const Engine& engine, Outcome& outcome);

  Machine& machine_;
  const Engine reference_;
  const std::vector<Engine> tested_;
  std::optional<runtime::CodeMap> code_;  // of the program that was loaded last
  RunFunction run_reference_;
  std::vector<RunFunction> run_tested_;  // by engine
  std::unique_ptr<RowLaunch> rows_;      // null: the program is a wave
  LaunchFunction launch_reference_;
  std::vector<LaunchFunction> launch_tested_;  // by engine; empty: it has none
  InitialState initial_;
  uint32_t states_ = 3;
  uint32_t round_ = 0;
  Outcome expected_;
  Outcome got_;
  Outcome latest_;  // of the engine that ran last
  std::vector<const Engine*> differing_;
};

}  // namespace gcnjit::differential
