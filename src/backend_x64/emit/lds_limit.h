// The bytes of LDS that an instruction may access: the allocation's, and no more than M0 says where
// that counts.
#pragma once

#include <asmjit/x86.h>

namespace gcnjit::backend {

struct LdsLimit {
  bool is_unlimited = true;  // but for the allocation
  asmjit::x86::Mem memory;   // of the limit, as a dword
};

// To ecx. Changes eax.
void EmitLdsLimit(asmjit::x86::Assembler& a, const LdsLimit& limit);
// To ecx, and to AccessBlock::limit for the runtime. Changes eax.
void EmitLdsLimitForRuntime(asmjit::x86::Assembler& a, const LdsLimit& limit);

}  // namespace gcnjit::backend
