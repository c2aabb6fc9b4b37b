#include "backend_x64/emit/contiguous_accesses.h"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <set>
#include <utility>

namespace gcnjit::backend {

using ir::Inst;
using ir::Op;
using ir::Value;

ContiguousAccesses::ContiguousAccesses(Cursor& at, ValueMemory& memory, LaneRegisters& lanes,
                                       ScalarRegisters& scalars, Prefetcher& prefetcher)
    : at_(at),
      block_(at.block),
      memory_(memory),
      lanes_(lanes),
      scalars_(scalars),
      prefetcher_(prefetcher),
      is_late_(block_.function.insts.size()) {}

std::optional<ContiguousAccesses::Root> ContiguousAccesses::RootOf(Value index) const {
  const Inst* shifted = &block_.function[index];
  uint32_t shift = 0;
  if (uint64_t count = 0; shifted->op == Op::kShl && block_.IsConst(shifted->args[1], &count)) {
    shift = static_cast<uint32_t>(count & 31);
    shifted = &block_.function[shifted->args[0]];
  }
  const Inst& sum = *shifted;
  if (sum.op != Op::kAdd || sum.type != ir::Type::kV32) return std::nullopt;
  for (int n = 0; n < 2; ++n) {
    const Value scalar = sum.args[n];
    const Value lanes = sum.args[1 - n];
    if (!block_.IsLaneValue(scalar) && block_.IsLaneValue(lanes) && block_.KnownLane(lanes, 0)) {
      return Root{scalar, lanes, shift};
    }
  }
  return std::nullopt;
}

// Is it known that the lanes of each slice are consecutive elements?
bool ContiguousAccesses::IsKnownRun(Value access) const {
  const Inst& inst = block_.function[access];
  const auto step = static_cast<int32_t>(inst.access().IndexStep());
  return step != 0 && at_.HasNoGaps(access) &&
         at_.ShapeOfAddress(inst.args[0]).IsRun(0, at_.parts, step);
}

bool ContiguousAccesses::IsRunOfWave(Value access) const {
  const Inst& inst = block_.function[access];
  const auto step = static_cast<int32_t>(inst.access().IndexStep());
  const int parts = ir::kLanes / block_.lanes;
  const AddressShape wave = AddressShapeOf(
      block_.known.patterns, block_.known.shapes[inst.args[0].id], block_.lanes, parts);
  return step != 0 && at_.HasNoGaps(access) && wave.IsRun(0, parts, step);
}

ContiguousAccesses::Key ContiguousAccesses::KeyOf(Value v) const {
  const Inst& inst = block_.function[v];
  const ir::MemoryAccess access = inst.access();
  const auto root = IsKnownRun(v) ? RootOf(inst.args[0]) : std::nullopt;
  return {root ? root->scalar.id : inst.args[0].id,
          root ? 1u : 0u,
          root ? root->shift : 0u,
          inst.args[1].id,
          access.bytes,
          access.index_shift,
          access.index_signed,
          block_.part_bits[v.id]};
}

// By how much an index of v is above the same lane's of the owner, modulo 2^32.
uint32_t ContiguousAccesses::IndexAbove(Value v, Value owner) const {
  const Value index = block_.function[v].args[0];
  const Value of_owner = block_.function[owner].args[0];
  if (index == of_owner) return 0;
  const auto first = [this](Value of) {
    const Root root = *RootOf(of);
    return block_.KnownLane(root.lanes, 0).value_or(0) << root.shift;
  };
  return first(index) - first(of_owner);
}

int64_t ContiguousAccesses::BytesFrom(Value v, Value owner) const {
  const Inst& inst = block_.function[v];
  return inst.imm - block_.function[owner].imm +
         (int64_t{IndexAbove(v, owner)} << inst.access().index_shift);
}

// Of all stages; FindRunGroups has those of one.
void ContiguousAccesses::CountPlaces() {
  std::set<Key> places;
  for (const Stage& stage : block_.plan.stages) {
    at_.parts = stage.slice_parts;
    for (const Value v : stage.lane_ops) {
      if (block_.function[v].IsIndexed()) places.insert(KeyOf(v));
    }
  }
  prefetcher_.SetPlaces(places.size());
}

void ContiguousAccesses::FindGroups(const Stage& stage) {
  groups_.clear();
  group_of_.clear();
  // In a loop, scalars change between the lane operations.
  if (block_.plan.loop) return;
  std::map<Key, size_t> group_with;
  for (const Value v : stage.lane_ops) {
    const Inst& inst = block_.function[v];
    if (!inst.IsIndexed()) continue;
    const auto [found, is_new] = group_with.try_emplace(KeyOf(v), groups_.size());
    if (is_new) groups_.emplace_back().owner = v;
    Group& group = groups_[found->second];
    // Small enough that 0 and the distance are in no window: those keep farther away from the ends.
    const int64_t bytes = BytesFrom(v, group.owner);
    if (std::abs(bytes) >= ir::kMaxLaneOffset) continue;
    group_of_[v.id] = found->second;
    ++group.left;
    const bool is_store = inst.op == Op::kStore;
    group.lowest[is_store] = std::min(group.lowest[is_store], bytes);
    group.highest[is_store] = std::max(group.highest[is_store], bytes);
    group.last_index = std::max(group.last_index, IndexAbove(v, group.owner));
    group.has_load |= !is_store;
  }
  prefetcher_.SetLoadedRuns(static_cast<size_t>(std::count_if(
      groups_.begin(), groups_.end(), [](const Group& group) { return group.has_load; })));
}

void ContiguousAccesses::FreeGroups() {
  for (const Group& group : groups_) {
    if (group.gpr && group.left != 0) scalars_.GiveBack(*group.gpr);
  }
  groups_.clear();
  group_of_.clear();
}

ContiguousAccesses::Group* ContiguousAccesses::GroupOf(Value v) {
  const auto found = group_of_.find(v.id);
  return found == group_of_.end() ? nullptr : &groups_[found->second];
}

RunAddress ContiguousAccesses::AddressOf(Value v) {
  Group* const group = GroupOf(v);
  if (group == nullptr) return {};
  --group->left;
  const bool is_store = block_.function[v].op == Op::kStore;
  RunAddress address;
  if (v == group->owner) {
    if (group->left == 0) return {};
    address.to = group->gpr = scalars_.Borrow();
    address.last_index = group->last_index;
  } else if (group->gpr) {
    address.from = group->gpr;
    address.distance = static_cast<int32_t>(BytesFrom(v, group->owner));
  }
  if (!group->gpr) return {};
  address.is_checked = std::exchange(group->is_checked[is_store], true);
  address.lowest = static_cast<int32_t>(group->lowest[is_store]) - address.distance;
  address.highest = static_cast<int32_t>(group->highest[is_store]) - address.distance;
  // This access is the last to need it, and takes no register itself.
  if (group->left == 0) prefetcher_.FreeRunRegister(*group->gpr);
  return address;
}

// Is there nothing between two lane operations of the stage that writes to memory?
bool ContiguousAccesses::ReadsTheSame(Value first, Value second) const {
  const std::vector<Value>& ops = block_.plan.stages[at_.stage].lane_ops;
  const auto begin = std::find(ops.begin(), ops.end(), first);
  const auto end = std::find(begin, ops.end(), second);
  return std::none_of(begin, end, [this](Value v) {
    const ir::Effect effect = ir::InfoOf(block_.function[v].op).effect;
    return effect != ir::Effect::kPure && effect != ir::Effect::kRead;
  });
}

std::optional<ContiguousAccesses::ShiftedLoad> ContiguousAccesses::ShiftedLoadOf(
    Value v, bool is_looked_at) {
  const Group* const group = GroupOf(v);
  if (at_.parts == 1 || group == nullptr || v == group->owner) return std::nullopt;
  if (!group->gpr && !is_looked_at) return std::nullopt;
  const Inst& inst = block_.function[v];
  const Inst& from = block_.function[group->owner];
  if (inst.op != Op::kLoad || from.op != Op::kLoad || inst.access().bytes != 4) return std::nullopt;
  if (!block_.IsAllLanes(from.args[2]) || !ReadsTheSame(group->owner, v)) return std::nullopt;
  const int64_t bytes = BytesFrom(v, group->owner);
  const int64_t lanes = bytes / 4;
  if (bytes % 4 != 0 || std::abs(lanes) >= block_.lanes) return std::nullopt;
  ShiftedLoad shifted{static_cast<int>(lanes)};
  for (int part = 0; part < at_.parts; ++part) {
    const std::optional<int> reg = lanes_.Find(Unit::Lanes(group->owner, part));
    if (!reg) return std::nullopt;
    shifted.from[part] = *reg;
  }
  for (int part = 0; part < at_.parts; ++part)
    lanes_.Pin(Unit::Lanes(group->owner, part), shifted.from[part]);
  return shifted;
}

// Are the rows of the wave's lanes known to be consecutive elements each?
bool ContiguousAccesses::IsOfRows(Value v) const {
  const Inst& inst = block_.function[v];
  const std::optional<RowIndex> rows = RowIndexOf(block_.function, inst.args[0]);
  if (!rows || !at_.HasNoGaps(v)) return false;
  if (rows->lanes < block_.lanes) return false;
  if (inst.access().IndexStep() == 1) return true;
  const AddressShape shape = at_.ShapeOfAddress(inst.args[0]);
  return inst.op == Op::kLoad && OverlapStep(inst.access(), shape, 0, at_.parts) != 0;
}

// Is there no code for it, in line or not, that needs an index of each lane? Where slices are parts
// of a wave, accesses of several dwords may be made part by part.
bool ContiguousAccesses::TakesLateIndex(Value v) const {
  if (!block_.function[v].IsIndexed()) return false;
  if (IsOfRows(v)) return true;
  if (!IsKnownRun(v)) return false;
  if (at_.parts * block_.lanes == ir::kLanes) return true;
  return block_.function[v].access().bytes <= 4 && IsRunOfWave(v);
}

void ContiguousAccesses::FindLateIndices() {
  if (block_.plan.loop) return;
  std::vector<uint8_t> is_index(block_.function.insts.size());  // of a run
  std::vector<uint8_t> is_other(block_.function.insts.size());  // something else uses it
  const auto for_each_argument = [this](const auto& f) {
    for (const Stage& stage : block_.plan.stages) {
      at_.parts = stage.slice_parts;
      for (const std::vector<Value>* ops : {&stage.scalar_ops, &stage.lane_ops}) {
        for (const Value v : *ops) {
          for (int n = 0; n < block_.function[v].argument_count; ++n)
            f(v, n, block_.function[v].args[n]);
        }
      }
    }
    for (const Value v : block_.plan.final_ops) {
      for (int n = 0; n < block_.function[v].argument_count; ++n)
        f(v, n, block_.function[v].args[n]);
    }
  };
  for_each_argument([&](Value v, int n, Value argument) {
    (n == 0 && TakesLateIndex(v) ? is_index : is_other)[argument.id] = 1;
  });
  std::vector<Value> parts;  // of late indices, each before what it is made of
  const auto take = [&](Value v) {
    is_late_[v.id] = 1;
    const Inst& inst = block_.function[v];
    for (int n = 0; n < inst.argument_count; ++n) {
      if (block_.IsLaneValue(inst.args[n])) parts.push_back(inst.args[n]);
    }
  };
  const auto keep = [this](Value scalar) {
    memory_[scalar].is_kept = true;  // code out of line, too, reads it after all operations
  };
  for (const Value v : block_.source.insts) {
    if (is_index[v.id] == 0 || is_other[v.id] != 0) continue;
    if (const std::optional<RowIndex> rows = RowIndexOf(block_.function, v)) {
      if (block_.function[rows->first].op == Op::kConst) continue;
      keep(rows->first);
      keep(rows->step);
      take(v);
      continue;
    }
    const auto root = RootOf(v);
    if (!root || block_.function[root->scalar].op == Op::kConst) continue;
    // Where slices are waves, known lanes are constants in memory, or it is not worth it.
    if (!block_.MasksAreVectors() && !memory_.IsConstant(root->lanes)) continue;
    keep(root->scalar);
    take(v);
  }
  // Nor is code needed for what only late indices are made of.
  for (size_t n = 0; n < parts.size(); ++n) {
    const Value part = parts[n];
    bool is_wanted = is_late_[part.id] != 0;
    for_each_argument([&](Value v, int, Value argument) {
      is_wanted |= argument == part && is_late_[v.id] == 0;
    });
    if (!is_wanted) take(part);
  }
}

std::optional<LateIndex> ContiguousAccesses::LateIndexOf(Value index) {
  if (is_late_[index.id] == 0) return std::nullopt;
  LateIndex late;
  late.slice_lanes = at_.parts * block_.lanes;
  if (const std::optional<RowIndex> rows = RowIndexOf(block_.function, index)) {
    late.scalar = memory_.Scalar32(rows->first);
    late.row_lanes = rows->lanes;
    late.row_step = memory_.Scalar32(rows->step);
    return late;
  }
  const Root root = *RootOf(index);
  late.scalar = memory_.Scalar32(root.scalar);
  late.shift = static_cast<int>(root.shift);
  late.first_lane = block_.KnownLane(root.lanes, 0).value_or(0);
  if (at_.parts * block_.lanes != ir::kLanes) {
    const uint32_t next = block_.KnownLane(root.lanes, block_.lanes).value_or(0);
    late.part_step = static_cast<int32_t>((next - late.first_lane) << root.shift);
  }
  return late;
}

std::optional<ContiguousAccesses::Rows> ContiguousAccesses::RowsOf(Value v) const {
  const Inst& inst = block_.function[v];
  if (!inst.IsIndexed() || !IsLate(inst.args[0])) return std::nullopt;
  if (const std::optional<RowIndex> rows = RowIndexOf(block_.function, inst.args[0])) {
    if (IsKnownRun(v)) return std::nullopt;
    return Rows{rows->first, 0, rows->step, rows->lanes};
  }
  const std::optional<Root> root = RootOf(inst.args[0]);
  if (!root || root->shift != 0 || inst.access().IndexStep() != 1) return std::nullopt;
  if (!IsKnownRun(v) || !IsRunOfWave(v)) return std::nullopt;
  return Rows{root->scalar, block_.KnownLane(root->lanes, 0).value_or(0)};
}

void LateIndex::EmitInRow(x86::Assembler& a, int lane) const {
  const int row = lane / row_lanes;
  const int place = lane % row_lanes;
  a.mov(x86::eax, scalar);
  if (slice_lanes != ir::kLanes) {
    a.mov(x86::edx, x86::r15d);  // eighths of the lanes before the slice
    if (row_lanes != 8) a.shr(x86::edx, std::countr_zero(static_cast<uint32_t>(row_lanes)) - 3);
    if (row != 0) a.add(x86::edx, row);
    a.imul(x86::edx, row_step);
    a.add(x86::eax, x86::edx);
  } else if (row == 1) {
    a.add(x86::eax, row_step);
  } else if (row != 0) {
    a.imul(x86::edx, row_step, row);
    a.add(x86::eax, x86::edx);
  }
  if (slice_lanes < row_lanes) {
    a.mov(x86::edx, x86::r15d);
    a.and_(x86::edx, row_lanes / 8 - 1);
    a.lea(x86::eax, x86::ptr(x86::rax, x86::rdx, 3, place));
  } else if (place != 0) {
    a.add(x86::eax, place);
  }
}

void LateIndex::EmitFirst(x86::Assembler& a) const {
  a.mov(x86::eax, scalar);
  if (first_lane != 0) a.add(x86::eax, static_cast<int32_t>(first_lane));
  if (shift != 0) a.shl(x86::eax, shift);
  if (part_step == 0) return;
  a.imul(x86::edx, x86::r15d, part_step);
  a.add(x86::eax, x86::edx);
}

}  // namespace gcnjit::backend
