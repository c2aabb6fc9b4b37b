// Atomics of a part, 16 lanes, done in place: in LDS within its limit, in guest memory within the
// window that the instruction used last. Anything else goes to the runtime.
#include "backend_x64/avx512/lanes.h"
#include "backend_x64/lane_atomic.h"

namespace gcnjit::backend::avx512 {

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
                                     static_cast<size_t>(n) * kLanes * 4));
}

// Old values of the lanes of `mask`.
void LoadResults(x86::Assembler& a, const LaneAtomic& code, int mask, const int (&result)[4]) {
  for (int n = 0; n < code.ResultDwords(); ++n) {
    if (result[n] < 0) continue;
    a.k(K(mask)).z().vmovdqa32(Z(result[n]), Data(LaneAtomic::kResult + n));
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
  a.vpbroadcastd(Z(kT1), x86::ecx);
  if (inst.imm != 0) {
    a.vpaddd(Z(kT0), Z(low), Constant32(static_cast<uint32_t>(inst.imm))._1to16());
  } else {
    a.vmovdqa32(Z(kT0), Z(low));
  }
  // A misaligned one is a fault on gfx9, and cannot be before.
  a.k(K(mask)).vptestmd(K(kM1), Z(kT0), Constant32(access.bytes - 1u)._1to16());
  a.kortestw(K(kM1), K(kM1));
  a.jnz(slow);
  a.k(K(mask)).vpcmpud(K(kM0), Z(kT0), Z(kT1), 2);
  a.kmovw(x86::edx, K(kM0));
  uint64_t operand = 0;
  const bool constant = code.HasConstantRun() && IsConst(inst.args[3], &operand);
  const auto store_operands = [code, data = data[0], data1 = data[1], data2 = data[2],
                               data3 = data[3]](x86::Assembler& to) {
    const int registers[] = {data, data1, data2, data3};
    to.vmovdqa32(Offsets(), Z(kT0));
    for (int n = 0; n < code.OperandDwords(); ++n) to.vmovdqa32(Data(n), Z(registers[n]));
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
      code.EmitConstantRun(kLanes, static_cast<uint32_t>(operand), kT0, kT1);
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
  LoadResults(a, code, kM0, result);
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
  if (inst.imm != 0) {
    a.vpaddd(Z(kT0), Z(low), Constant32(static_cast<uint32_t>(inst.imm))._1to16());
  } else {
    a.vmovdqa32(Z(kT0), Z(low));
  }
  a.k(K(mask)).vptestmd(K(kM0), Z(kT0), Constant32(access.bytes - 1u)._1to16());
  a.kortestw(K(kM0), K(kM0));
  a.jnz(slow);
  // Offsets into the window; the sum cannot wrap into it, see MemoryWindow.
  a.mov(x86::rdx, x86::ptr(x86::r12, offsetof(RegionContext, windows)));
  a.vpsubd(Z(kT0), Z(kT0), field(offsetof(MemoryWindow, low), 4)._1to16());
  a.vpcmpud(K(kM0), Z(kT0), field(offsetof(MemoryWindow, lane_end), 4)._1to16(), 1);
  a.k(K(kM0)).vpcmpd(K(kM0), Z(high), field(offsetof(MemoryWindow, high), 4)._1to16(), 0);
  a.kandnw(K(kM1), K(kM0), K(mask));
  a.kortestw(K(kM1), K(kM1));
  a.jnz(slow);
  a.vmovdqa32(Offsets(), Z(kT0));
  for (int n = 0; n < code.OperandDwords(); ++n) a.vmovdqa32(Data(n), Z(data[n]));
  a.mov(x86::rax, field(offsetof(MemoryWindow, base), 8));
  a.kmovw(x86::edx, K(mask));
  code.EmitLanes();
  LoadResults(a, code, mask, result);
  return true;
}

}  // namespace gcnjit::backend::avx512
