#include "backend_x64/host/thunks.h"

#include <asmjit/x86.h>

#include <stdexcept>

#include "backend_x64/host/code_memory.h"
#include "backend_x64/host/new_code.h"
#include "backend_x64/host/perf_map.h"
#include "backend_x64/host/region_exit.h"

namespace gcnjit::backend {
namespace {

namespace x86 = asmjit::x86;

const x86::Gp kKept[] = {x86::rbx, x86::rbp, x86::r12, x86::r13, x86::r14, x86::r15};
const x86::Gp kClobbered[] = {x86::rcx, x86::rdx, x86::rsi, x86::rdi,
                              x86::r8,  x86::r9,  x86::r10, x86::r11};

template <typename F>
const std::byte* Assemble(const char* name, F emit) {
  NewCode code;
  NewAssembler a(code.holder());
  emit(a);
  std::string error;
  const std::byte* at = CodeMemory::Instance().Add(code.holder(), &error);
  if (at == nullptr) throw std::runtime_error("no memory for compiled code: " + error);
  if (PerfMap* const map = PerfMap::Instance()) map->Add(name, at, code.holder().codeSize());
  return at;
}

// Saves everything that a C++ function may change, but rax; calls [r12 + helper].
void EmitThunk(x86::Assembler& a, HostIsa isa, int32_t helper, bool scalar) {
  const bool wide = isa == HostIsa::kAvx512;
  const int vectors = wide ? 32 : 16;
  const int vector_bytes = wide ? 64 : 32;
  a.push(x86::rbp);
  for (const x86::Gp& reg : kClobbered) a.push(reg);
  a.mov(x86::rbp, x86::rsp);
  a.sub(x86::rsp, vectors * vector_bytes + (wide ? 64 : 0));
  a.and_(x86::rsp, -64);
  for (int n = 0; n < vectors; ++n) {
    const x86::Mem at = x86::ptr(x86::rsp, n * vector_bytes);
    if (wide) {
      a.vmovups(at, x86::zmm(n));
    } else {
      a.vmovups(at, x86::ymm(n));
    }
  }
  if (wide) {
    for (int n = 1; n < 8; ++n)
      a.kmovq(x86::ptr(x86::rsp, vectors * vector_bytes + n * 8), x86::k(n));
  }
  a.vzeroupper();
  if (scalar) {
    // (context, site, address, dwords)
    a.mov(x86::rdi, x86::r12);
    a.mov(x86::esi, x86::eax);
    a.mov(x86::r8, x86::rcx);
    a.mov(x86::ecx, x86::edx);
    a.mov(x86::rdx, x86::r8);
  } else {
    a.mov(x86::rdi, x86::r12);
    a.mov(x86::esi, x86::eax);
  }
  a.call(x86::qword_ptr(x86::r12, helper));
  for (int n = 0; n < vectors; ++n) {
    const x86::Mem at = x86::ptr(x86::rsp, n * vector_bytes);
    if (wide) {
      a.vmovups(x86::zmm(n), at);
    } else {
      a.vmovups(x86::ymm(n), at);
    }
  }
  if (wide) {
    for (int n = 1; n < 8; ++n)
      a.kmovq(x86::k(n), x86::ptr(x86::rsp, vectors * vector_bytes + n * 8));
  }
  a.mov(x86::rsp, x86::rbp);
  for (int n = 7; n >= 0; --n) a.pop(kClobbered[n]);
  a.pop(x86::rbp);
  a.ret();
}

Thunks MakeThunks(HostIsa isa) {
  Thunks thunks;
  const std::byte* const enter = Assemble("gcnjit:enter", [](x86::Assembler& a) {
    for (const x86::Gp& reg : kKept) a.push(reg);
    a.mov(x86::rbx, x86::rdi);
    a.mov(x86::r12, x86::rsi);
    a.mov(x86::rbp, x86::ptr(x86::r12, offsetof(RegionContext, region.slots)));
    a.jmp(x86::rdx);
  });
  // clang holds that a cast from const data to a function drops the const.
  thunks.enter = reinterpret_cast<RegionEntry>(const_cast<std::byte*>(enter));
  thunks.access_thunk = Assemble("gcnjit:access_thunk", [isa](x86::Assembler& a) {
    EmitThunk(a, isa, offsetof(RegionContext, helpers.access), /*scalar=*/false);
  });
  thunks.scalar_thunk = Assemble("gcnjit:scalar_thunk", [isa](x86::Assembler& a) {
    EmitThunk(a, isa, offsetof(RegionContext, helpers.scalar_load), /*scalar=*/true);
  });
  return thunks;
}

}  // namespace

void EmitLeave(asmjit::x86::Assembler& a) {
  a.vzeroupper();
  for (int n = 5; n >= 0; --n) a.pop(kKept[n]);
  a.ret();
}

const Thunks& ThunksFor(HostIsa isa) {
  static const Thunks avx2 = MakeThunks(HostIsa::kAvx2);
  if (isa == HostIsa::kAvx2) return avx2;
  static const Thunks avx512 = MakeThunks(HostIsa::kAvx512);
  return avx512;
}

}  // namespace gcnjit::backend
