#include "backend_x64/emit/cursor.h"

#include <algorithm>
#include <bit>

namespace gcnjit::backend {

using ir::Inst;
using ir::Value;

int32_t Cursor::NextUseOf(Unit unit) const {
  const bool is_broadcast = unit.component == Unit::kBroadcast;
  if (run.begin >= 0 && !is_broadcast) return NextUseInRun(unit);
  // An argument of the operation is used now if its part is yet to come.
  const bool pending = is_broadcast || IsForPartsFrom(unit.value, unit.part, part);
  if (pending && IsArgument(unit.value)) return position;
  const int32_t next = block.uses.NextAfter(unit.value, position);
  // After the lane operations a scalar is wanted as such, not in all lanes.
  return is_broadcast && next >= EndOfLanes() ? UseLists::kNever : next;
}

// First position after the stage's lane operations, and a loop's write-backs of lanes.
int32_t Cursor::EndOfLanes() const {
  const std::optional<LoopPlan>& loop = block.plan.loop;
  return block.uses.EndOfStage(stage) + (loop ? static_cast<int32_t>(loop->lanes.sets.size()) : 0);
}

// Parts go through the operations of a run one after the other: as if a later part's positions
// followed the ones of this part.
int32_t Cursor::NextUseInRun(Unit unit) const {
  const int32_t length = run.end - run.begin;
  for (int p = part; p < parts; ++p) {
    if (block.StandInOf(unit.value, p) != unit.part) continue;
    if (p == part && IsArgument(unit.value)) return position;
    const int32_t next = block.uses.NextAfter(unit.value, p == part ? position : run.begin - 1);
    if (next < run.end) return next + (p - part) * length;
  }
  const int32_t next = block.uses.NextAfter(unit.value, run.end - 1);
  return next == UseLists::kNever ? next : next + (parts - 1 - part) * length;
}

bool Cursor::IsArgument(Value v) const {
  if (inst == nullptr) return false;
  const auto has = [v](const Inst& of) {
    return std::find(of.args, of.args + of.argument_count, v) != of.args + of.argument_count;
  };
  if (has(*inst)) return true;
  const Value fused = block.FusedCompare(*inst);
  return fused && has(block.function[fused]);
}

bool Cursor::IsForPartsFrom(Value v, int stand_in, int first) const {
  for (int p = first; p < parts; ++p) {
    if (StandIn(op_bits, p) == p && block.StandInOf(v, p) == stand_in) return true;
  }
  return false;
}

bool Cursor::IsLastPart(int of) const {
  for (int later = of + 1; later < parts; ++later) {
    if (StandIn(op_bits, later) == later) return false;
  }
  return true;
}

bool Cursor::IsUniformLoad(const Inst& load) const {
  if (load.op != ir::Op::kLoad || parts == 1) return false;
  const AddressShape low = ShapeOfAddress(load.args[0]);
  const AddressShape high = ShapeOfAddress(load.args[1]);
  for (int p = 0; p < parts; ++p) {
    if (!low.IsUniform(p) || !high.IsUniform(p)) return false;
  }
  return true;
}

std::optional<uint32_t> Cursor::ConstantLanes(Value mask, int of) const {
  uint64_t bits = 0;
  if (!block.IsConst(mask, &bits) || (slices != 1 && bits != 0 && ~bits != 0)) return std::nullopt;
  return static_cast<uint32_t>(bits >> (of * block.lanes) & ((uint64_t{1} << block.lanes) - 1));
}

int Cursor::LastLaneOf(Value mask, int of) const {
  const std::optional<uint32_t> bits = ConstantLanes(mask, of);
  return bits ? static_cast<int>(std::bit_width(*bits)) - 1 : -1;
}

}  // namespace gcnjit::backend
