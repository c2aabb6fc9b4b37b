// Atomics of a part, 16 lanes, done in place: in LDS within its limit, in guest memory within the
// window that the instruction used last. Anything else goes to the runtime.
//
// Most of an atomic's code is a routine, one in a region for all atomics of a kind: scratch 0 holds
// the addresses (of guest memory their low dwords), mask scratch 0 the lanes. It leaves the lanes
// that it did there, or sets CF and has done nothing.
#include "backend_x64/isa/avx512/atomic.h"

namespace gcnjit::backend::avx512 {

using ir::Inst;

namespace {

x86::Mem Offsets() {
  return x86::ptr(x86::r12, offsetof(RegionContext, transfer.access) + offsetof(AccessBlock, low));
}
x86::Mem Data(int n) {
  return x86::ptr(
      x86::r12,
      static_cast<int32_t>(offsetof(RegionContext, transfer.access) + offsetof(AccessBlock, data) +
                           static_cast<size_t>(n) * sizeof(AccessBlock::data[0])));
}

void EmitAlignmentCheck(RegionAssembler& region, const LaneAtomic& code,
                        const asmjit::Label& fail) {
  x86::Assembler& a = region.a;
  a.k(K(kM0)).vptestmd(K(kM1), Z(kT0), region.constants.Broadcast32(code.bytes() - 1)._1to16());
  a.kortestw(K(kM1), K(kM1));
  a.jnz(fail);
}

// ecx: the limit.
void EmitLdsRoutine(RegionAssembler& region, LaneAtomic code) {
  x86::Assembler& a = region.a;
  const asmjit::Label fail = a.newLabel();
  const asmjit::Label some = a.newLabel();
  const x86::Mem lds = x86::ptr(x86::r12, offsetof(RegionContext, lds.begin));
  a.sub(x86::ecx, code.bytes());
  a.jl(fail);
  // A misaligned one is a fault on gfx9, and cannot be before.
  EmitAlignmentCheck(region, code, fail);
  a.vpbroadcastd(Z(kT1), x86::ecx);
  a.k(K(kM0)).vpcmpud(K(kM0), Z(kT0), Z(kT1), 2);
  a.kmovw(x86::edx, K(kM0));
  if (code.HasRun()) {
    if (!code.constant()) a.vmovdqa32(Offsets(), Z(kT0));
    a.cmp(x86::edx, kAllLanes);
    a.jne(some);
    a.mov(x86::rcx, lds);
    code.EmitRun(kLanes, kT0);
    a.clc();
    a.ret();
    a.bind(some);
  }
  a.vmovdqa32(Offsets(), Z(kT0));
  a.mov(x86::rax, lds);
  code.EmitLanes();
  a.clc();
  a.ret();
  a.bind(fail);
  a.stc();
  a.ret();
}

// Scratch 1: the addresses' high dwords. rdx: the window.
void EmitGuestRoutine(RegionAssembler& region, LaneAtomic code) {
  x86::Assembler& a = region.a;
  const asmjit::Label fail = a.newLabel();
  const auto field = [](size_t offset) {
    return x86::dword_ptr(x86::rdx, static_cast<int32_t>(offset));
  };
  EmitAlignmentCheck(region, code, fail);
  // Offsets into the window; the sum with the instruction's own cannot have wrapped into it.
  a.vpsubd(Z(kT0), Z(kT0), field(offsetof(MemoryWindow, low))._1to16());
  a.vpcmpud(K(kM1), Z(kT0), field(offsetof(MemoryWindow, lane_end))._1to16(), 1);
  a.k(K(kM1)).vpcmpd(K(kM1), Z(kT1), field(offsetof(MemoryWindow, high))._1to16(), 0);
  a.kandnw(K(kM1), K(kM1), K(kM0));
  a.kortestw(K(kM1), K(kM1));
  a.jnz(fail);
  a.vmovdqa32(Offsets(), Z(kT0));
  a.mov(x86::rax, x86::qword_ptr(x86::rdx, offsetof(MemoryWindow, base)));
  a.kmovw(x86::edx, K(kM0));
  code.EmitLanes();
  a.clc();
  a.ret();
  a.bind(fail);
  a.stc();
  a.ret();
}

}  // namespace

void AtomicCode::Call(const LaneAtomic& code, const Inst& inst, const PartAccess& s) {
  if (inst.imm != 0) {
    a.vpaddd(Z(kT0), Z(s.address.low), Constant32(static_cast<uint32_t>(inst.imm))._1to16());
  } else {
    a.vmovdqa32(Z(kT0), Z(s.address.low));
  }
  if (!code.constant()) {
    for (int n = 0; n < code.OperandDwords(); ++n) a.vmovdqa32(Data(n), Z(s.data[n]));
  }
  const auto [it, is_new] = b_.region.routines.try_emplace(code.Key());
  if (is_new) {
    it->second = a.newLabel();
    b_.region.cold.push_back([&region = b_.region, code, routine = it->second] {
      const size_t begin = region.a.offset();
      region.a.bind(routine);
      const bool is_lds = code.memory() == LaneAtomic::Memory::kLds;
      is_lds ? EmitLdsRoutine(region, code) : EmitGuestRoutine(region, code);
      NoteRoutine(region, begin);
    });
  }
  a.call(it->second);
  a.jc(s.exits.slow);
}

void AtomicCode::EmitLds(const Inst& inst, const PartAccess& s) {
  uint64_t operand = 0;
  const bool is_constant = IsConst(inst.args[3], &operand);
  const LaneAtomic code(a, s.access, s.result[0] >= 0 || s.result[1] >= 0, LaneAtomic::Memory::kLds,
                        is_constant ? std::optional(static_cast<uint32_t>(operand)) : std::nullopt,
                        kT1);
  a.kmovw(K(kM0), K(s.mask));
  Call(code, inst, s);
  LoadResults(code, s);
  a.bind(s.exits.done);
  b_.region.cold.push_back([&region = b_.region, s] { EmitSlow(region, s); });
}

void AtomicCode::EmitGuest(const Inst& inst, const PartAccess& s) {
  const LaneAtomic code(a, s.access, s.result[0] >= 0 || s.result[1] >= 0,
                        LaneAtomic::Memory::kGuest, std::nullopt, kT1);
  a.kmovw(K(kM0), K(s.mask));
  a.vmovdqa32(Z(kT1), Z(s.address.high));
  a.mov(x86::rdx, x86::ptr(x86::r12, offsetof(RegionContext, region.windows)));
  a.lea(x86::rdx, RegionAssembler::WindowField(s.site, 0));
  Call(code, inst, s);
  LoadResults(code, s);
  a.bind(s.exits.done);
  b_.region.cold.push_back([&region = b_.region, s] { EmitSlow(region, s); });
}

// Old values of the lanes that were done.
void AtomicCode::LoadResults(const LaneAtomic& code, const PartAccess& s) {
  for (int n = 0; n < code.ResultDwords(); ++n) {
    if (s.result[n] < 0) continue;
    a.k(K(kM0)).z().vmovdqa32(Z(s.result[n]), Data(LaneAtomic::kResult + n));
  }
}

}  // namespace gcnjit::backend::avx512
