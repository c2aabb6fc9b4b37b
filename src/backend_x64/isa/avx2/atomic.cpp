// Atomics of a part, 8 lanes, done in place: in LDS within its limit, in guest memory within the
// window that the instruction used last. Anything else goes to the runtime.
//
// Most of an atomic's code is a routine, one in a region for all atomics of a kind: scratch 0 holds
// the addresses (of guest memory their low dwords), scratch 1 the mask. It leaves the lanes that it
// did there, or sets CF and has done nothing.
#include "backend_x64/isa/avx2/slow_path.h"

namespace gcnjit::backend::avx2 {

using ir::Inst;

namespace {

constexpr int kLanes = LaneEmitter::kLanesPerRegister;

x86::Mem Offsets() { return Access(offsetof(AccessBlock, low)); }
x86::Mem HighDwords() { return Access(offsetof(AccessBlock, high)); }
x86::Mem Data(int n) {
  return Access(offsetof(AccessBlock, data) +
                static_cast<size_t>(n) * sizeof(AccessBlock::data[0]));
}

void EmitAlignmentCheck(RegionShared& shared, const LaneAtomic& code, const asmjit::Label& fail) {
  x86::Assembler& a = shared.a;
  a.vpbroadcastd(Y(kT2), shared.constants.Broadcast32(code.bytes() - 1));
  a.vpand(Y(kT2), Y(kT2), Y(kT0));
  a.vptest(Y(kT2), Y(kT1));
  a.jnz(fail);
}

// ecx: the limit.
void EmitLdsRoutine(RegionShared& shared, LaneAtomic code) {
  x86::Assembler& a = shared.a;
  const asmjit::Label fail = a.newLabel();
  const asmjit::Label some = a.newLabel();
  const x86::Mem lds = x86::ptr(x86::r12, offsetof(RegionContext, lds));
  a.sub(x86::ecx, code.bytes());
  a.jl(fail);
  // A misaligned one is a fault on gfx9, and cannot be before.
  EmitAlignmentCheck(shared, code, fail);
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
    code.EmitRun(kLanes, kT0, kT2);
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
void EmitGuestRoutine(RegionShared& shared, LaneAtomic code) {
  x86::Assembler& a = shared.a;
  const asmjit::Label fail = a.newLabel();
  const auto field = [](size_t offset) {
    return x86::dword_ptr(x86::rdx, static_cast<int32_t>(offset));
  };
  EmitAlignmentCheck(shared, code, fail);
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

void LaneEmitter::CallAtomic(const LaneAtomic& code, const Inst& inst, int low,
                             const int (&data)[4], const asmjit::Label& slow) {
  if (inst.imm != 0) {
    a.vpbroadcastd(Y(kT0), Constant32(static_cast<uint32_t>(inst.imm)));
    a.vpaddd(Y(kT0), Y(kT0), Y(low));
  } else {
    a.vmovdqa(Y(kT0), Y(low));
  }
  if (!code.constant()) {
    for (int n = 0; n < code.OperandDwords(); ++n) a.vmovdqa(Data(n), Y(data[n]));
  }
  const auto [it, is_new] = shared_.atomic_routines.try_emplace(code.Key());
  if (is_new) {
    it->second = a.newLabel();
    shared_.cold.push_back([&shared = shared_, code, routine = it->second] {
      const size_t begin = shared.a.offset();
      shared.a.bind(routine);
      const bool is_lds = code.memory() == LaneAtomic::Memory::kLds;
      is_lds ? EmitLdsRoutine(shared, code) : EmitGuestRoutine(shared, code);
      NoteRoutine(shared, begin);
    });
  }
  a.call(it->second);
  a.jc(slow);
}

// ecx: the limit.
bool LaneEmitter::EmitLdsAtomic(const Inst& inst, int low, int mask, const int (&data)[4],
                                const int (&result)[4], const asmjit::Label& slow) {
  if (!LaneAtomic::IsInPlace(inst.access())) return false;
  uint64_t operand = 0;
  const bool is_constant = IsConst(inst.args[3], &operand);
  const LaneAtomic code(a, inst.access(), result[0] >= 0 || result[1] >= 0,
                        LaneAtomic::Memory::kLds,
                        is_constant ? std::optional(static_cast<uint32_t>(operand)) : std::nullopt);
  a.vmovdqa(Y(kT1), Y(mask));
  CallAtomic(code, inst, low, data, slow);
  LoadAtomicResults(code, result);
  return true;
}

bool LaneEmitter::EmitGuestAtomic(const Inst& inst, int low, int high, int mask,
                                  const int (&data)[4], const int (&result)[4],
                                  const asmjit::Label& slow) {
  if (!LaneAtomic::IsInPlace(inst.access())) return false;
  const LaneAtomic code(a, inst.access(), result[0] >= 0 || result[1] >= 0,
                        LaneAtomic::Memory::kGuest, std::nullopt);
  a.vmovdqa(Y(kT1), Y(mask));
  a.vmovdqa(HighDwords(), Y(high));
  a.mov(x86::rdx, x86::ptr(x86::r12, offsetof(RegionContext, windows)));
  a.lea(x86::rdx, WindowField(last_site_, 0));
  CallAtomic(code, inst, low, data, slow);
  LoadAtomicResults(code, result);
  return true;
}

// Old values of the lanes that were done.
void LaneEmitter::LoadAtomicResults(const LaneAtomic& code, const int (&result)[4]) {
  for (int n = 0; n < code.ResultDwords(); ++n) {
    if (result[n] < 0) continue;
    a.vpand(Y(result[n]), Y(kT1), Data(LaneAtomic::kResult + n));
  }
}

}  // namespace gcnjit::backend::avx2
