// Folding of flags: conditions that compilers keep as bits of lanes, to test several of them at
// once, become masks again. Clang makes such bits of `x == 0 || y == 0 || x == w || y == h`.
#include "ir/passes/folder.h"

namespace gcnjit::ir {

// Finds in which lanes any bit of `wanted` is set, as the last of `steps`. False: flags do not
// tell, or it takes too many steps.
bool Folder::FindFlags(Value v, uint32_t wanted, std::vector<FlagStep>& steps, int depth) const {
  constexpr size_t kMost = 24;
  constexpr int kDeepest = 32;
  if (depth == kDeepest) return false;
  const Inst& def = Def(v);
  uint64_t a = 0;
  uint64_t b = 0;
  const auto add = [&](const FlagStep& step) {
    steps.push_back(step);
    return steps.size() <= kMost;
  };
  if ((PossibleBits(v) & wanted) == 0) return add({.constant = 0});
  if (IsConst(v)) return add({.constant = ~uint64_t{0}});
  if (def.type != Type::kV32) return false;
  switch (def.op) {
    case Op::kSelect: {
      if (!IsConst(def.args[1], &a) || !IsConst(def.args[2], &b)) return false;
      const bool if_true = (a & wanted) != 0;
      const bool if_false = (b & wanted) != 0;
      if (if_true && if_false) return add({.constant = ~uint64_t{0}});
      return add({.op = if_true ? Op::kOr : Op::kNot, .mask = def.args[0]});
    }
    case Op::kAnd:
      if (IsConst(def.args[1], &a)) {
        return FindFlags(def.args[0], wanted & static_cast<uint32_t>(a), steps, depth + 1);
      }
      [[fallthrough]];
    case Op::kXor:
      if (!IsPowerOfTwo(wanted)) return false;
      [[fallthrough]];
    case Op::kOr: {
      if (!FindFlags(def.args[0], wanted, steps, depth + 1)) return false;
      const size_t x = steps.size() - 1;
      return FindFlags(def.args[1], wanted, steps, depth + 1) && add({.op = def.op, .x = x});
    }
    case Op::kShl:
      return IsConst(def.args[1], &a) &&
             FindFlags(def.args[0], wanted >> (a & 31), steps, depth + 1);
    case Op::kLshr:
      return IsConst(def.args[1], &a) &&
             FindFlags(def.args[0], wanted << (a & 31), steps, depth + 1);
    default: return false;
  }
}

// What the last step says.
Value Folder::EmitFlags(const std::vector<FlagStep>& steps) {
  std::vector<Value> masks;
  for (const FlagStep& step : steps) {
    if (step.constant) {
      masks.push_back(Const(Type::kU64, *step.constant));
    } else if (step.mask) {
      masks.push_back(step.op == Op::kNot ? Emit(Op::kNot, Type::kU64, {step.mask}) : step.mask);
    } else {
      masks.push_back(Emit(step.op, Type::kU64, {masks[step.x], masks.back()}));
    }
  }
  return masks.back();
}

// A compare of lanes with a constant.
Folder::Outcome Folder::FoldFlags(Inst& inst, uint64_t constant) {
  const Value x = inst.args[0];
  const auto possible = static_cast<uint32_t>(PossibleBits(x));
  const bool is_flag = constant != 0 && constant == possible && IsPowerOfTwo(possible);
  if (inst.type != Type::kU64 || TypeOf(x) != Type::kV32) return Nothing();
  if (constant != 0 && !is_flag) return Nothing();
  std::vector<FlagStep> steps;
  if (!FindFlags(x, possible, steps)) return Nothing();
  const Op op = inst.op;
  const Value flags = EmitFlags(steps);
  if ((op == Op::kNe) == (constant == 0)) return Use(flags);
  return Rewrite(inst, Op::kNot, {flags});
}

}  // namespace gcnjit::ir
