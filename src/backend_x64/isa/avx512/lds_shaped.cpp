// LDS loads and stores whose lanes' addresses are at distances known when code is compiled. Nothing
// but a look at the bounds is left to be done at run time; for loads it is done once for all of a
// stage that have their address in common.
#include <algorithm>

#include "backend_x64/isa/avx512/access_code.h"
#include "backend_x64/isa/avx512/lane_stores.h"
#include "backend_x64/isa/avx512/lds.h"

namespace gcnjit::backend::avx512 {

using ir::Inst;
using ir::Op;
using ir::Value;

namespace {

// How far the lanes of a part are from `from`.
ConstantPool::Vector OffsetsOf(const AddressShape& shape, int part, int32_t from) {
  ConstantPool::Vector v;
  for (int n = 0; n < kLanes; ++n) v[n] = static_cast<uint32_t>(shape.Offset(part, n) - from);
  return v;
}

// Do two parts of a slice load the same dwords?
bool LoadSame(const AddressShape& shape, int part, int other) {
  const int32_t* const lanes = &shape.offsets[part * kLanes];
  return shape.has_one_base && std::equal(lanes, lanes + kLanes, &shape.offsets[other * kLanes]);
}

}  // namespace

// To the group's register or slot: where the lowest lane's data without an offset is, in host
// memory; or, if not all that the group loads is within bounds, the first lane's address with bit
// 63 set.
void LdsCode::EmitBase(const LdsAccesses::Group& group, const LdsLimit& limit, int part) {
  const AddressShape& shape = group.shape;
  const int end = shape.has_one_base ? parts() : part + 1;
  const int32_t lowest = shape.Lowest(part, end);
  const x86::Mem slot = b_.memory.Slot(group.slots[part]);
  const x86::Gp base = group.gpr ? Gp(*group.gpr, true) : x86::Gp(x86::rdx);
  const asmjit::Label beyond = a.newLabel();
  const asmjit::Label done = a.newLabel();
  const int low = Use(InstOf(group.leader).args[0], part);
  EmitLdsLimit(a, limit);
  a.vmovd(x86::eax, X(low));
  a.lea(base, x86::ptr(x86::rax, lowest));
  a.sub(x86::rcx, b_.accesses.lds.SpanOf(group, part, end));
  a.jl(beyond);
  a.cmp(base, x86::rcx);
  a.ja(beyond);
  a.add(base, LdsBegin());
  a.bind(done);
  if (!group.gpr) a.mov(slot, base);
  b_.region.cold.push_back([&region = b_.region, beyond, done, base] {
    region.a.bind(beyond);
    region.a.bts(x86::rax, 63);
    region.a.mov(base, x86::rax);
    region.a.jmp(done);
  });
}

void LdsCode::EmitShapedLoad(Value v, const Inst& inst, const LdsAccesses::Group& group, int part) {
  if (LdsAccesses::Guard* const guard = b_.accesses.lds.GuardOf(v))
    return EmitGuardedLoad(v, inst, *guard, part);
  const ir::MemoryAccess access = inst.access();
  const AddressShape& shape = group.shape;
  const LdsLimit limit = b_.accesses.lds.LimitOf(inst);
  if (group.leader == v && (part == 0 || !shape.has_one_base)) EmitBase(group, limit, part);
  // All parts at once need one look at the base.
  const bool together = shape.has_one_base && parts() * access.Dwords() <= 8;
  const SiteId site = SiteOf(v, part);
  if (together && part != 0) return;
  const int end = together ? parts() : part + 1;
  PartAccess slow[4];
  std::vector<int> own;
  for (int p = part; p < end; ++p) {
    if (!b_.block.IsStandIn(v, p)) continue;
    own.push_back(p);
    slow[p] = PartOf(inst, site, p);
    slow[p].address.low = kT2;
    slow[p].mask = AccessMask(inst.args[1], p);
    DefResults(v, inst, p, slow[p].result);
    slow[p].exits.slow = a.newLabel();
    slow[p].exits.done = a.newLabel();
  }
  const int32_t lowest =
      shape.Lowest(shape.has_one_base ? 0 : part, shape.has_one_base ? parts() : end);
  const auto imm = static_cast<int32_t>(inst.imm);
  const asmjit::Label beyond = a.newLabel();
  const x86::Gp base = group.gpr ? Gp(*group.gpr, true) : x86::Gp(x86::rax);
  const x86::Mem slot = b_.memory.Slot(group.slots[shape.has_one_base ? 0 : part]);
  if (!group.gpr) a.mov(base, slot);
  a.test(base, base);
  a.js(beyond);
  for (const int p : own) {
    // All lanes of one that has loaded all of its own.
    const auto like = std::find_if(own.begin(), own.end(), [&](int other) {
      return other == p || (slow[other].mask < 0 && slow[p].mask < 0 && LoadSame(shape, other, p));
    });
    if (*like == p) {
      LoadShaped(access, shape, p, slow[p].mask, slow[p].result, x86::ptr(base, imm - lowest));
      continue;
    }
    for (int n = 0; n < access.Dwords(); ++n) {
      if (slow[p].result[n] < 0) continue;
      a.vmovdqa32(Z(slow[p].result[n]), Z(slow[*like].result[n]));
    }
  }
  std::vector<PartAccess> all_slow;
  for (const int p : own) all_slow.push_back(slow[p]);
  a.bind(all_slow.back().exits.done);
  const bool in_gpr = group.gpr.has_value();
  b_.region.cold.push_back(
      [&region = b_.region, all_slow, shape, limit, slot, base, in_gpr, beyond] {
        x86::Assembler& c = region.a;
        c.bind(beyond);
        for (const PartAccess& s : all_slow) {
          if (in_gpr) {
            c.mov(x86::eax, base.r32());
          } else {
            c.mov(x86::rax, slot);
          }
          const int32_t from = shape.has_one_base ? 0 : shape.Offset(s.part);
          c.vpbroadcastd(Z(kT2), x86::eax);
          c.vpaddd(Z(kT2), Z(kT2), region.constants.Whole(OffsetsOf(shape, s.part, from)));
          EmitScatteredLds(region, s, limit);
          if (&s != &all_slow.back()) c.bind(s.exits.done);
        }
      });
}

// How many of a part's lanes a run of dwords is for, if these are its first ones, as many as a host
// register of some width has; else 0.
int LdsCode::FirstLanesOf(const Inst& inst, int part) const {
  const std::optional<uint32_t> lanes = b_.at.ConstantLanes(inst.args[1], part);
  if (!lanes || inst.access().bytes != 4) return 0;
  for (const int count : {1, 2, 4, 8}) {
    if (*lanes == (1u << count) - 1) return count;
  }
  return 0;
}

void LdsCode::EmitGuardedLoad(Value v, const Inst& inst, LdsAccesses::Guard& guard, int part) {
  const AddressShape shape = b_.at.ShapeOfAddress(inst.args[0]);
  const int first_lanes = shape.HasStep(part, 4) ? FirstLanesOf(inst, part) : 0;
  const int mask = first_lanes != 0 ? -1 : AccessMask(inst.args[1], part);
  int result[4];
  DefResults(v, inst, part, result);
  const x86::Mem at = x86::ptr(b_.accesses.lds.EmitGuardedBase(guard), guard.Offset(inst));
  if (first_lanes == 0) return LoadShaped(inst.access(), shape, part, mask, result, at);
  AccessCode(b_.region).LoadFirst(first_lanes, result[0], at.cloneAdjusted(shape.Offset(part)));
}

// All parts at once.
void LdsCode::EmitGuardedStore(const Inst& inst, LdsAccesses::Guard& guard) {
  const AddressShape shape = b_.at.ShapeOfAddress(inst.args[0]);
  int data[4][4] = {};
  int masks[4] = {-1, -1, -1, -1};
  for (int p = 0; p < parts(); ++p) {
    for (int n = 3; n < inst.argument_count; ++n) data[p][n - 3] = Use(inst.args[n], p);
    if (FirstLanesOf(inst, p) == 0) masks[p] = AccessMask(inst.args[1], p);
  }
  const x86::Gp base = b_.accesses.lds.EmitGuardedBase(guard);  // last: it may be rax
  for (int p = 0; p < parts(); ++p) {
    const x86::Mem at = x86::ptr(base, guard.Offset(inst) + shape.Offset(p));
    if (const int first_lanes = FirstLanesOf(inst, p)) {
      AccessCode(b_.region).StoreFirst(first_lanes, data[p][0], at);
    } else {
      AccessCode(b_.region).StoreRun(inst.access(), masks[p], data[p], at);
    }
  }
}

// `base`: what offset 0 is relative to.
void LdsCode::LoadShaped(const ir::MemoryAccess& access, const AddressShape& shape, int part,
                         int mask, const int (&result)[4], const x86::Mem& base) {
  const x86::Mem first = base.cloneAdjusted(shape.Offset(part));
  if (shape.HasStep(part, access.bytes))
    return AccessCode(b_.region).LoadRun(access, mask, result, first);
  const int32_t lowest = shape.Lowest(part, part + 1);
  for (int n = 0; n < access.Dwords(); ++n) {
    if (result[n] < 0) continue;
    if (shape.IsUniform(part)) {
      OrZero(a, mask).vbroadcastss(Z(result[n]), first.cloneAdjusted(n * 4));
    } else if (access.bytes == 4 && shape.IsNear(part)) {
      ConstantPool::Vector indices = OffsetsOf(shape, part, lowest);
      for (uint32_t& index : indices) index /= 4;
      a.vmovdqa32(Z(kT0), b_.region.constants.Whole(indices));
      OrZero(a, mask).vpermd(Z(result[n]), Z(kT0), base.cloneAdjusted(lowest));
    } else {
      a.vmovdqa32(Z(kT0), b_.region.constants.Whole(OffsetsOf(shape, part, lowest)));
      CopyMask(a, kM0, mask);
      x86::Mem memory = base.cloneAdjusted(lowest + n * 4);
      memory.setIndex(Z(kT0));
      a.vpxord(Z(result[n]), Z(result[n]), Z(result[n]));
      a.k(K(kM0)).vpgatherdd(Z(result[n]), memory);
    }
    AccessCode(b_.region).NarrowTo(access, result[n]);
  }
}

// All parts at once, if they are runs at known distances from each other. False: they are not.
bool LdsCode::EmitShapedStore(Value v, const Inst& inst, int part) {
  const AddressShape shape = b_.at.ShapeOfAddress(inst.args[0]);
  if (!b_.accesses.lds.IsShapedStore(inst, shape)) return false;
  if (part != 0) return true;
  if (LdsAccesses::Guard* const guard = b_.accesses.lds.GuardOf(v)) {
    EmitGuardedStore(inst, *guard);
    return true;
  }
  const ir::MemoryAccess access = inst.access();
  const auto imm = static_cast<int32_t>(inst.imm);
  const SiteId site = b_.accesses.sites.Add(v);
  const LdsLimit limit = b_.accesses.lds.LimitOf(inst);
  std::vector<PartAccess> all;
  for (int p = 0; p < parts(); ++p) {
    PartAccess& s = all.emplace_back(PartOf(inst, site, p));
    s.address.low = kT2;
    s.mask = AccessMask(inst.args[1], p);
    UseData(inst, p, s.data);
    s.exits.slow = a.newLabel();
    s.exits.done = a.newLabel();
  }
  const int32_t lowest = shape.Lowest(0, parts());
  const int32_t span = shape.Highest(0, parts()) - lowest + access.bytes;
  const asmjit::Label beyond = a.newLabel();
  const int low = Use(inst.args[0], 0);
  EmitLdsLimit(a, limit);
  a.vmovd(x86::eax, X(low));
  if (lowest + imm != 0) a.lea(x86::rax, x86::ptr(x86::rax, lowest + imm));
  a.sub(x86::rcx, span);
  a.jl(beyond);
  a.cmp(x86::rax, x86::rcx);
  a.ja(beyond);
  a.add(x86::rax, LdsBegin());
  for (const PartAccess& s : all) {
    AccessCode(b_.region).StoreRun(access, s.mask, s.data,
                                   x86::ptr(x86::rax, shape.Offset(s.part) - lowest));
  }
  a.bind(all.back().exits.done);
  LaneStores(b_.region, access).Prepare();
  b_.region.cold.push_back([&region = b_.region, all, shape, limit, low, beyond] {
    x86::Assembler& c = region.a;
    c.bind(beyond);
    for (const PartAccess& s : all) {
      c.vpbroadcastd(Z(kT2), X(low));
      c.vpaddd(Z(kT2), Z(kT2), region.constants.Whole(OffsetsOf(shape, s.part, 0)));
      EmitScatteredLds(region, s, limit);
      if (&s != &all.back()) c.bind(s.exits.done);
    }
  });
  return true;
}

}  // namespace gcnjit::backend::avx512
