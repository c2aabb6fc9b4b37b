// The way out of compiled code.
#pragma once

#include <asmjit/x86.h>

namespace gcnjit::backend {

// With the exit reason in eax.
void EmitLeave(asmjit::x86::Assembler& a);

}  // namespace gcnjit::backend
