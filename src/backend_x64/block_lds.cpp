// LDS loads that have their address in common, in whatever way the host does them.
#include <algorithm>

#include "backend_x64/block_emitter.h"

namespace gcnjit::backend {

using ir::Inst;
using ir::Op;
using ir::Value;

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
    // Some moves read whole dwords, or 16 bytes for 12.
    const uint32_t read = bytes == 12 ? 16 : std::max(bytes, 4u);
    group.end = std::max(group.end, static_cast<uint32_t>(inst.imm) + read);
    ++group.count;
  }
  std::erase_if(lds_groups_, [](const LdsGroup& g) { return g.count < 2 && !g.shape.is_known; });
  for (LdsGroup& group : lds_groups_) group.is_guarded = CanGuard(group);
}

void BlockEmitter::FindLdsGroups(const Stage& stage) {
  CollectLdsGroups(stage);
  for (LdsGroup& group : lds_groups_) {
    group.temp = shared_.temps.Take();
    for (int part = 0; part < parts_; ++part) group.slots[part] = shared_.slots.Take();
    // In a loop, scalars change between the lane operations.
    if (group.shape.has_one_base && group.count > 1 && !plan_.loop) group.gpr = gprs_.TryTake();
  }
}

void BlockEmitter::FreeLdsGroups() {
  for (const LdsGroup& group : lds_groups_) {
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

LdsLimit BlockEmitter::LdsLimitOf(const Inst& inst) {
  uint64_t constant = 0;
  LdsLimit limit;
  limit.is_unlimited = IsConst(inst.args[2], &constant) && constant >= 64 * 1024;
  if (!limit.is_unlimited) limit.memory = ScalarMemory(inst.args[2]);
  return limit;
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

// Is it known at the block's begin where the group's loads will be, so that it can be decided there
// whether all of them are within bounds? In a loop the address may change from iteration to
// iteration.
bool BlockEmitter::CanGuard(const LdsGroup& group) const {
  const Inst& leader = function_[group.leader];
  const Op limit = function_[leader.args[2]].op;
  return shared_.general.isValid() && !plan_.loop && parts_ * lanes_ == ir::kLanes &&
         group.shape.has_one_base && group.count > 1 &&
         function_[leader.args[0]].op == Op::kGetVgpr &&
         (limit == Op::kConst || limit == Op::kGetSgpr);
}

// Goes on in the block's general version unless what guarded groups load is within bounds.
void BlockEmitter::EmitLdsGuards() {
  if (!shared_.general.isValid()) return;
  for (const Stage& stage : plan_.stages) {
    parts_ = stage.slice_parts;
    CollectLdsGroups(stage);
    for (const LdsGroup& group : lds_groups_) {
      if (!group.is_guarded) continue;
      shared_.wants_general = true;
      const Inst& leader = function_[group.leader];
      const auto vgpr = static_cast<int32_t>(function_[leader.args[0]].imm);
      const int32_t lowest = group.shape.Lowest(0, parts_);
      EmitLdsLimit(a, LdsLimitOf(leader));
      a.mov(x86::eax, x86::dword_ptr(x86::rbx, shared_.layout.vgpr + vgpr * ir::kLanes * 4));
      if (lowest != 0) a.lea(x86::rax, x86::ptr(x86::rax, lowest));
      a.sub(x86::rcx, LdsSpan(group, 0, parts_));
      a.jl(shared_.general);
      a.cmp(x86::rax, x86::rcx);
      a.ja(shared_.general);
    }
  }
  lds_groups_.clear();
}

}  // namespace gcnjit::backend
