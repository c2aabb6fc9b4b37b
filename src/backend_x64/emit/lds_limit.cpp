#include "backend_x64/emit/lds_limit.h"

#include "backend_x64/abi/region_abi.h"

namespace gcnjit::backend {

namespace x86 = asmjit::x86;

void EmitLdsLimit(x86::Assembler& a, const LdsLimit& limit) {
  a.mov(x86::ecx, x86::dword_ptr(x86::r12, offsetof(RegionContext, lds.bytes)));
  if (!limit.is_unlimited) {
    x86::Mem memory = limit.memory;
    memory.setSize(4);
    a.mov(x86::eax, memory);
    a.cmp(x86::ecx, x86::eax);
    a.cmova(x86::ecx, x86::eax);
  }
}

void EmitLdsLimitForRuntime(x86::Assembler& a, const LdsLimit& limit) {
  EmitLdsLimit(a, limit);
  a.mov(x86::ptr(x86::r12, offsetof(RegionContext, transfer.access) + offsetof(AccessBlock, limit)),
        x86::ecx);
}

}  // namespace gcnjit::backend
