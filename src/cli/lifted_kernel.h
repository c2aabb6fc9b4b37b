// A kernel as the JIT lifts it, for the listings of gcnjit disasm.
#pragma once

#include <string>

#include "frontend/code_object/code_object.h"
#include "frontend/lift/lift_region.h"
#include "ir/printer.h"

namespace gcnjit::cli {

struct LiftedKernel {
  frontend::LiftTarget target;
  frontend::ControlFlowGraph graph;
  frontend::LiftStatistics statistics;
  ir::Function function;  // not optimised

  // The guest's instructions by address; refers to this.
  ir::GuestComment Disassembly() const;
  // What was left to the interpreter, a comment line each.
  std::string InterpretedText() const;
};

// The code reachable from the kernel's entry, under the MODE that it starts with.
LiftedKernel LiftKernel(const frontend::CodeObject& object, const frontend::Kernel& kernel);

// The code reachable from `entry`. What lies outside of `code` may read every register; `exact`: so
// may whoever looks at the wave after s_endpgm.
LiftedKernel LiftCode(const frontend::LiftTarget& target, const frontend::CodeBytes& code,
                      uint64_t entry, bool exact);

}  // namespace gcnjit::cli
