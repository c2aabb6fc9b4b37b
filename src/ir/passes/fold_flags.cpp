// Folding of flags: conditions that compilers keep as bits of lanes, to test several of them at
// once, become masks again. Clang makes such bits of `x == 0 || y == 0 || x == w || y == h`.
#include "ir/passes/folder.h"

namespace gcnjit::ir {

// In which lanes is any bit of `wanted` set? No value: flags do not tell, or it would take more
// than `left` operations to see.
Value Folder::FlagsOf(Value v, uint32_t wanted, int& left) {
  if (left-- == 0) return {};
  const Inst def = Def(v);
  const auto all = [this](bool holds) { return Const(Type::kU64, holds ? ~uint64_t{0} : 0); };
  uint64_t a = 0;
  uint64_t b = 0;
  if ((PossibleBits(v) & wanted) == 0) return all(false);
  if (IsConst(v)) return all(true);
  if (def.type != Type::kV32) return {};
  switch (def.op) {
    case Op::kSelect: {
      if (!IsConst(def.args[1], &a) || !IsConst(def.args[2], &b)) return {};
      const bool if_true = (a & wanted) != 0;
      const bool if_false = (b & wanted) != 0;
      if (if_true && if_false) return all(true);
      return if_true ? def.args[0] : Emit(Op::kNot, Type::kU64, {def.args[0]});
    }
    case Op::kOr: return BothFlags(def, wanted, left);
    case Op::kAnd:
      if (IsConst(def.args[1], &a)) {
        return FlagsOf(def.args[0], wanted & static_cast<uint32_t>(a), left);
      }
      [[fallthrough]];
    case Op::kXor: return IsPowerOfTwo(wanted) ? BothFlags(def, wanted, left) : Value();
    case Op::kShl:
      if (!IsConst(def.args[1], &a)) return {};
      return FlagsOf(def.args[0], wanted >> (a & 31), left);
    case Op::kLshr:
      if (!IsConst(def.args[1], &a)) return {};
      return FlagsOf(def.args[0], wanted << (a & 31), left);
    default: return {};
  }
}

// Of an operation on bits, the same on masks.
Value Folder::BothFlags(const Inst& inst, uint32_t wanted, int& left) {
  const Value x = FlagsOf(inst.args[0], wanted, left);
  if (!x) return {};
  const Value y = FlagsOf(inst.args[1], wanted, left);
  return y ? Emit(inst.op, Type::kU64, {x, y}) : Value();
}

// A compare of lanes with a constant.
Folder::Outcome Folder::FoldFlags(Inst& inst, uint64_t constant) {
  const Value x = inst.args[0];
  const auto possible = static_cast<uint32_t>(PossibleBits(x));
  const bool is_flag = constant != 0 && constant == possible && IsPowerOfTwo(possible);
  if (inst.type != Type::kU64 || TypeOf(x) != Type::kV32) return Nothing();
  if (constant != 0 && !is_flag) return Nothing();
  int left = 24;
  const Value flags = FlagsOf(x, possible, left);
  if (!flags) return Nothing();
  if ((inst.op == Op::kNe) == (constant == 0)) return Use(flags);
  return Rewrite(inst, Op::kNot, {flags});
}

}  // namespace gcnjit::ir
