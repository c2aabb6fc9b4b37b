// LDS loads and stores of a part. Where the addresses' shape is known when code is compiled, plain
// moves do it, after one scalar check for all loads of a stage that have their address in common.
// Otherwise addresses that turn out to be consecutive take one move, too.
#include "backend_x64/isa/avx2/lds.h"

#include <algorithm>

#include "backend_x64/isa/avx2/access_code.h"

namespace gcnjit::backend::avx2 {

using ir::Inst;
using ir::Op;
using ir::Value;

namespace {

x86::Mem LdsBegin() { return x86::ptr(x86::r12, offsetof(RegionContext, lds.begin)); }

// How far the lanes of a part are from `from`.
ConstantPool::Vector OffsetsOf(const AddressShape& shape, int part, int32_t from) {
  ConstantPool::Vector v{};
  for (int n = 0; n < kLanes; ++n) v[n] = static_cast<uint32_t>(shape.Offset(part, n) - from);
  return v;
}

// eax: lane 0's address; scratch 0: differences of the lanes' addresses from it.
void LookAtFirstLane(x86::Assembler& a, const PartAccess& s) {
  a.vmovd(x86::eax, X(s.address.low));
  if (s.address.imm != 0) a.add(x86::eax, s.address.imm);
  a.vpbroadcastd(Y(kT0), X(s.address.low));
  a.vpsubd(Y(kT0), Y(s.address.low), Y(kT0));
}

// Elements of less than a dword at rax and the addresses in scratch 0, by a gather of dwords: those
// of the last bytes, which a dword from there would reach beyond, are in the last one. Scratch 1:
// the addresses, or the last dword's if that is below.
void GatherNarrow(RegionAssembler& region, const PartAccess& s) {
  x86::Assembler& a = region.a;
  const uint32_t beyond = 4u - s.access.bytes;
  const int to = s.result[0];
  if (to < 0) return;
  a.vpsubd(Y(kT0), Y(kT0), Y(kT1));
  a.vpbroadcastd(Y(kT2), region.constants.Broadcast32(beyond));
  a.vpminud(Y(kT2), Y(kT2), Y(kT0));
  a.vpcmpeqd(Y(kT2), Y(kT2), Y(kT0));  // within
  if (s.mask >= 0) a.vpand(Y(kT2), Y(kT2), Y(s.mask));
  a.vpxor(Y(to), Y(to), Y(to));
  a.vpgatherdd(Y(to), x86::ptr(x86::rax, Y(kT1)), Y(kT2));
  a.vpslld(Y(kT0), Y(kT0), 3);
  a.vpsrlvd(Y(to), Y(to), Y(kT0));
  AccessCode(region, s.access).Narrow(to);
}

// Addresses that are not consecutive, or not all within LDS. ecx: bytes that may be accessed;
// scratch 0: differences from lane 0's address, eax.
void EmitScatteredLds(RegionAssembler& region, const PartAccess& s) {
  x86::Assembler& a = region.a;
  AccessCode code(region, s.access);
  const uint32_t bytes = s.access.bytes;
  const x86::Mem lds = x86::ptr(x86::r12, offsetof(RegionContext, lds.begin));
  a.bind(s.exits.scattered);
  const bool is_narrow_load = !s.is_store && bytes < 4;
  a.sub(x86::rcx, is_narrow_load ? 4 : bytes);
  a.jl(s.exits.slow);
  if (!s.is_store) {
    // One address for all lanes: one load.
    const asmjit::Label different = a.newLabel();
    a.vptest(Y(kT0), Y(kT0));
    a.jnz(different);
    a.cmp(x86::rax, x86::rcx);
    a.ja(different);
    a.add(x86::rax, lds);
    code.Broadcast(s.mask, s.result);
    a.jmp(s.exits.done);
    a.bind(different);
  }
  AddressesToScratch(region, s);
  a.vmovd(X(kT1), x86::ecx);
  a.vpbroadcastd(Y(kT1), X(kT1));
  a.mov(x86::rax, lds);
  a.vpminud(Y(kT1), Y(kT1), Y(kT0));
  if (is_narrow_load) {
    GatherNarrow(region, s);
    a.jmp(s.exits.done);
    return;
  }
  a.vpcmpeqd(Y(kT1), Y(kT1), Y(kT0));  // within
  if (s.is_store) {
    if (s.mask >= 0) a.vpand(Y(kT1), Y(kT1), Y(s.mask));
    a.vmovmskps(x86::edx, Y(kT1));
    code.Scatter(s.data, /*all_lanes=*/false);
  } else if (bytes == 16) {
    // Scratch 1 is wanted.
    EmitAllCheck(a, kT1, s.mask, x86::edx, s.exits.slow);
    code.Gather(s.mask, s.result);
  } else {
    // Lanes beyond the limit read 0.
    if (s.mask >= 0) a.vpand(Y(kT1), Y(kT1), Y(s.mask));
    code.Gather(kT1, s.result);
  }
  a.jmp(s.exits.done);
}

}  // namespace

// ---- Loads of known shape

// To the group's slot: where the lowest lane's data without an offset is, in host memory; or, if
// not all that the group loads is within bounds, the first lane's address with bit 63 set.
void LdsCode::EmitBase(const LdsAccesses::Group& group, const LdsLimit& limit, int part) {
  const AddressShape& shape = group.shape;
  const int end = shape.has_one_base ? parts() : part + 1;
  const int32_t lowest = shape.Lowest(part, end);
  const int32_t span = b_.accesses.lds.SpanOf(group, part, end);
  const x86::Mem slot = b_.memory.Slot(group.slots[part]);
  const asmjit::Label beyond = a.newLabel();
  const asmjit::Label done = a.newLabel();
  const int low = Use(InstOf(group.leader).args[0], part);
  EmitLdsLimit(a, limit);
  a.vmovd(x86::eax, X(low));
  a.lea(x86::rdx, x86::ptr(x86::rax, lowest));
  a.sub(x86::rcx, span);
  a.jl(beyond);
  a.cmp(x86::rdx, x86::rcx);
  a.ja(beyond);
  a.add(x86::rdx, LdsBegin());
  a.mov(slot, x86::rdx);
  a.bind(done);
  b_.region.cold.push_back([&region = b_.region, beyond, done, slot] {
    region.a.bind(beyond);
    region.a.bts(x86::rax, 63);
    region.a.mov(slot, x86::rax);
    region.a.jmp(done);
  });
}

void LdsCode::EmitShapedLoad(Value v, const Inst& inst, const LdsAccesses::Group& group, int part) {
  const ir::MemoryAccess access = inst.access();
  const AddressShape& shape = group.shape;
  const LdsLimit limit = b_.accesses.lds.LimitOf(inst);
  if (group.leader == v && (part == 0 || !shape.has_one_base)) EmitBase(group, limit, part);
  // All parts at once need one look at the base.
  const bool together = shape.has_one_base && parts() * access.Dwords() <= 4;
  const SiteId site = SiteOf(v, part);
  if (together && part != 0) return;
  const int end = together ? parts() : part + 1;
  std::vector<PartAccess> operands;
  for (int p = part; p < end; ++p) {
    if (!b_.block.IsStandIn(v, p)) continue;
    PartAccess& s = operands.emplace_back(PartOf(inst, site, p));
    s.address.low = kT2;
    s.mask = AccessMask(inst.args[1], p);
    DefResults(v, inst, p, s.result);
    s.exits.slow = a.newLabel();
    s.exits.scattered = a.newLabel();
    s.exits.done = a.newLabel();
  }
  const x86::Mem slot = b_.memory.Slot(group.slots[shape.has_one_base ? 0 : part]);
  const int32_t lowest =
      shape.has_one_base ? shape.Lowest(0, parts()) : shape.Lowest(part, part + 1);
  const asmjit::Label beyond = a.newLabel();
  a.mov(x86::rax, slot);
  a.test(x86::rax, x86::rax);
  a.js(beyond);
  for (const PartAccess& s : operands) {
    LoadShaped(s, shape, s.address.imm - lowest);
  }
  a.bind(operands.back().exits.done);
  b_.region.cold.push_back([&region = b_.region, operands, shape, limit, slot, beyond] {
    x86::Assembler& c = region.a;
    c.bind(beyond);
    for (const PartAccess& s : operands) {
      EmitLdsLimitForRuntime(c, limit);
      c.mov(x86::rax, slot);
      const int32_t from = shape.has_one_base ? 0 : shape.Offset(s.part);
      c.vmovd(X(kT2), x86::eax);
      c.vpbroadcastd(Y(kT2), X(kT2));
      c.vpaddd(Y(kT2), Y(kT2), region.constants.Whole(OffsetsOf(shape, s.part, from)));
      LookAtFirstLane(c, s);
      EmitScatteredLds(region, s);
      EmitSlow(region, s);
      if (&s != &operands.back()) c.bind(s.exits.done);
    }
  });
}

// `base`: what offset 0 is from [rax].
void LdsCode::LoadShaped(const PartAccess& s, const AddressShape& shape, int32_t base) {
  const ir::MemoryAccess& access = s.access;
  const int part = s.part;
  const int mask = s.mask;
  const int(&result)[4] = s.result;
  const int32_t first = base + shape.Offset(part);
  if (shape.HasStep(part, access.bytes)) {
    return AccessCode(b_.region, access, first).LoadRun(mask, result);
  }
  const int32_t lowest = shape.Lowest(part, part + 1);
  AccessCode code(b_.region, access, base + lowest);
  if (!shape.IsUniform(part) && !(access.bytes == 4 && shape.IsNear(part))) {
    const ConstantPool::Vector offsets = OffsetsOf(shape, part, lowest);
    if (!QuadCode::IsWanted(access, result)) return code.GatherAt(offsets, mask, result);
    a.vmovups(Y(kT0), b_.region.constants.Whole(offsets));
    return code.Gather(mask, result);
  }
  if (access.quadwords) return AccessCode(b_.region, access, first).Broadcast(mask, result);
  for (int n = 0; n < access.Dwords(); ++n) {
    if (result[n] < 0) continue;
    if (shape.IsUniform(part)) {
      a.vbroadcastss(Y(result[n]), x86::dword_ptr(x86::rax, first + n * 4));
    } else {
      ConstantPool::Vector indices = OffsetsOf(shape, part, lowest);
      for (uint32_t& index : indices) index /= 4;
      a.vmovups(Y(kT0), b_.region.constants.Whole(indices));
      a.vpermd(Y(result[n]), Y(kT0), x86::ptr(x86::rax, base + lowest));
    }
    code.Narrow(result[n]);
    if (mask >= 0) a.vpand(Y(result[n]), Y(result[n]), Y(mask));
  }
}

// ---- One access

void LdsCode::Emit(Value v, const Inst& inst, int part) {
  const LdsAccesses::Group* const group =
      inst.op == Op::kLoadLds ? b_.accesses.lds.GroupOf(v) : nullptr;
  if (group != nullptr && group->shape.is_known) return EmitShapedLoad(v, inst, *group, part);
  const PartAccess s = LdsPart(v, inst, part);
  if (inst.op == Op::kAtomicLds) {
    EmitLdsLimitForRuntime(a, b_.accesses.lds.LimitOf(inst));
    atomics_.EmitLds(inst, s);
  } else {
    EmitMove(inst, s);
  }
}

void LdsCode::EmitMove(const Inst& inst, PartAccess s) {
  s.exits.scattered = a.newLabel();
  s.exits.partial = a.newLabel();
  AccessCode code(b_.region, s.access);
  const AddressShape shape = b_.at.ShapeOfAddress(inst.args[0]);
  const bool is_run = shape.is_known && shape.HasStep(s.part, s.access.bytes);
  const asmjit::Label beyond = is_run ? a.newLabel() : s.exits.slow;
  const LdsLimit limit = b_.accesses.lds.LimitOf(inst);
  if (is_run) {
    EmitLdsLimit(a, limit);
    a.vmovd(x86::eax, X(s.address.low));
    if (s.address.imm != 0) a.add(x86::eax, s.address.imm);
  } else {
    EmitLdsLimitForRuntime(a, limit);
    LookAtFirstLane(a, s);
    a.vpcmpeqd(Y(kT1), Y(kT0), b_.region.constants.Whole(ConstantPool::Multiples(s.access.bytes)));
    a.vmovmskps(x86::edx, Y(kT1));
    a.cmp(x86::edx, kAllLanes);
    a.jne(s.exits.scattered);
  }
  a.sub(x86::rcx, code.RunBytes());
  a.jl(beyond);
  a.cmp(x86::rax, x86::rcx);
  a.ja(beyond);
  a.add(x86::rax, LdsBegin());
  if (s.is_store) {
    if (s.mask >= 0) {
      a.vmovmskps(x86::edx, Y(s.mask));
      a.cmp(x86::edx, kAllLanes);
      a.jne(s.exits.partial);
    }
    code.StoreRun(s.data);
  } else {
    code.LoadRun(s.mask, s.result);
  }
  a.bind(s.exits.done);
  b_.region.cold.push_back([&region = b_.region, s, is_run, beyond, limit] {
    if (s.is_store) EmitPartial(region, s);
    if (is_run) {
      region.a.bind(beyond);
      EmitLdsLimitForRuntime(region.a, limit);
      LookAtFirstLane(region.a, s);
    }
    EmitScatteredLds(region, s);
    EmitSlow(region, s);
  });
}

}  // namespace gcnjit::backend::avx2
