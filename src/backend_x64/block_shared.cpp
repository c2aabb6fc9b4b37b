// Lane values that are alike in all parts: every host register of a slice would hold the same. So
// are most of what a kernel makes of the work-item ids y and z, of x in work-groups 16 wide, and
// what it loads with these. Such a value has one part, which stands for all.
#include <algorithm>

#include "backend_x64/block_emitter.h"

namespace gcnjit::backend {

using ir::Effect;
using ir::Inst;
using ir::Op;
using ir::Type;
using ir::Value;

// Whatever the slices are: the whole wave repeats itself with the lanes of a register.
bool BlockEmitter::RepeatsByShape(Value v) const {
  if (shared_.patterns == nullptr || shared_.shapes[v.id].run != ir::kLanes) return false;
  const auto& offsets = (*shared_.patterns)[shared_.shapes[v.id].offsets].offsets;
  return std::equal(offsets.begin(), offsets.end() - lanes_, offsets.begin() + lanes_);
}

// The same operation on the same lanes. Masks that are wanted as numbers, too, have all their bits.
bool BlockEmitter::RepeatsByArguments(Value v) const {
  const Inst& inst = function_[v];
  if (inst.argument_count == 0) return false;
  // A flat address may be one of scratch, where each lane has its own memory.
  if (inst.op == Op::kLoad && inst.access().space == ir::Space::kFlat) return false;
  if (inst.type == Type::kU64 &&
      (plan_.loop || uses_.IsUsedAfter(v, uses_.EndOfStage(plan_.stage_of[v.id]) - 1) ||
       homes_[v.id].is_kept)) {
    return false;
  }
  for (int n = 0; n < inst.argument_count; ++n) {
    const Value argument = inst.args[n];
    const bool is_mask = function_[argument].type == Type::kU64 && TakesMask(inst, n);
    if (!is_mask && !IsLaneValue(argument)) continue;
    uint64_t lanes = 0;
    if (is_mask && IsConst(argument, &lanes) && (lanes == 0 || ~lanes == 0)) continue;
    if (!IsShared(argument)) return false;
  }
  return true;
}

void BlockEmitter::FindShared() {
  for (const Value v : block_.insts) {
    const Inst& inst = function_[v];
    const Effect effect = ir::InfoOf(inst.op).effect;
    if (inst.op == Op::kPart) {
      is_shared_[v.id] = is_shared_[inst.args[0].id];
    } else if (inst.op == Op::kGetVgpr) {
      is_shared_[v.id] = RepeatsByShape(v);
    } else if (plan_.is_sliced[v.id] != 0 && (effect == Effect::kPure || effect == Effect::kRead)) {
      is_shared_[v.id] = RepeatsByArguments(v);
    }
  }
}

}  // namespace gcnjit::backend
