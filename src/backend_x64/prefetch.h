// Asking for memory that later waves will probably access.
#pragma once

#include <asmjit/x86.h>

#include "ir/function.h"

namespace gcnjit::backend {

// Will an access at this address be elsewhere when its block runs the next time, further by what
// the block adds to a register? Then the processor sees by itself where the loop goes; asking for
// more costs a twentieth of sgemm with tiles in LDS.
bool Advances(const ir::Function& function, const ir::Block& block, ir::Value address);

// The cache lines some way behind the `bytes` at [rax]: a wave that streams through memory is too
// short for the processor to look ahead by itself.
void EmitPrefetch(asmjit::x86::Assembler& a, int bytes, bool is_store);

}  // namespace gcnjit::backend
