// Accesses of the indexed form that differ in what they move and in a constant offset, if at all:
// where the lanes of one are a run of consecutive elements, so are those of the others.
#include <algorithm>
#include <cstdlib>

#include "backend_x64/block_emitter.h"

namespace gcnjit::backend {

using ir::Inst;
using ir::Op;
using ir::Value;

BlockEmitter::RunKey BlockEmitter::KeyOf(Value v) const {
  const Inst& inst = function_[v];
  const ir::MemoryAccess access = inst.access();
  return {inst.args[0].id,    inst.args[1].id,     access.bytes,
          access.index_shift, access.index_signed, part_bits_[v.id]};
}

void BlockEmitter::FindRunGroups(const Stage& stage) {
  run_groups_.clear();
  // In a loop, scalars change between the lane operations.
  if (plan_.loop) return;
  for (const Value v : stage.lane_ops) {
    const Inst& inst = function_[v];
    if (inst.op != Op::kLoad && inst.op != Op::kStore) continue;
    if (inst.access().indexed) ++run_groups_[KeyOf(v)].left;
  }
}

BlockEmitter::RunAddress BlockEmitter::RunAddressOf(Value v) {
  const Inst& inst = function_[v];
  const auto found = run_groups_.find(KeyOf(v));
  if (found == run_groups_.end()) return {};
  RunGroup& group = found->second;
  --group.left;
  RunAddress address;
  if (group.gpr < 0) {
    if (group.left == 0) return {};
    address.to = group.gpr = gprs_.TryTake();
    group.imm = inst.imm;
    group.owner = v;
    return address;
  }
  // Small enough that 0 and the distance are in no window: those keep farther away from the ends.
  const int64_t distance = inst.imm - group.imm;
  if (std::abs(distance) < ir::kMaxLaneOffset) {
    address.from = group.gpr;
    address.distance = static_cast<int32_t>(distance);
  }
  // This access is the last to need it, and takes no register itself.
  if (group.left == 0) gprs_.Free(group.gpr);
  return address;
}

// Is there nothing between two lane operations of the stage that writes to memory?
bool BlockEmitter::ReadsTheSame(Value first, Value second) const {
  const std::vector<Value>& ops = plan_.stages[stage_].lane_ops;
  const auto begin = std::find(ops.begin(), ops.end(), first);
  const auto end = std::find(begin, ops.end(), second);
  return std::none_of(begin, end, [this](Value v) {
    const ir::Effect effect = ir::InfoOf(function_[v].op).effect;
    return effect != ir::Effect::kPure && effect != ir::Effect::kRead;
  });
}

std::optional<BlockEmitter::ShiftedLoad> BlockEmitter::ShiftedLoadOf(Value v) {
  const auto found = run_groups_.find(KeyOf(v));
  if (parts_ == 1 || found == run_groups_.end() || found->second.gpr < 0) return std::nullopt;
  const RunGroup& group = found->second;
  const Inst& inst = function_[v];
  const Inst& from = function_[group.owner];
  if (inst.op != Op::kLoad || from.op != Op::kLoad || inst.access().bytes != 4) return std::nullopt;
  if (!IsAllLanes(from.args[2]) || !ReadsTheSame(group.owner, v)) return std::nullopt;
  const int64_t bytes = inst.imm - group.imm;
  const int64_t lanes = bytes / 4;
  if (bytes % 4 != 0 || std::abs(lanes) >= lanes_) return std::nullopt;
  ShiftedLoad shifted{static_cast<int>(lanes)};
  for (int part = 0; part < parts_; ++part) {
    const int reg = RegOf({group.owner, 0, static_cast<uint8_t>(part)});
    if (reg < 0) return std::nullopt;
    shifted.from[part] = reg;
  }
  for (int part = 0; part < parts_; ++part) vectors_.Pin(shifted.from[part]);
  return shifted;
}

}  // namespace gcnjit::backend
