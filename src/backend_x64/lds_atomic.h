// LDS atomics that one host instruction does: lane by lane in place, which is cheaper than calling
// the runtime. Waves of a group share a host thread, so the host's instruction need not be atomic.
#pragma once

#include <asmjit/x86.h>

#include <cstdint>
#include <optional>

#include "ir/types.h"

namespace gcnjit::backend {

// The instruction; nothing if the runtime does this one.
std::optional<uint32_t> LdsAtomicInstruction(const ir::MemoryAccess& access, bool returns);

// Does it for the lanes of edx, at the LDS addresses in AccessBlock::low with the operands in
// AccessBlock::data, to which old values go if it returns them. Changes rax, rcx and rdx.
void EmitLdsAtomicLanes(asmjit::x86::Assembler& a, uint32_t instruction, bool returns);

}  // namespace gcnjit::backend
