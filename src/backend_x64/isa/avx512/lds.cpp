// LDS loads and stores of a part. The lanes' addresses are consecutive, or lie close to each other,
// or one: then plain moves do it, once the scalar check says that all of it is within bounds.
#include "backend_x64/isa/avx512/lds.h"

#include "backend_x64/isa/avx512/access_code.h"
#include "backend_x64/isa/avx512/lane_stores.h"

namespace gcnjit::backend::avx512 {

using ir::Inst;
using ir::Op;
using ir::Value;

namespace {

// Elements of less than a dword at rax and the addresses in scratch 0, by a gather of dwords: those
// of the last bytes, which a dword from there would reach beyond, are in the last one (scratch 1).
void GatherNarrow(RegionAssembler& region, const PartAccess& s) {
  x86::Assembler& c = region.a;
  const uint32_t beyond = 4u - s.access.bytes;
  if (s.result[0] < 0) return;
  c.vpminud(Z(kT1), Z(kT1), Z(kT0));
  c.vpsubd(Z(kT0), Z(kT0), Z(kT1));
  Under(c, s.mask).vpcmpud(K(kM1), Z(kT0), region.constants.Broadcast32(beyond)._1to16(), 2);
  c.vpxord(Z(s.result[0]), Z(s.result[0]), Z(s.result[0]));
  c.k(K(kM1)).vpgatherdd(Z(s.result[0]), x86::ptr(x86::rax, Z(kT1)));
  c.vpslld(Z(kT0), Z(kT0), 3);
  c.vpsrlvd(Z(s.result[0]), Z(s.result[0]), Z(kT0));
  AccessCode(region).NarrowTo(s.access, s.result[0]);
}

}  // namespace

void EmitScatteredLds(RegionAssembler& region, const PartAccess& s, const LdsLimit& limit) {
  x86::Assembler& c = region.a;
  const ir::MemoryAccess& access = s.access;
  const bool is_store = s.is_store;
  const int32_t imm = s.address.imm;
  const uint32_t step = access.bytes;
  EmitLdsLimitForRuntime(c, limit);
  const bool is_narrow_load = !is_store && step < 4;
  c.sub(x86::rcx, is_narrow_load ? 4 : step);
  c.jl(s.exits.slow);
  if (!is_store) {
    // One address for all lanes: one load.
    const asmjit::Label different = c.newLabel();
    c.vpbroadcastd(Z(kT0), X(s.address.low));
    c.vpcmpd(K(kM0), Z(kT0), Z(s.address.low), 4);
    c.kortestw(K(kM0), K(kM0));
    c.jnz(different);
    c.vmovd(x86::eax, X(s.address.low));
    if (imm != 0) c.add(x86::eax, imm);
    c.cmp(x86::rax, x86::rcx);
    c.ja(different);
    c.add(x86::rax, LdsBegin());
    AccessCode(region).Broadcast(access, s.mask, s.result);
    c.jmp(s.exits.done);
    c.bind(different);
  }
  // Lanes within the limit; the others read 0 and write nothing.
  c.vpbroadcastd(Z(kT1), x86::ecx);
  if (imm != 0) {
    c.vpbroadcastd(Z(kT0), region.constants.Broadcast32(static_cast<uint32_t>(imm)));
    c.vpaddd(Z(kT0), Z(kT0), Z(s.address.low));
  } else {
    c.vmovdqa32(Z(kT0), Z(s.address.low));
  }
  c.mov(x86::rax, LdsBegin());
  if (is_narrow_load) {
    GatherNarrow(region, s);
    c.jmp(s.exits.done);
    EmitSlow(region, s);
    return;
  }
  Under(c, s.mask).vpcmpud(K(kM1), Z(kT0), Z(kT1), 2);
  if (is_store) {
    AccessCode(region).Scatter(access, kM1, s.data, kT0);
  } else {
    AccessCode(region).Gather(access, kM1, s.result, kT0);
  }
  c.jmp(s.exits.done);
  EmitSlow(region, s);
}

// ---- Loads of unknown shape that have their address in common

// Where the lanes' dwords lie within 16 of the first lane's, each load is a permutation of 64
// bytes; that is found out once.
void LdsCode::EmitGroup(const LdsAccesses::Group& group, const LdsLimit& limit, int low, int part) {
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
  a.vmovdqa32(b_.memory.Temp(group.temp, part), Z(kT0));
  a.add(x86::rax, LdsBegin());
  a.mov(b_.memory.Slot(group.slots[part]), x86::rax);
  a.bind(done);
  b_.region.cold.push_back(
      [&region = b_.region, no_run, done, slot = b_.memory.Slot(group.slots[part])] {
        region.a.bind(no_run);
        region.a.xor_(x86::eax, x86::eax);
        region.a.mov(slot, x86::rax);
        region.a.jmp(done);
      });
}

// ---- One access

void LdsCode::Emit(Value v, const Inst& inst, int part) {
  const LdsAccesses::Group* const group =
      inst.op == Op::kLoadLds ? b_.accesses.lds.GroupOf(v) : nullptr;
  if (group != nullptr && group->shape.is_known) return EmitShapedLoad(v, inst, *group, part);
  if (inst.op == Op::kStoreLds && EmitShapedStore(v, inst, part)) return;
  const PartAccess s = LdsPart(v, inst, part);
  const LdsLimit limit = b_.accesses.lds.LimitOf(inst);
  if (inst.op == Op::kAtomicLds) {
    EmitLdsLimitForRuntime(a, limit);
    atomics_.EmitLds(inst, s);
  } else if (s.is_store) {
    EmitStore(inst, s, limit);
  } else {
    EmitLoad(v, s, limit);
  }
}

void LdsCode::EmitLoad(Value v, const PartAccess& s, const LdsLimit& limit) {
  const asmjit::Label scattered = a.newLabel();
  if (const LdsAccesses::Group* group = b_.accesses.lds.GroupOf(v)) {
    if (group->leader == v) EmitGroup(*group, limit, s.address.low, s.part);
    if (s.result[0] < 0) return;
    // The run's start; 0 where the lanes' addresses are too far apart.
    a.mov(x86::rax, b_.memory.Slot(group->slots[s.part]));
    a.test(x86::rax, x86::rax);
    a.jz(scattered);
    a.vmovdqa32(Z(kT0), b_.memory.Temp(group->temp, s.part));
    OrZero(a, s.mask).vpermd(Z(s.result[0]), Z(kT0), x86::ptr(x86::rax, s.address.imm));
  } else {
    EmitRunCheck(s, limit, /*is_run=*/false, scattered);
    AccessCode(b_.region).LoadRun(s.access, s.mask, s.result, x86::ptr(x86::rax));
  }
  a.bind(s.exits.done);
  b_.region.cold.push_back([&region = b_.region, s, scattered, limit] {
    region.a.bind(scattered);
    EmitScatteredLds(region, s, limit);
  });
}

void LdsCode::EmitStore(const Inst& inst, const PartAccess& s, const LdsLimit& limit) {
  const asmjit::Label scattered = a.newLabel();
  const AddressShape shape = b_.at.ShapeOfAddress(inst.args[0]);
  const bool is_run = shape.is_known && shape.HasStep(s.part, s.access.bytes);
  EmitRunCheck(s, limit, is_run, scattered);
  AccessCode(b_.region).StoreRun(s.access, s.mask, s.data, x86::ptr(x86::rax));
  a.bind(s.exits.done);
  LaneStores(b_.region, s.access).Prepare();
  b_.region.cold.push_back([&region = b_.region, s, scattered, limit] {
    region.a.bind(scattered);
    EmitScatteredLds(region, s, limit);
  });
}

// rax: where the part's first lane is in host memory, if its lanes are consecutive (`is_run`: they
// are) and within bounds.
void LdsCode::EmitRunCheck(const PartAccess& s, const LdsLimit& limit, bool is_run,
                           const asmjit::Label& scattered) {
  EmitLdsLimit(a, limit);
  a.vmovd(x86::eax, X(s.address.low));
  if (!is_run) {
    a.vpbroadcastd(Z(kT0), X(s.address.low));
    a.vpsubd(Z(kT0), Z(s.address.low), Z(kT0));
    a.vpcmpeqd(K(kM0), Z(kT0), b_.region.constants.Whole(ConstantPool::Multiples(s.access.bytes)));
    a.kortestw(K(kM0), K(kM0));
    a.jnc(scattered);
  }
  if (s.address.imm != 0) a.add(x86::eax, s.address.imm);
  a.sub(x86::rcx, s.access.bytes * kLanes);
  a.jl(scattered);
  a.cmp(x86::rax, x86::rcx);
  a.ja(scattered);
  a.add(x86::rax, LdsBegin());
}

}  // namespace gcnjit::backend::avx512
