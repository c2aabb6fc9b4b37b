#include "backend_x64/lds_atomic.h"

#include "backend_x64/abi.h"

namespace gcnjit::backend {

namespace x86 = asmjit::x86;

std::optional<uint32_t> LdsAtomicInstruction(const ir::MemoryAccess& access, bool returns) {
  using ir::AtomicOp;
  if (access.bytes != 4) return std::nullopt;
  if (access.atomic == AtomicOp::kAdd) return returns ? x86::Inst::kIdXadd : x86::Inst::kIdAdd;
  if (returns) return std::nullopt;
  switch (access.atomic) {
    case AtomicOp::kSub: return x86::Inst::kIdSub;
    case AtomicOp::kAnd: return x86::Inst::kIdAnd;
    case AtomicOp::kOr: return x86::Inst::kIdOr;
    case AtomicOp::kXor: return x86::Inst::kIdXor;
    default: return std::nullopt;
  }
}

void EmitLdsAtomicLanes(x86::Assembler& a, uint32_t instruction, bool returns) {
  const auto lane_dword = [](size_t array, const x86::Gp& lane) {
    return x86::dword_ptr(x86::r12, lane, 2,
                          static_cast<int32_t>(offsetof(RegionContext, access) + array));
  };
  const asmjit::Label loop = a.newLabel();
  const asmjit::Label end = a.newLabel();
  a.test(x86::edx, x86::edx);
  a.jz(end);
  a.bind(loop);
  a.tzcnt(x86::eax, x86::edx);
  a.mov(x86::ecx, lane_dword(offsetof(AccessBlock, low), x86::rax));
  a.mov(x86::eax, lane_dword(offsetof(AccessBlock, data), x86::rax));
  a.add(x86::rcx, x86::ptr(x86::r12, offsetof(RegionContext, lds)));
  a.emit(instruction, x86::dword_ptr(x86::rcx), x86::eax);
  if (returns) {
    a.tzcnt(x86::ecx, x86::edx);
    a.mov(lane_dword(offsetof(AccessBlock, data), x86::rcx), x86::eax);
  }
  a.blsr(x86::edx, x86::edx);
  a.jnz(loop);
  a.bind(end);
}

}  // namespace gcnjit::backend
