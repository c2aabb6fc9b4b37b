// Atomics of a part, 8 lanes, done in place: in LDS within its limit, in guest memory within the
// window that the instruction used last. Anything else goes to the runtime.
//
// Most of an atomic's code is a routine, one in a region for all atomics of a kind: scratch 0 holds
// the addresses (of guest memory their low dwords), scratch 1 the mask. It leaves the lanes that it
// did there, or sets CF and has done nothing.
#include "backend_x64/isa/avx2/atomic.h"

namespace gcnjit::backend::avx2 {

using ir::Inst;

namespace {

x86::Mem Offsets() { return Access(offsetof(AccessBlock, low)); }
x86::Mem HighDwords() { return Access(offsetof(AccessBlock, high)); }
x86::Mem Data(int n) {
  return Access(offsetof(AccessBlock, data) +
                static_cast<size_t>(n) * sizeof(AccessBlock::data[0]));
}

void EmitAlignmentCheck(RegionAssembler& region, const LaneAtomic& code,
                        const asmjit::Label& fail) {
  x86::Assembler& a = region.a;
  a.vpbroadcastd(Y(kT2), region.constants.Broadcast32(code.bytes() - 1));
  a.vpand(Y(kT2), Y(kT2), Y(kT0));
  a.vptest(Y(kT2), Y(kT1));
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
  a.vmovd(X(kT2), x86::ecx);
  a.vpbroadcastd(Y(kT2), X(kT2));
  a.vpminud(Y(kT2), Y(kT2), Y(kT0));
  a.vpcmpeqd(Y(kT2), Y(kT2), Y(kT0));
  a.vpand(Y(kT1), Y(kT1), Y(kT2));
  a.vmovmskps(x86::edx, Y(kT1));
  if (code.HasRun()) {
    if (!code.constant()) a.vmovdqa(Offsets(), Y(kT0));
    a.cmp(x86::edx, kAllLanes);
    a.jne(some);
    a.mov(x86::rcx, lds);
    code.EmitRun(kLanes, kT0);
    a.clc();
    a.ret();
    a.bind(some);
  }
  a.vmovdqa(Offsets(), Y(kT0));
  a.mov(x86::rax, lds);
  code.EmitLanes();
  a.clc();
  a.ret();
  a.bind(fail);
  a.stc();
  a.ret();
}

// rdx: the window.
void EmitGuestRoutine(RegionAssembler& region, LaneAtomic code) {
  x86::Assembler& a = region.a;
  const asmjit::Label fail = a.newLabel();
  const auto field = [](size_t offset) {
    return x86::dword_ptr(x86::rdx, static_cast<int32_t>(offset));
  };
  EmitAlignmentCheck(region, code, fail);
  a.vpbroadcastd(Y(kT2), field(offsetof(MemoryWindow, high)));
  a.vpcmpeqd(Y(kT2), Y(kT2), HighDwords());
  a.vptest(Y(kT2), Y(kT1));  // CF: no active lane is elsewhere
  a.jnc(fail);
  // Offsets into the window; the sum with the instruction's own cannot have wrapped into it. Where
  // the window ends is below 2^31, so that a signed comparison does for offsets that are.
  a.vpbroadcastd(Y(kT2), field(offsetof(MemoryWindow, low)));
  a.vpsubd(Y(kT0), Y(kT0), Y(kT2));
  a.vmovdqa(Offsets(), Y(kT0));
  a.vpbroadcastd(Y(kT2), field(offsetof(MemoryWindow, lane_end)));
  a.vpcmpgtd(Y(kT2), Y(kT2), Y(kT0));
  a.vpsrad(Y(kT0), Y(kT0), 31);
  a.vpandn(Y(kT2), Y(kT0), Y(kT2));
  a.vptest(Y(kT2), Y(kT1));
  a.jnc(fail);
  a.mov(x86::rax, x86::qword_ptr(x86::rdx, offsetof(MemoryWindow, base)));
  a.vmovmskps(x86::edx, Y(kT1));
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
    a.vpbroadcastd(Y(kT0), Constant32(static_cast<uint32_t>(inst.imm)));
    a.vpaddd(Y(kT0), Y(kT0), Y(s.address.low));
  } else {
    a.vmovdqa(Y(kT0), Y(s.address.low));
  }
  if (!code.constant()) {
    for (int n = 0; n < code.OperandDwords(); ++n) a.vmovdqa(Data(n), Y(s.data[n]));
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
                        kT2);
  a.vmovdqa(Y(kT1), Y(s.mask));
  Call(code, inst, s);
  LoadResults(code, s);
  a.bind(s.exits.done);
  b_.region.cold.push_back([&region = b_.region, s] { EmitSlow(region, s); });
}

void AtomicCode::EmitGuest(const Inst& inst, const PartAccess& s) {
  const LaneAtomic code(a, s.access, s.result[0] >= 0 || s.result[1] >= 0,
                        LaneAtomic::Memory::kGuest, std::nullopt, kT2);
  a.vmovdqa(Y(kT1), Y(s.mask));
  a.vmovdqa(HighDwords(), Y(s.address.high));
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
    a.vpand(Y(s.result[n]), Y(kT1), Data(LaneAtomic::kResult + n));
  }
}

}  // namespace gcnjit::backend::avx2
