// LDS loads and stores of a part. The lanes' addresses are consecutive, or lie close to each other,
// or one: then plain moves do it, once the scalar check says that all of it is within bounds.
#include "backend_x64/isa/avx512/access_code.h"
#include "backend_x64/isa/avx512/slow_path.h"

namespace gcnjit::backend::avx512 {

using ir::Inst;
using ir::Op;
using ir::Value;

namespace {
constexpr int kLanes = LaneEmitter::kLanesPerRegister;
}  // namespace

void EmitScatteredLds(RegionShared& shared, const SlowAccess& slow, const ir::MemoryAccess& access,
                      bool is_store, int32_t imm, const LdsLimit& limit) {
  x86::Assembler& c = shared.a;
  const uint32_t step = access.bytes;
  EmitLdsLimitForRuntime(c, limit);
  if (is_store && access.bytes != 4) {
    c.jmp(slow.entry);
    EmitSlow(shared, slow);
    return;
  }
  c.sub(x86::rcx, step < 4 ? 4 : step);
  c.jl(slow.entry);
  if (!is_store) {
    // One address for all lanes: one load.
    const asmjit::Label different = c.newLabel();
    c.vpbroadcastd(Z(kT0), X(slow.low));
    c.vpcmpd(K(kM0), Z(kT0), Z(slow.low), 4);
    c.kortestw(K(kM0), K(kM0));
    c.jnz(different);
    c.vmovd(x86::eax, X(slow.low));
    if (imm != 0) c.add(x86::eax, imm);
    c.cmp(x86::rax, x86::rcx);
    c.ja(slow.entry);
    c.add(x86::rax, LdsBegin());
    AccessCode(shared).Broadcast(access, slow.mask, slow.result);
    c.jmp(slow.done);
    c.bind(different);
  }
  // Lanes within the limit; the others read 0 and write nothing.
  c.vpbroadcastd(Z(kT1), x86::ecx);
  if (imm != 0) {
    c.vpbroadcastd(Z(kT0), shared.constants.Broadcast32(static_cast<uint32_t>(imm)));
    c.vpaddd(Z(kT0), Z(kT0), Z(slow.low));
  } else {
    c.vmovdqa32(Z(kT0), Z(slow.low));
  }
  if (step < 4) {
    // The last bytes of LDS cannot be read as a dword.
    Under(c, slow.mask).vpcmpud(K(kM0), Z(kT0), Z(kT1), 6);
    c.kortestw(K(kM0), K(kM0));
    c.jnz(slow.entry);
    CopyMask(c, kM1, slow.mask);
  } else {
    Under(c, slow.mask).vpcmpud(K(kM1), Z(kT0), Z(kT1), 2);
  }
  c.mov(x86::rax, LdsBegin());
  if (is_store) {
    AccessCode(shared).Scatter(access, kM1, slow.data, kT0);
  } else {
    AccessCode(shared).Gather(access, kM1, slow.result, kT0);
  }
  c.jmp(slow.done);
  EmitSlow(shared, slow);
}

// ---- Loads of unknown shape that have their address in common

// Where the lanes' dwords lie within 16 of the first lane's, each load is a permutation of 64
// bytes; that is found out once.
void LaneEmitter::EmitLdsGroup(const LdsGroup& group, const LdsLimit& limit, int low, int part) {
  const asmjit::Label no_run = a.newLabel();
  const asmjit::Label done = a.newLabel();
  EmitLdsLimit(a, limit);
  a.vmovd(x86::eax, X(low));
  a.vpbroadcastd(Z(kT0), X(low));
  a.vpsubd(Z(kT0), Z(low), Z(kT0));
  a.vpcmpud(K(kM0), Z(kT0), Constant32(60)._1to16(), 2);
  a.k(K(kM0)).vptestnmd(K(kM0), Z(kT0), Constant32(3)._1to16());
  a.kortestw(K(kM0), K(kM0));
  a.jnc(no_run);
  a.sub(x86::rcx, static_cast<int32_t>(group.last_offset) + 64);
  a.jl(no_run);
  a.cmp(x86::rax, x86::rcx);
  a.ja(no_run);
  a.vpsrld(Z(kT0), Z(kT0), 2);
  a.vmovdqa32(TempMemory(group.temp, part), Z(kT0));
  a.add(x86::rax, LdsBegin());
  a.mov(SlotMemory(group.slots[part]), x86::rax);
  a.bind(done);
  shared_.cold.push_back([&shared = shared_, no_run, done, slot = SlotMemory(group.slots[part])] {
    shared.a.bind(no_run);
    shared.a.xor_(x86::eax, x86::eax);
    shared.a.mov(slot, x86::rax);
    shared.a.jmp(done);
  });
}

// ---- One access

void LaneEmitter::EmitLdsLoad(Value v, const Inst& inst, const SlowAccess& slow,
                              const LdsLimit& limit) {
  const ir::MemoryAccess access = inst.access();
  const auto imm = static_cast<int32_t>(inst.imm);
  const asmjit::Label scattered = a.newLabel();
  if (const LdsGroup* group = LdsGroupOf(v)) {
    if (group->leader == v) EmitLdsGroup(*group, limit, slow.low, slow.part);
    if (slow.result[0] < 0) return;
    // The run's start; 0 where the lanes' addresses are too far apart.
    a.mov(x86::rax, SlotMemory(group->slots[slow.part]));
    a.test(x86::rax, x86::rax);
    a.jz(scattered);
    a.vmovdqa32(Z(kT0), TempMemory(group->temp, slow.part));
    AccessCode(shared_).OrZero(slow.mask).vpermd(Z(slow.result[0]), Z(kT0),
                                                 x86::ptr(x86::rax, imm));
  } else {
    EmitLdsRunCheck(access, slow, imm, limit, /*is_run=*/false, scattered);
    AccessCode(shared_).LoadRun(access, slow.mask, slow.result, x86::ptr(x86::rax));
  }
  a.bind(slow.done);
  shared_.cold.push_back([&shared = shared_, slow, scattered, access, imm, limit] {
    shared.a.bind(scattered);
    EmitScatteredLds(shared, slow, access, /*is_store=*/false, imm, limit);
  });
}

void LaneEmitter::EmitLdsStore(const Inst& inst, const SlowAccess& slow, const LdsLimit& limit) {
  const ir::MemoryAccess access = inst.access();
  const auto imm = static_cast<int32_t>(inst.imm);
  const asmjit::Label scattered = a.newLabel();
  const AddressShape shape = ShapeOfAddress(inst.args[0]);
  const bool is_run = shape.is_known && shape.HasStep(slow.part, access.bytes);
  EmitLdsRunCheck(access, slow, imm, limit, is_run, scattered);
  AccessCode(shared_).StoreRun(access, slow.mask, slow.data, x86::ptr(x86::rax));
  a.bind(slow.done);
  shared_.cold.push_back([&shared = shared_, slow, scattered, access, imm, limit] {
    shared.a.bind(scattered);
    EmitScatteredLds(shared, slow, access, /*is_store=*/true, imm, limit);
  });
}

// rax: where the part's first lane is in host memory, if its lanes are consecutive (`is_run`: they
// are) and within bounds.
void LaneEmitter::EmitLdsRunCheck(const ir::MemoryAccess& access, const SlowAccess& slow,
                                  int32_t imm, const LdsLimit& limit, bool is_run,
                                  const asmjit::Label& scattered) {
  EmitLdsLimit(a, limit);
  a.vmovd(x86::eax, X(slow.low));
  if (!is_run) {
    a.vpbroadcastd(Z(kT0), X(slow.low));
    a.vpsubd(Z(kT0), Z(slow.low), Z(kT0));
    a.vpcmpeqd(K(kM0), Z(kT0), shared_.constants.Whole(ConstantPool::Multiples(access.bytes)));
    a.kortestw(K(kM0), K(kM0));
    a.jnc(scattered);
  }
  if (imm != 0) a.add(x86::eax, imm);
  a.sub(x86::rcx, access.bytes * kLanes);
  a.jl(scattered);
  a.cmp(x86::rax, x86::rcx);
  a.ja(scattered);
  a.add(x86::rax, LdsBegin());
}

}  // namespace gcnjit::backend::avx512
