// Asking for memory that later waves will probably access.
#pragma once

#include <asmjit/x86.h>

namespace gcnjit::backend {

// The cache lines of the `bytes` some way behind [rax]: a wave that streams through memory is too
// short for the processor to look ahead by itself.
void EmitPrefetch(asmjit::x86::Assembler& a, int bytes, bool is_store);

}  // namespace gcnjit::backend
