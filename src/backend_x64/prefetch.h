// Asking for memory that will probably be accessed soon: by later waves, or by this one when it
// comes to the same block again.
#pragma once

#include <asmjit/x86.h>

#include <cstdint>
#include <optional>

#include "ir/function.h"

namespace gcnjit::backend {

// By how much a value is larger when its block runs the next time.
struct Advance {
  ir::Value scalar;  // an SGPR's value; none: 0
  int64_t constant = 0;
};
// Nothing: it is not known, or the value stays as it is.
std::optional<Advance> AdvanceOf(const ir::Function& function, const ir::Block& block, ir::Value v);

struct PrefetchPlan {
  // Of the address; `by` is a dword in memory, to be shifted, or there is none.
  bool is_known = false;
  asmjit::x86::Mem by = {};
  bool has_scalar = false;
  int shift = 0;
  int32_t constant = 0;
};

// The cache lines of the `bytes` at [rax] when the address has advanced; if it is not known how, of
// those some way behind: a wave that streams through memory is too short for the processor to look
// ahead by itself. Changes rcx.
void EmitPrefetch(asmjit::x86::Assembler& a, const PrefetchPlan& plan, int bytes, bool is_store);

}  // namespace gcnjit::backend
