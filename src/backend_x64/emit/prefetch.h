// Code that asks for memory before it is accessed (plan/prefetch_plan.h).
#pragma once

#include <asmjit/x86.h>

#include "backend_x64/plan/prefetch_plan.h"
#include "backend_x64/plan/tuning.h"

namespace gcnjit::backend {

// Memory that has a lookahead's values.
struct LookaheadMemory {
  asmjit::x86::Mem step = {};
  asmjit::x86::Mem lead = {};
  asmjit::x86::Mem lead_from = {};
};

// One line.
void EmitLineRequest(asmjit::x86::Assembler& a, const asmjit::x86::Mem& line, bool is_second_level,
                     bool is_store);

// The cache lines of what is ahead of the `bytes` at `from`, a register and an offset. Changes rcx.
void EmitPrefetch(asmjit::x86::Assembler& a, const Tuning& tuning, const Lookahead& lookahead,
                  const LookaheadMemory& memory, const asmjit::x86::Mem& from, int index_shift,
                  int bytes, bool is_store);

// To `in_caches` unless whole lines from rax on should go past the caches.
void EmitPastCachesCheck(asmjit::x86::Assembler& a, const asmjit::Label& in_caches);

}  // namespace gcnjit::backend
