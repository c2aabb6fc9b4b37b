// Atomics of a part, 8 lanes, done in place: in LDS within its limit, in guest memory within the
// window that the instruction used last. Anything else goes to the runtime.
#include "backend_x64/avx2/lanes.h"
#include "backend_x64/lane_atomic.h"

namespace gcnjit::backend::avx2 {

using ir::Inst;

namespace {

constexpr int kLanes = LaneEmitter::kLanesPerRegister;
constexpr uint32_t kAllLanes = (1u << kLanes) - 1;

x86::Mem Offsets() {
  return x86::ptr(x86::r12, offsetof(RegionContext, access) + offsetof(AccessBlock, low));
}
x86::Mem Data(int n) {
  return x86::ptr(
      x86::r12, static_cast<int32_t>(offsetof(RegionContext, access) + offsetof(AccessBlock, data) +
                                     static_cast<size_t>(n) * sizeof(AccessBlock::data[0])));
}

// Old values of the lanes of `mask`.
void LoadResults(x86::Assembler& a, const LaneAtomic& code, int mask, const int (&result)[4]) {
  for (int n = 0; n < code.ResultDwords(); ++n) {
    if (result[n] < 0) continue;
    a.vpand(Y(result[n]), Y(mask), Data(LaneAtomic::kResult + n));
  }
}

}  // namespace

// ecx: the limit.
bool LaneEmitter::EmitLdsAtomic(const Inst& inst, int low, int mask, const int (&data)[4],
                                const int (&result)[4], const asmjit::Label& slow) {
  const ir::MemoryAccess access = inst.access();
  if (!LaneAtomic::IsInPlace(access)) return false;
  LaneAtomic code(a, access, result[0] >= 0 || result[1] >= 0, LaneAtomic::Memory::kLds);
  a.sub(x86::ecx, access.bytes);
  a.jl(slow);
  a.vpbroadcastd(Y(kT0), Constant32(static_cast<uint32_t>(inst.imm)));
  a.vpaddd(Y(kT0), Y(kT0), Y(low));
  // A misaligned one is a fault on gfx9, and cannot be before.
  a.vpbroadcastd(Y(kT1), Constant32(access.bytes - 1u));
  a.vpand(Y(kT1), Y(kT1), Y(kT0));
  a.vptest(Y(kT1), Y(mask));
  a.jnz(slow);
  a.vmovd(X(kT1), x86::ecx);
  a.vpbroadcastd(Y(kT1), X(kT1));
  a.vpminud(Y(kT1), Y(kT1), Y(kT0));
  a.vpcmpeqd(Y(kT1), Y(kT1), Y(kT0));
  a.vpand(Y(kT1), Y(kT1), Y(mask));
  a.vmovmskps(x86::edx, Y(kT1));
  uint64_t operand = 0;
  const bool constant = code.HasConstantRun() && IsConst(inst.args[3], &operand);
  const auto store_operands = [code, data = data[0], data1 = data[1], data2 = data[2],
                               data3 = data[3]](x86::Assembler& to) {
    const int registers[] = {data, data1, data2, data3};
    to.vmovdqa(Offsets(), Y(kT0));
    for (int n = 0; n < code.OperandDwords(); ++n) to.vmovdqa(Data(n), Y(registers[n]));
  };
  const x86::Mem lds = x86::ptr(x86::r12, offsetof(RegionContext, lds));
  if (!constant) store_operands(a);
  if (!code.HasRun()) {
    a.mov(x86::rax, lds);
    code.EmitLanes();
  } else {
    const asmjit::Label some = a.newLabel();
    const asmjit::Label done = a.newLabel();
    a.cmp(x86::edx, kAllLanes);
    a.jne(some);
    a.mov(x86::rcx, lds);
    if (constant) {
      code.EmitConstantRun(kLanes, static_cast<uint32_t>(operand), kT0, kT2);
    } else {
      code.EmitRun(kLanes);
    }
    a.bind(done);
    shared_.cold.push_back([&to = a, code, some, done, lds, constant, store_operands]() mutable {
      to.bind(some);
      if (constant) store_operands(to);
      to.mov(x86::rax, lds);
      code.EmitLanes();
      to.jmp(done);
    });
  }
  LoadResults(a, code, kT1, result);
  return true;
}

bool LaneEmitter::EmitGuestAtomic(const Inst& inst, int low, int high, int mask,
                                  const int (&data)[4], const int (&result)[4],
                                  const asmjit::Label& slow) {
  const ir::MemoryAccess access = inst.access();
  if (!LaneAtomic::IsInPlace(access)) return false;
  LaneAtomic code(a, access, result[0] >= 0 || result[1] >= 0, LaneAtomic::Memory::kGuest);
  const auto field = [&](size_t offset, uint32_t size) {
    x86::Mem memory = WindowField(last_site_, offset);
    memory.setSize(size);
    return memory;
  };
  a.vpbroadcastd(Y(kT0), Constant32(static_cast<uint32_t>(inst.imm)));
  a.vpaddd(Y(kT0), Y(kT0), Y(low));
  a.vpbroadcastd(Y(kT1), Constant32(access.bytes - 1u));
  a.vpand(Y(kT1), Y(kT1), Y(kT0));
  a.vptest(Y(kT1), Y(mask));
  a.jnz(slow);
  // Offsets into the window; the sum cannot wrap into it, see MemoryWindow. Its last offset is
  // below 2^31, so that the comparison may be a signed one once negative offsets are told apart.
  a.mov(x86::rdx, x86::ptr(x86::r12, offsetof(RegionContext, windows)));
  a.vpbroadcastd(Y(kT1), field(offsetof(MemoryWindow, low), 4));
  a.vpsubd(Y(kT0), Y(kT0), Y(kT1));
  a.vpbroadcastd(Y(kT1), field(offsetof(MemoryWindow, lane_end), 4));
  a.vpcmpgtd(Y(kT1), Y(kT1), Y(kT0));
  a.vpsrad(Y(kT2), Y(kT0), 31);
  a.vpandn(Y(kT1), Y(kT2), Y(kT1));
  a.vpbroadcastd(Y(kT2), field(offsetof(MemoryWindow, high), 4));
  a.vpcmpeqd(Y(kT2), Y(kT2), Y(high));
  a.vpand(Y(kT1), Y(kT1), Y(kT2));
  a.vptest(Y(kT1), Y(mask));  // CF: no active lane is elsewhere
  a.jnc(slow);
  a.vmovdqa(Offsets(), Y(kT0));
  for (int n = 0; n < code.OperandDwords(); ++n) a.vmovdqa(Data(n), Y(data[n]));
  a.mov(x86::rax, field(offsetof(MemoryWindow, base), 8));
  a.vmovmskps(x86::edx, Y(mask));
  code.EmitLanes();
  LoadResults(a, code, mask, result);
  return true;
}

}  // namespace gcnjit::backend::avx2
