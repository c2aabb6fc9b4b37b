// What a launch asks for, whatever runs it: arithmetic and memory traffic, counted in the
// interpreter.
#pragma once

#include <cstdint>
#include <string>

#include "cli/launch_request.h"
#include "isa/instruction.h"

namespace gcnjit::cli {

struct KernelWork {
  uint64_t groups = 0;
  uint64_t groups_counted = 0;     // the first ones
  uint64_t wave_instructions = 0;  // this and what follows: of the groups counted
  uint64_t vector_instructions = 0;
  uint64_t active_lanes = 0;  // of the vector instructions
  // An addition, a multiplication, a minimum or the like is one, a fused or unfused multiply-add
  // two, in f16, f32 and f64 alike; of lanes that EXEC enables. Conversions, comparisons and
  // scalings by powers of two are none, approximate functions one.
  uint64_t flops = 0;
  // By loads, stores and atomics other than those of LDS, of lanes that EXEC enables; scalar loads
  // once a wave. What they ask for: caches may have it, and scratch is in it.
  uint64_t bytes_read = 0;
  uint64_t bytes_written = 0;
};

// Flops of one lane of an instruction.
int FlopsOf(const frontend::OpcodeRow& row);

// Counts work-groups in ascending order until about `most_instructions` have been executed. A fault
// ends it early. Changes guest memory as the launch does.
Result<KernelWork> CountWork(LaunchRequest& request, const std::string& kernel,
                             uint64_t most_instructions);

}  // namespace gcnjit::cli
