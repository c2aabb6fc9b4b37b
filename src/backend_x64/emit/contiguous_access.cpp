// Accesses of the indexed form that differ in what they move and in a constant offset, if at all:
// where the lanes of one are a run of consecutive elements, so are those of the others. So it is
// with the waves of a work-group, where one block is the code of all.
#include <algorithm>
#include <cstdlib>
#include <set>
#include <utility>

#include "backend_x64/emit/block.h"

namespace gcnjit::backend {

using ir::Inst;
using ir::Op;
using ir::Value;

std::optional<BlockEmitter::IndexRoot> BlockEmitter::RootOf(Value index) const {
  const Inst* shifted = &function_[index];
  uint32_t shift = 0;
  if (uint64_t count = 0; shifted->op == Op::kShl && IsConst(shifted->args[1], &count)) {
    shift = static_cast<uint32_t>(count & 31);
    shifted = &function_[shifted->args[0]];
  }
  const Inst& sum = *shifted;
  if (sum.op != Op::kAdd || sum.type != ir::Type::kV32) return std::nullopt;
  for (int n = 0; n < 2; ++n) {
    const Value scalar = sum.args[n];
    const Value lanes = sum.args[1 - n];
    if (!IsLaneValue(scalar) && IsLaneValue(lanes) && KnownLane(lanes, 0)) {
      return IndexRoot{scalar, lanes, shift};
    }
  }
  return std::nullopt;
}

// Is it known that the lanes of each slice are consecutive elements?
bool BlockEmitter::IsKnownRun(Value access) const {
  const Inst& inst = function_[access];
  const auto step = static_cast<int32_t>(inst.access().IndexStep());
  return step != 0 && HasNoGaps(access) && ShapeOfAddress(inst.args[0]).IsRun(0, parts_, step);
}

BlockEmitter::RunKey BlockEmitter::KeyOf(Value v) const {
  const Inst& inst = function_[v];
  const ir::MemoryAccess access = inst.access();
  const auto root = IsKnownRun(v) ? RootOf(inst.args[0]) : std::nullopt;
  return {root ? root->scalar.id : inst.args[0].id,
          root ? 1u : 0u,
          root ? root->shift : 0u,
          inst.args[1].id,
          access.bytes,
          access.index_shift,
          access.index_signed,
          part_bits_[v.id]};
}

// By how much an index of v is above the same lane's of the owner, modulo 2^32.
uint32_t BlockEmitter::IndexAbove(Value v, Value owner) const {
  const Value index = function_[v].args[0];
  const Value of_owner = function_[owner].args[0];
  if (index == of_owner) return 0;
  const auto first = [this](Value of) {
    const IndexRoot root = *RootOf(of);
    return KnownLane(root.lanes, 0).value_or(0) << root.shift;
  };
  return first(index) - first(of_owner);
}

int64_t BlockEmitter::BytesBehind(Value v, Value owner) const {
  const Inst& inst = function_[v];
  return inst.imm - function_[owner].imm +
         (int64_t{IndexAbove(v, owner)} << inst.access().index_shift);
}

// Of all stages; FindRunGroups has those of one.
void BlockEmitter::CountPlaces() {
  std::set<RunKey> places;
  for (const Stage& stage : plan_.stages) {
    parts_ = stage.slice_parts;
    for (const Value v : stage.lane_ops) {
      if (function_[v].IsIndexed()) places.insert(KeyOf(v));
    }
  }
  places_ = places.size();
}

void BlockEmitter::FindRunGroups(const Stage& stage) {
  run_groups_.clear();
  run_group_of_.clear();
  // In a loop, scalars change between the lane operations.
  if (plan_.loop) return;
  std::map<RunKey, size_t> group_with;
  for (const Value v : stage.lane_ops) {
    const Inst& inst = function_[v];
    if (!inst.IsIndexed()) continue;
    const auto [found, is_new] = group_with.try_emplace(KeyOf(v), run_groups_.size());
    if (is_new) run_groups_.emplace_back().owner = v;
    RunGroup& group = run_groups_[found->second];
    // Small enough that 0 and the distance are in no window: those keep farther away from the ends.
    const int64_t bytes = BytesBehind(v, group.owner);
    if (std::abs(bytes) >= ir::kMaxLaneOffset) continue;
    run_group_of_[v.id] = found->second;
    ++group.left;
    const bool is_store = inst.op == Op::kStore;
    group.lowest[is_store] = std::min(group.lowest[is_store], bytes);
    group.highest[is_store] = std::max(group.highest[is_store], bytes);
    group.last_index = std::max(group.last_index, IndexAbove(v, group.owner));
    group.has_load |= !is_store;
  }
  loaded_runs_ =
      static_cast<size_t>(std::count_if(run_groups_.begin(), run_groups_.end(),
                                        [](const RunGroup& group) { return group.has_load; }));
}

void BlockEmitter::FreeRunGroups() {
  for (const RunGroup& group : run_groups_) {
    if (group.gpr >= 0 && group.left != 0) gprs_.Free(group.gpr);
  }
  run_groups_.clear();
  run_group_of_.clear();
}

BlockEmitter::RunGroup* BlockEmitter::RunGroupOf(Value v) {
  const auto found = run_group_of_.find(v.id);
  return found == run_group_of_.end() ? nullptr : &run_groups_[found->second];
}

BlockEmitter::RunAddress BlockEmitter::RunAddressOf(Value v) {
  RunGroup* const group = RunGroupOf(v);
  if (group == nullptr) return {};
  --group->left;
  const bool is_store = function_[v].op == Op::kStore;
  RunAddress address;
  if (v == group->owner) {
    if (group->left == 0) return {};
    address.to = group->gpr = TakeScratchGpr();
    address.last_index = group->last_index;
  } else if (group->gpr >= 0) {
    address.from = group->gpr;
    address.distance = static_cast<int32_t>(BytesBehind(v, group->owner));
  }
  if (group->gpr < 0) return {};
  address.is_checked = std::exchange(group->is_checked[is_store], true);
  address.lowest = static_cast<int32_t>(group->lowest[is_store]) - address.distance;
  address.highest = static_cast<int32_t>(group->highest[is_store]) - address.distance;
  // This access is the last to need it, and takes no register itself.
  if (group->left == 0) FreeRunRegister(group->gpr);
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
  const RunGroup* const group = RunGroupOf(v);
  if (parts_ == 1 || group == nullptr || group->gpr < 0) return std::nullopt;
  const Inst& inst = function_[v];
  const Inst& from = function_[group->owner];
  if (inst.op != Op::kLoad || from.op != Op::kLoad || inst.access().bytes != 4) return std::nullopt;
  if (!IsAllLanes(from.args[2]) || !ReadsTheSame(group->owner, v)) return std::nullopt;
  const int64_t bytes = BytesBehind(v, group->owner);
  const int64_t lanes = bytes / 4;
  if (bytes % 4 != 0 || std::abs(lanes) >= lanes_) return std::nullopt;
  ShiftedLoad shifted{static_cast<int>(lanes)};
  for (int part = 0; part < parts_; ++part) {
    const std::optional<int> reg = vectors_.Find(Unit::Lanes(group->owner, part));
    if (!reg) return std::nullopt;
    shifted.from[part] = *reg;
  }
  for (int part = 0; part < parts_; ++part) vectors_.Pin(shifted.from[part]);
  return shifted;
}

// Where each slice is the wave, and lanes that are known are constants in memory.
void BlockEmitter::FindLateIndices() {
  if (masks_are_vectors_ || plan_.loop) return;
  std::vector<uint8_t> is_index(function_.insts.size());  // of a run
  std::vector<uint8_t> is_other(function_.insts.size());  // something else uses it
  const auto for_each_argument = [this](const auto& f) {
    for (const Stage& stage : plan_.stages) {
      parts_ = stage.slice_parts;
      for (const std::vector<Value>* ops : {&stage.scalar_ops, &stage.lane_ops}) {
        for (const Value v : *ops) {
          for (int n = 0; n < function_[v].argument_count; ++n) f(v, n, function_[v].args[n]);
        }
      }
    }
    for (const Value v : plan_.final_ops) {
      for (int n = 0; n < function_[v].argument_count; ++n) f(v, n, function_[v].args[n]);
    }
  };
  for_each_argument([&](Value v, int n, Value argument) {
    const Inst& inst = function_[v];
    const bool takes_run =
        n == 0 && inst.IsIndexed() && parts_ * lanes_ == ir::kLanes && IsKnownRun(v);
    (takes_run ? is_index : is_other)[argument.id] = 1;
  });
  std::vector<Value> sums;  // that are shifted then
  for (const Value v : block_.insts) {
    if (is_index[v.id] == 0 || is_other[v.id] != 0) continue;
    const auto root = RootOf(v);
    if (!root || is_constant_[root->lanes.id] == 0 || function_[root->scalar].op == Op::kConst) {
      continue;
    }
    is_late_[v.id] = 1;
    // Code out of line, too, reads it behind all operations.
    homes_[root->scalar.id].is_kept = true;
    if (function_[v].op == Op::kShl) sums.push_back(function_[v].args[0]);
  }
  std::vector<uint8_t> is_wanted(function_.insts.size());
  for_each_argument([&](Value v, int, Value argument) {
    if (is_late_[v.id] == 0) is_wanted[argument.id] = 1;
  });
  for (const Value sum : sums) is_late_[sum.id] |= is_wanted[sum.id] == 0;
}

std::optional<LateIndex> BlockEmitter::LateIndexOf(Value index) {
  if (is_late_[index.id] == 0) return std::nullopt;
  const IndexRoot root = *RootOf(index);
  LateIndex late;
  late.scalar = ScalarMemory(root.scalar);
  late.scalar.setSize(4);
  late.shift = static_cast<int>(root.shift);
  late.first_lane = KnownLane(root.lanes, 0).value_or(0);
  return late;
}

}  // namespace gcnjit::backend
