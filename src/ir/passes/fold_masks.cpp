// Folding of masks by what they are made of, in however many steps, and of choices by masks of
// which one says what the other is.
#include "ir/passes/folder.h"

namespace gcnjit::ir {

// A mask that is always the same, or another one, or that one's opposite. Of masks that are made of
// several no other form is as good as what the compiler wrote: guards are looked for in that.
Folder::Outcome Folder::FoldMask(Inst& inst) {
  const auto form = masks_.FormOf(inst);
  if (!form || form->count > 1) return Nothing();
  if (form->count == 0) return Use(Const(inst.type, form->table));
  const Value atom = form->atoms[0];
  if (form->HasAtomItself()) return Use(atom);
  if (inst.op == Op::kNot && inst.args[0] == atom) return Nothing();
  return Rewrite(inst, Op::kNot, {atom});
}

// A choice for each lane between two values, of which either may be such a choice itself: of the
// lanes that take it, do all choose alike there?
Folder::Outcome Folder::FoldNestedSelect(Inst& inst) {
  const Value cond = inst.args[0];
  const auto is_choice = [&](Value v) {
    return IsOp(v, Op::kSelect) && IsLanes(TypeOf(v)) && IsLanes(inst.type);
  };
  if (is_choice(inst.args[1])) {
    const Inst& first = Def(inst.args[1]);
    if (masks_.Implies(cond, first.args[0])) {
      return Rewrite(inst, Op::kSelect, {cond, first.args[1], inst.args[2]});
    }
    if (masks_.Excludes(cond, first.args[0])) {
      return Rewrite(inst, Op::kSelect, {cond, first.args[2], inst.args[2]});
    }
  }
  if (is_choice(inst.args[2])) {
    const Inst& second = Def(inst.args[2]);
    if (masks_.Implies(second.args[0], cond)) {
      return Rewrite(inst, Op::kSelect, {cond, inst.args[1], second.args[2]});
    }
    if (masks_.Covers(cond, second.args[0])) {
      return Rewrite(inst, Op::kSelect, {cond, inst.args[1], second.args[1]});
    }
  }
  return Nothing();
}

}  // namespace gcnjit::ir
