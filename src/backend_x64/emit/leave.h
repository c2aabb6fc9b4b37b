// How code leaves a region.
#pragma once

#include "backend_x64/emit/region_assembler.h"

namespace gcnjit::backend {

// The wave's PC. Changes rax.
inline void EmitSetPc(RegionAssembler& region, uint64_t pc) {
  region.a.mov(x86::rax, pc - region.options.code_base);
  region.a.add(x86::rax, x86::ptr(x86::r12, offsetof(RegionContext, region.code_base)));
  region.a.mov(x86::ptr(x86::rbx, region.options.layout.pc), x86::rax);
}

inline void EmitLeaveFor(RegionAssembler& region, ir::ExitReason reason) {
  region.a.mov(x86::eax, static_cast<uint32_t>(reason));
  region.a.jmp(region.exit);
}

// Flags: below, where the wave may go on (TurnCount::budget). Changes rax.
inline void EmitCompareBudget(RegionAssembler& region) {
  region.a.mov(x86::rax, x86::ptr(x86::r12, offsetof(RegionContext, turn.executed)));
  region.a.cmp(x86::rax, x86::ptr(x86::r12, offsetof(RegionContext, turn.budget)));
}

}  // namespace gcnjit::backend
