// Folding of operations whose arguments are constants, or the same in all lanes.
#include "ir/passes/folder.h"

namespace gcnjit::ir {
bool Folder::FoldConstant(const Inst& inst, uint64_t* result) const {
  if (inst.argument_count == 0 || inst.argument_count > 3 || IsLanes(inst.type)) return false;
  // A comparison with a mask for its result is made one of scalars first.
  if (IsCompare(inst.op) && inst.type != Type::kU1) return false;
  uint64_t args[3] = {};
  for (int n = 0; n < inst.argument_count; ++n) {
    if (!IsConst(inst.args[n], &args[n])) return false;
  }
  return Compute(inst.op, WidthOf(TypeOf(inst.args[0])), args[0], args[1], args[2], result);
}

Folder::Outcome Folder::MakeScalar(Inst& inst) {
  const bool compares_lanes = IsAnyCompare(inst.op) && inst.type == Type::kU64;
  if (!compares_lanes && !IsLanes(inst.type)) return Nothing();
  // Where a slice runs a loop to its end, a scalar is computed as often as lanes are, and a float
  // has to come from a general-purpose register and go back to one.
  const OpInfo& info = InfoOf(inst.op);
  if (!IsCompare(inst.op) && !info.Has(Trait::kScalarForm) &&
      (!info.Has(Trait::kScalarFloat) || in_loop_)) {
    return Nothing();
  }
  for (int n = 0; n < inst.argument_count; ++n) {
    if (IsLanes(TypeOf(inst.args[n]))) return Nothing();
  }
  if (!compares_lanes) {
    inst.type = ScalarOf(inst.type);
    return Changed();
  }
  Inst compare = inst;
  compare.type = Type::kU1;
  const Value bit = Place(compare, {});
  inst.aux = 0;
  return Rewrite(inst, Op::kSelect, {bit, Const(Type::kU64, ~uint64_t{0}), Const(Type::kU64, 0)});
}

}  // namespace gcnjit::ir
