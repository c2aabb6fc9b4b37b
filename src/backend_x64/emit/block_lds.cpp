// LDS loads that have their address in common, in whatever way the host does them.
#include <algorithm>

#include "backend_x64/emit/block.h"

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

void BlockEmitter::CollectLdsGroups(const Stage& stage) {
  lds_groups_.clear();
  for (const Value v : stage.lane_ops) {
    const Inst& inst = function_[v];
    // Offsets of DS instructions are not negative.
    if (inst.op != Op::kLoadLds || inst.imm < 0) continue;
    const AddressShape shape = ShapeOfAddress(inst.args[0]);
    const uint32_t bytes = inst.access().bytes;
    if (bytes != 4 && !shape.is_known) continue;
    const auto same = std::find_if(lds_groups_.begin(), lds_groups_.end(), [&](const LdsGroup& g) {
      const Inst& leader = function_[g.leader];
      return std::equal(leader.args, leader.args + 3, inst.args);
    });
    LdsGroup& group =
        same != lds_groups_.end() ? *same : lds_groups_.emplace_back(LdsGroup{v, shape});
    group.last_offset = std::max(group.last_offset, static_cast<uint32_t>(inst.imm));
    group.end = std::max(group.end, EndOfAccess(inst));
    ++group.count;
  }
  std::erase_if(lds_groups_, [](const LdsGroup& g) { return g.count < 2 && !g.shape.is_known; });
}

void BlockEmitter::FindLdsGroups(const Stage& stage) {
  CollectLdsGroups(stage);
  for (LdsGuard& guard : lds_guards_) {
    const bool is_here = std::any_of(stage.lane_ops.begin(), stage.lane_ops.end(),
                                     [&](Value v) { return GuardOf(v) == &guard; });
    if (is_here) guard.gpr = TakeScratchGpr();
  }
  for (LdsGroup& group : lds_groups_) {
    if (GuardOf(group.leader) != nullptr) continue;
    group.temp = shared_.temps.Take();
    for (int part = 0; part < parts_; ++part) group.slots[part] = shared_.slots.Take();
    // In a loop, scalars change between the lane operations.
    if (group.shape.has_one_base && group.count > 1 && !plan_.loop) group.gpr = TakeScratchGpr();
  }
}

void BlockEmitter::FreeLdsGroups() {
  for (LdsGuard& guard : lds_guards_) {
    if (guard.gpr >= 0) gprs_.Free(guard.gpr);
    guard.gpr = -1;
    guard.is_there = false;
  }
  for (const LdsGroup& group : lds_groups_) {
    if (GuardOf(group.leader) != nullptr) continue;
    shared_.temps.Free(group.temp);
    for (int part = 0; part < parts_; ++part) shared_.slots.Free(group.slots[part]);
    if (group.gpr >= 0) gprs_.Free(group.gpr);
  }
}

const BlockEmitter::LdsGroup* BlockEmitter::LdsGroupOf(Value v) {
  const Inst& inst = function_[v];
  if (inst.imm < 0) return nullptr;
  const auto found = std::find_if(lds_groups_.begin(), lds_groups_.end(), [&](const LdsGroup& g) {
    const Inst& leader = function_[g.leader];
    return std::equal(leader.args, leader.args + 3, inst.args);
  });
  if (found == lds_groups_.end()) return nullptr;
  return inst.access().bytes == 4 || found->shape.is_known ? &*found : nullptr;
}

bool BlockEmitter::LdsLimitIsUnlimited(Value limit) const {
  uint64_t constant = 0;
  return IsConst(limit, &constant) && constant >= 64 * 1024;
}

LdsLimit BlockEmitter::LdsLimitOf(Value limit) {
  LdsLimit result;
  result.is_unlimited = LdsLimitIsUnlimited(limit);
  if (!result.is_unlimited) result.memory = ScalarMemory(limit);
  return result;
}

// Bytes from the lowest lane's address in the parts [first, end) on that loads of the group read.
int32_t BlockEmitter::LdsSpan(const LdsGroup& group, int first, int end) const {
  const AddressShape& shape = group.shape;
  const int32_t lowest = shape.Lowest(first, end);
  int32_t span = shape.Highest(first, end) - lowest + static_cast<int32_t>(group.end);
  for (int p = first; p < end; ++p) {
    // What is near is loaded as a whole register.
    if (shape.IsUniform(p) || !shape.IsNear(p)) continue;
    const int32_t near_end = shape.Lowest(p, p + 1) - lowest + lanes_ * 4;
    span = std::max(span, near_end + static_cast<int32_t>(group.last_offset));
  }
  return span;
}

// Is it known at the block's begin where an access will be, so that it can be decided there whether
// it is within bounds? In a loop the address may change from iteration to iteration.
bool BlockEmitter::CanGuard(const Inst& access, const AddressShape& shape) const {
  const Op limit = function_[access.args[2]].op;
  return parts_ * lanes_ == ir::kLanes && shape.has_one_base && access.imm >= 0 &&
         (function_[access.args[0]].op == Op::kGetVgpr || KnownLane(access.args[0], 0)) &&
         (limit == Op::kConst || limit == Op::kGetSgpr);
}

