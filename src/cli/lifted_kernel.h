// A kernel as the JIT lifts it, for the listings of gcnjit disasm.
#pragma once

#include <span>
#include <string>

#include "frontend/code_object/code_object.h"
#include "frontend/lift/lift_code.h"
#include "ir/printer.h"

namespace gcnjit::cli {

// The guest's instructions by address; refers to `lifted`.
ir::GuestComment DisassemblyOf(const frontend::LiftedCode& lifted);
// What was left to the interpreter, a comment line each.
std::string InterpretedText(const frontend::LiftedCode& lifted);

// The code reachable from the kernel's entry, under the MODE that it starts with.
frontend::LiftedCode LiftKernel(const frontend::CodeObject& object, const frontend::Kernel& kernel,
                                std::span<const frontend::ReadableMemory> readable = {});

// The code reachable from `entry`. What lies outside of `code` may read every register; `exact`:
// every register may also be read after s_endpgm.
frontend::LiftedCode LiftAll(const frontend::LiftTarget& target, const frontend::CodeBytes& code,
                             uint64_t entry, bool exact,
                             std::span<const frontend::ReadableMemory> readable = {});

}  // namespace gcnjit::cli
