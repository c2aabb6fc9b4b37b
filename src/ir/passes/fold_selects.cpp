// Folding of choices: select and comparisons.
#include <utility>

#include "ir/passes/folder.h"

namespace gcnjit::ir {
namespace {

bool Holds(Op op, int width, uint64_t a, uint64_t b) {
  const auto sign = [width](uint64_t v) {
    return static_cast<int64_t>(v << (64 - width)) >> (64 - width);
  };
  switch (op) {
    case Op::kEq: return a == b;
    case Op::kNe: return a != b;
    case Op::kLtU: return a < b;
    case Op::kLeU: return a <= b;
    case Op::kLtS: return sign(a) < sign(b);
    default: return sign(a) <= sign(b);
  }
}

}  // namespace

Folder::Outcome Folder::FoldSelect(Inst& inst) {
  const Value cond = inst.args[0];
  const Value x = inst.args[1];
  const Value y = inst.args[2];
  const Inst choice = Def(cond);
  const bool by_lane = IsLanes(inst.type);
  uint64_t c = 0;
  if (x == y) return Use(x);
  if (IsConst(cond, &c)) {
    if (c == 0) return Use(y);
    if (c == OnesOf(TypeOf(cond))) return Use(x);
    return Nothing();
  }
  if (choice.op == Op::kNot) return Rewrite(inst, Op::kSelect, {choice.args[0], y, x});
  if (const Outcome nested = FoldNestedSelect(inst); nested.changed) return nested;
  uint64_t a = 0;
  uint64_t b = 0;
  const bool constants = IsConst(x, &a) && IsConst(y, &b);
  if (by_lane) {
    // All lanes choose alike: a choice of scalars.
    if (choice.op == Op::kSelect && IsConst(choice.args[1], &a) && a == ~uint64_t{0} &&
        IsConst(choice.args[2], &b) && b == 0 && !IsLanes(TypeOf(x)) && !IsLanes(TypeOf(y))) {
      inst.type = ScalarOf(inst.type);
      return Rewrite(inst, Op::kSelect, {choice.args[0], x, y});
    }
    return Nothing();
  }
  if (inst.type == Type::kU1) {
    if (IsConst(x, &a)) {
      if (a != 0) return Rewrite(inst, Op::kOr, {cond, y});
      return Rewrite(inst, Op::kAndNot, {y, cond});
    }
    if (IsConst(y, &b) && b == 0) return Rewrite(inst, Op::kAnd, {cond, x});
  }
  if (inst.type == Type::kU32 && constants && a == 1 && b == 0) {
    return Rewrite(inst, Op::kZext, {cond});
  }
  return Nothing();
}

Folder::Outcome Folder::FoldCompare(Inst& inst) {
  const Value x = inst.args[0];
  const Value y = inst.args[1];
  const Type type = inst.type;
  uint64_t c = 0;
  if (x == y) {
    const bool holds = inst.op == Op::kEq || inst.op == Op::kLeU || inst.op == Op::kLeS;
    return Use(Const(type, holds ? ~uint64_t{0} : 0));
  }
  if (IsConst(y, &c)) return FoldCompareConst(inst, c);
  if (IsConst(x, &c) && c == 0) {
    if (inst.op == Op::kLtU) return Rewrite(inst, Op::kNe, {y, x});
    if (inst.op == Op::kLeU) return Use(Const(type, ~uint64_t{0}));
  }
  return Nothing();
}

Folder::Outcome Folder::FoldCompareConst(Inst& inst, uint64_t constant) {
  const Value x = inst.args[0];
  const Inst def = Def(x);
  const Op op = inst.op;
  const Type type = inst.type;
  const int width = WidthOf(TypeOf(x));
  const auto all = [&](bool holds) { return Use(Const(type, holds ? ~uint64_t{0} : 0)); };

  if (width == 1) {  // eq and ne only
    if ((op == Op::kEq) == (constant != 0)) return Use(x);
    return Rewrite(inst, Op::kNot, {x});
  }
  // Lanes by number.
  if (def.op == Op::kLaneId) {
    uint64_t mask = 0;
    for (uint64_t lane = 0; lane < kLanes; ++lane) {
      if (Holds(op, width, lane, constant)) mask |= uint64_t{1} << lane;
    }
    return Use(Const(type, mask));
  }
  // A choice between two constants is its condition, or the opposite.
  uint64_t a = 0;
  uint64_t b = 0;
  const bool bit = def.op == Op::kZext && TypeOf(def.args[0]) == Type::kU1;
  const bool chosen = def.op == Op::kSelect && IsConst(def.args[1], &a) &&
                      IsConst(def.args[2], &b) && TypeOf(def.args[0]) == type;
  if ((bit && type == Type::kU1) || chosen) {
    const bool if_true = Holds(op, width, bit ? 1 : a, constant);
    const bool if_false = Holds(op, width, bit ? 0 : b, constant);
    if (if_true == if_false) return all(if_true);
    if (if_true) return Use(def.args[0]);
    return Rewrite(inst, Op::kNot, {def.args[0]});
  }
  const uint64_t possible = PossibleBits(x) & OnesOf(TypeOf(x));
  const bool is_equality = op == Op::kEq || op == Op::kNe;
  if (is_equality && (constant & ~possible) != 0) return all(op == Op::kNe);
  if (op == Op::kLtU) {
    if (constant == 0) return all(false);
    if (possible < constant) return all(true);
    if (constant == 1) return Rewrite(inst, Op::kEq, {x, ConstLike(TypeOf(x), 0)});
  }
  if (op == Op::kLeU) {
    if (possible <= constant) return all(true);
    if (constant == 0) return Rewrite(inst, Op::kEq, {x, inst.args[1]});
  }
  if (!is_equality) return Nothing();
  if (const Outcome flags = FoldFlags(inst, constant); flags.value || flags.changed) return flags;
  // Lanes with nothing in their low halves, as compilers ask whether numbers need more than 32
  // bits.
  if (TypeOf(x) == Type::kV64 && (possible & UINT32_MAX) == 0) {
    const Value high = Emit(Op::kHigh, Type::kV32, {x});
    return Rewrite(inst, op, {high, Const(Type::kU32, constant >> 32)});
  }
  switch (def.op) {
    case Op::kXor:
      if (constant == 0) return Rewrite(inst, op, {def.args[0], def.args[1]});
      if (!IsConst(def.args[1], &a)) return Nothing();
      return Rewrite(inst, op, {def.args[0], ConstLike(def.type, constant ^ a)});
    case Op::kSub:
      if (constant != 0) return Nothing();
      return Rewrite(inst, op, {def.args[0], def.args[1]});
    case Op::kAdd:
      if (!IsConst(def.args[1], &a)) return Nothing();
      return Rewrite(inst, op, {def.args[0], ConstLike(def.type, constant - a)});
    case Op::kZext:
      // The constant's high half is 0, or `possible` would have told.
      if (WidthOf(def.type) != 64) return Nothing();
      return Rewrite(inst, op, {def.args[0], Const(Type::kU32, constant)});
    default: return Nothing();
  }
}

}  // namespace gcnjit::ir
