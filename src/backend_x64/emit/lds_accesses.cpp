#include "backend_x64/emit/lds_accesses.h"

#include <algorithm>

namespace gcnjit::backend {

using ir::Inst;
using ir::Op;
using ir::Value;

namespace {

// Of a lane's data, from its address on: some loads read whole dwords, or 16 bytes for 12.
uint32_t EndOfAccess(const Inst& inst) {
  const uint32_t bytes = inst.access().bytes;
  const uint32_t read = bytes == 12 ? 16 : std::max(bytes, 4u);
  return static_cast<uint32_t>(inst.imm) + read;
}

}  // namespace

LdsAccesses::LdsAccesses(RegionAssembler& region, BlockVersion& version, Cursor& at,
                         ValueMemory& memory, ScalarRegisters& scalars)
    : a(region.a),
      region_(region),
      version_(version),
      at_(at),
      block_(at.block),
      memory_(memory),
      scalars_(scalars) {}

void LdsAccesses::CollectGroups(const Stage& stage) {
  groups_.clear();
  for (const Value v : stage.lane_ops) {
    const Inst& inst = block_.function[v];
    // Offsets of DS instructions are not negative.
    if (inst.op != Op::kLoadLds || inst.imm < 0) continue;
    const AddressShape shape = at_.ShapeOfAddress(inst.args[0]);
    const uint32_t bytes = inst.access().bytes;
    if (bytes != 4 && !shape.is_known) continue;
    const auto same = std::find_if(groups_.begin(), groups_.end(), [&](const Group& g) {
      const Inst& leader = block_.function[g.leader];
      return std::equal(leader.args, leader.args + 3, inst.args);
    });
    Group& group = same != groups_.end() ? *same : groups_.emplace_back(Group{v, shape});
    group.last_offset = std::max(group.last_offset, static_cast<uint32_t>(inst.imm));
    group.end = std::max(group.end, EndOfAccess(inst));
    ++group.count;
  }
  std::erase_if(groups_, [](const Group& g) { return g.count < 2 && !g.shape.is_known; });
}

void LdsAccesses::FindGroups(const Stage& stage) {
  CollectGroups(stage);
  for (Guard& guard : guards_) {
    const bool is_here = std::any_of(stage.lane_ops.begin(), stage.lane_ops.end(),
                                     [&](Value v) { return GuardOf(v) == &guard; });
    if (is_here) guard.gpr = scalars_.Borrow();
  }
  for (Group& group : groups_) {
    if (GuardOf(group.leader) != nullptr) continue;
    group.temp = region_.frame.temps.Take();
    for (int part = 0; part < at_.parts; ++part) group.slots[part] = region_.frame.slots.Take();
    // In a loop, scalars change between the lane operations.
    if (group.shape.has_one_base && group.count > 1 && !block_.plan.loop)
      group.gpr = scalars_.Borrow();
  }
}

void LdsAccesses::FreeGroups() {
  for (Guard& guard : guards_) {
    if (guard.gpr) scalars_.GiveBack(*guard.gpr);
    guard.gpr.reset();
    guard.is_there = false;
  }
  for (const Group& group : groups_) {
    if (GuardOf(group.leader) != nullptr) continue;
    region_.frame.temps.Free(group.temp);
    for (int part = 0; part < at_.parts; ++part) region_.frame.slots.Free(group.slots[part]);
    if (group.gpr) scalars_.GiveBack(*group.gpr);
  }
}

const LdsAccesses::Group* LdsAccesses::GroupOf(Value v) const {
  const Inst& inst = block_.function[v];
  if (inst.imm < 0) return nullptr;
  const auto found = std::find_if(groups_.begin(), groups_.end(), [&](const Group& g) {
    const Inst& leader = block_.function[g.leader];
    return std::equal(leader.args, leader.args + 3, inst.args);
  });
  if (found == groups_.end()) return nullptr;
  return inst.access().bytes == 4 || found->shape.is_known ? &*found : nullptr;
}

bool LdsAccesses::IsUnlimited(Value limit) const {
  uint64_t constant = 0;
  return block_.IsConst(limit, &constant) && constant >= 64 * 1024;
}

LdsLimit LdsAccesses::LimitOf(Value limit) {
  LdsLimit result;
  result.is_unlimited = IsUnlimited(limit);
  if (!result.is_unlimited) result.memory = memory_.Scalar(limit);
  return result;
}

int32_t LdsAccesses::SpanOf(const Group& group, int first, int end) const {
  const AddressShape& shape = group.shape;
  const int32_t lowest = shape.Lowest(first, end);
  int32_t span = shape.Highest(first, end) - lowest + static_cast<int32_t>(group.end);
  for (int p = first; p < end; ++p) {
    // What is near is loaded as a whole register.
    if (shape.IsUniform(p) || !shape.IsNear(p)) continue;
    const int32_t near_end = shape.Lowest(p, p + 1) - lowest + block_.lanes * 4;
    span = std::max(span, near_end + static_cast<int32_t>(group.last_offset));
  }
  return span;
}

// Is it known at the block's begin where an access will be, so that it can be decided there whether
// it is within bounds? In a loop the address may change from iteration to iteration.
bool LdsAccesses::CanGuard(const Inst& access, const AddressShape& shape) const {
  const Op limit = block_.function[access.args[2]].op;
  return at_.parts * block_.lanes == ir::kLanes && shape.has_one_base && access.imm >= 0 &&
         (block_.function[access.args[0]].op == Op::kGetVgpr ||
          block_.KnownLane(access.args[0], 0)) &&
         (limit == Op::kConst || limit == Op::kGetSgpr);
}

int16_t LdsAccesses::FindGuard(Value address, Value limit) {
  const auto same = std::find_if(guards_.begin(), guards_.end(), [&](const Guard& g) {
    return g.address == address && g.limit == limit;
  });
  const auto index = static_cast<int16_t>(same - guards_.begin());
  if (same == guards_.end()) {
    guards_.emplace_back(Guard{address, limit, block_.KnownLane(address, 0)});
  }
  return index;
}

// Is it known without looking?
bool LdsAccesses::IsWithinLds(const Guard& guard) const {
  if (!guard.first_lane || !IsUnlimited(guard.limit)) return false;
  const int64_t first = *guard.first_lane;
  return first + guard.begin >= 0 && first + guard.end <= int64_t{region_.options.group.lds_bytes};
}

void LdsAccesses::FindGuards() {
  guard_of_.assign(block_.function.insts.size(), -1);
  for (const Stage& stage : block_.plan.stages) {
    for (const Value v : stage.lane_ops) {
      const Inst& inst = block_.function[v];
      const bool is_store = inst.op == Op::kStoreLds;
      if (inst.op != Op::kLoadLds && !is_store) continue;
      at_.parts = stage.slice_parts;
      const AddressShape shape = at_.ShapeOfAddress(inst.args[0]);
      if (!CanGuard(inst, shape)) continue;
      at_.parts = EndOfStandIns(block_.part_bits[v.id], at_.parts);
      if (is_store && !IsShapedStore(inst, shape)) continue;
      guard_of_[v.id] = FindGuard(inst.args[0], inst.args[2]);
      Guard& guard = guards_[guard_of_[v.id]];
      guard.loads += !is_store;
      Group alone{v, shape};
      alone.last_offset = static_cast<uint32_t>(inst.imm);
      alone.end = EndOfAccess(inst);
      const int32_t lowest = shape.Lowest(0, at_.parts);
      guard.begin = std::min(guard.begin, lowest);
      guard.end = std::max(guard.end, lowest + SpanOf(alone, 0, at_.parts));
    }
  }
  // One load looks at its bounds as quickly as the block's begin does, which would want the block
  // to have another version.
  const bool is_group_code = ir::WaveOf(block_.source.begin) >= 0;
  for (int16_t& guard : guard_of_) {
    if (guard >= 0 && guards_[guard].loads < 2 && !is_group_code) guard = -1;
  }
}

void LdsAccesses::EmitGuards() {
  if (!version_.general.label.isValid() || block_.plan.loop) return;
  FindGuards();
  for (size_t n = 0; n < guards_.size(); ++n) {
    if (std::find(guard_of_.begin(), guard_of_.end(), n) == guard_of_.end()) continue;
    const Guard& guard = guards_[n];
    if (IsWithinLds(guard)) continue;
    version_.general.is_wanted = true;
    EmitLdsLimit(a, LimitOf(guard.limit));
    if (guard.first_lane) {
      a.mov(x86::eax, *guard.first_lane);
    } else {
      const auto vgpr = static_cast<int32_t>(block_.function[guard.address].imm);
      a.mov(x86::eax,
            x86::dword_ptr(x86::rbx, region_.options.layout.vgpr + vgpr * ir::kLanes * 4));
    }
    if (guard.begin != 0) a.lea(x86::rax, x86::ptr(x86::rax, guard.begin));
    a.sub(x86::rcx, guard.end - guard.begin);
    a.jl(version_.general.label);
    a.cmp(x86::rax, x86::rcx);
    a.ja(version_.general.label);
  }
}

x86::Gp LdsAccesses::EmitGuardedBase(Guard& guard) {
  const x86::Gp base = guard.gpr ? Gp(*guard.gpr, true) : x86::Gp(x86::rax);
  if (guard.is_there) return base;
  const x86::Mem lds = x86::ptr(x86::r12, offsetof(RegionContext, lds.begin));
  if (guard.first_lane) {
    a.mov(base, lds);
  } else {
    a.mov(base.r32(), memory_.FirstLane(guard.address));
    a.add(base, lds);
  }
  guard.is_there = guard.gpr.has_value();
  return base;
}

bool LdsAccesses::IsShapedStore(const Inst& inst, const AddressShape& shape) const {
  const ir::MemoryAccess access = inst.access();
  if (!shape.has_one_base || inst.imm < 0 || at_.parts * access.Dwords() > 8) return false;
  for (int p = 0; p < at_.parts; ++p) {
    if (!shape.HasStep(p, access.bytes)) return false;
  }
  return true;
}

}  // namespace gcnjit::backend
