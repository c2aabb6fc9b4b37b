// What an engine leaves of a program, and whether it is what another one has left.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "differential/machine.h"
#include "differential/program.h"
#include "runtime/interpreter/wave.h"

namespace gcnjit::differential {

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

// The VGPRs that count: those that the program has, and a few above, where nothing may be written.
uint32_t ComparedVgprs(uint32_t vgpr_count);
std::span<const std::byte> AccVgprsOf(const runtime::WaveState& wave);

// Copies what the machine's memory holds now.
void KeepMemory(const Program& program, Machine& machine, Outcome& outcome);

// Where the second outcome differs; empty: nowhere. After a fault only the fault, PC and EXEC
// count: what the faulting instruction left undone is unspecified.
// Registers count if they are `exact` in the engine.
std::string Differences(const Outcome& expected, const Outcome& got, uint32_t vgpr_count,
                        bool exact, const Machine& machine);
// The same of the engine that has just left `got`, and the machine's memory as it is, which is kept
// only if it differs or there was a fault.
bool LeavesTheSame(const Program& program, const Outcome& expected, bool exact, Machine& machine,
                   Outcome& got);

}  // namespace gcnjit::differential