int16_t BlockEmitter::FindGuard(Value address, Value limit) {
  const auto same = std::find_if(lds_guards_.begin(), lds_guards_.end(), [&](const LdsGuard& g) {
    return g.address == address && g.limit == limit;
  });
  const auto index = static_cast<int16_t>(same - lds_guards_.begin());
  if (same == lds_guards_.end()) {
    lds_guards_.emplace_back(LdsGuard{address, limit, KnownLane(address, 0)});
  }
  return index;
}

// Is it known without looking?
bool BlockEmitter::IsWithinLds(const LdsGuard& guard) const {
  if (!guard.first_lane || !LdsLimitIsUnlimited(guard.limit)) return false;
  const int64_t first = *guard.first_lane;
  return first + guard.begin >= 0 && first + guard.end <= int64_t{shared_.group_lds_bytes};
}

void BlockEmitter::FindLdsGuards() {
  guard_of_.assign(function_.insts.size(), -1);
  for (const Stage& stage : plan_.stages) {
    for (const Value v : stage.lane_ops) {
      const Inst& inst = function_[v];
      const bool is_store = inst.op == Op::kStoreLds;
      if (inst.op != Op::kLoadLds && !is_store) continue;
      parts_ = stage.slice_parts;
      const AddressShape shape = ShapeOfAddress(inst.args[0]);
      if (!CanGuard(inst, shape)) continue;
      parts_ = EndOfStandIns(part_bits_[v.id], parts_);
      if (is_store && !IsShapedStore(inst, shape)) continue;
      guard_of_[v.id] = FindGuard(inst.args[0], inst.args[2]);
      LdsGuard& guard = lds_guards_[guard_of_[v.id]];
      guard.loads += !is_store;
      LdsGroup alone{v, shape};
      alone.last_offset = static_cast<uint32_t>(inst.imm);
      alone.end = EndOfAccess(inst);
      const int32_t lowest = shape.Lowest(0, parts_);
      guard.begin = std::min(guard.begin, lowest);
      guard.end = std::max(guard.end, lowest + LdsSpan(alone, 0, parts_));
    }
  }
  // One load looks at its bounds as quickly as the block's begin does, which would want the block
  // to have another version.
  const bool is_group_code = ir::WaveOf(block_.begin) >= 0;
  for (int16_t& guard : guard_of_) {
    if (guard >= 0 && lds_guards_[guard].loads < 2 && !is_group_code) guard = -1;
  }
}

// Goes on in the block's general version unless what is guarded is within bounds.
void BlockEmitter::EmitLdsGuards() {
  if (!shared_.general.isValid() || plan_.loop) return;
  FindLdsGuards();
  for (size_t n = 0; n < lds_guards_.size(); ++n) {
    if (std::find(guard_of_.begin(), guard_of_.end(), n) == guard_of_.end()) continue;
    const LdsGuard& guard = lds_guards_[n];
    if (IsWithinLds(guard)) continue;
    shared_.wants_general = true;
    EmitLdsLimit(a, LdsLimitOf(guard.limit));
    if (guard.first_lane) {
      a.mov(x86::eax, *guard.first_lane);
    } else {
      const auto vgpr = static_cast<int32_t>(function_[guard.address].imm);
      a.mov(x86::eax, x86::dword_ptr(x86::rbx, shared_.layout.vgpr + vgpr * ir::kLanes * 4));
    }
    if (guard.begin != 0) a.lea(x86::rax, x86::ptr(x86::rax, guard.begin));
    a.sub(x86::rcx, guard.end - guard.begin);
    a.jl(shared_.general);
    a.cmp(x86::rax, x86::rcx);
    a.ja(shared_.general);
  }
}

// What a guarded access counts from: the first lane's address in host memory, or where LDS begins.
x86::Gp BlockEmitter::EmitGuardedBase(LdsGuard& guard) {
  const x86::Gp base = guard.gpr >= 0 ? x86::gpq(static_cast<uint32_t>(guard.gpr)) : x86::rax;
  if (guard.is_there) return base;
  const x86::Mem lds = x86::ptr(x86::r12, offsetof(RegionContext, lds));
  if (guard.first_lane) {
    a.mov(base, lds);
  } else {
    a.mov(base.r32(), FirstLane(guard.address));
    a.add(base, lds);
  }
  guard.is_there = guard.gpr >= 0;
  return base;
}

// Can a store be done for all parts at once, as runs at known distances from each other?
bool BlockEmitter::IsShapedStore(const Inst& inst, const AddressShape& shape) const {
  const ir::MemoryAccess access = inst.access();
  if (!shape.has_one_base || inst.imm < 0 || parts_ * access.Dwords() > 8) return false;
  for (int p = 0; p < parts_; ++p) {
    if (!shape.HasStep(p, access.bytes)) return false;
  }
  return true;
}

}  // namespace gcnjit::backend
