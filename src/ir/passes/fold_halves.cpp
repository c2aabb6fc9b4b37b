// Folding of 64-bit values that are made of, or taken apart into, dwords.
#include "ir/passes/folder.h"

namespace gcnjit::ir {

Folder::Outcome Folder::FoldPack(Inst& inst) {
  const Value low = inst.args[0];
  const Value high = inst.args[1];
  const Inst l = Def(low);  // copies: a constant moves instructions
  const Inst h = Def(high);
  uint64_t c = 0;
  if (l.op == Op::kLow && h.op == Op::kHigh && l.args[0] == h.args[0]) return Use(l.args[0]);
  if (IsConst(high, &c) && c == 0) return Rewrite(inst, Op::kZext, {low});
  // Of a 64-bit value some bits of the high half, or with some of them changed.
  if (l.op == Op::kLow && (h.op == Op::kAnd || h.op == Op::kXor) && IsConst(h.args[1], &c) &&
      IsOp(h.args[0], Op::kHigh) && Def(h.args[0]).args[0] == l.args[0]) {
    const uint64_t low_bits = h.op == Op::kAnd ? UINT32_MAX : 0;
    return Rewrite(inst, h.op, {l.args[0], ConstLike(inst.type, c << 32 | low_bits)});
  }
  if (h.op == Op::kAshr && h.args[0] == low && IsConst(h.args[1], &c) && (c & 31) == 31) {
    return Rewrite(inst, Op::kSext, {low});
  }
  return Nothing();
}

Folder::Outcome Folder::FoldHalf(Inst& inst) {
  const Value x = inst.args[0];
  const Inst def = Def(x);
  const bool low = inst.op == Op::kLow;
  const Type half = IsLanes(inst.type) ? Type::kV32 : Type::kU32;
  uint64_t c = 0;
  switch (def.op) {
    case Op::kPack: return Use(def.args[low ? 0 : 1]);
    case Op::kZext: return Use(low ? def.args[0] : Const(Type::kU32, 0));
    case Op::kSext:
      if (low) return Use(def.args[0]);
      return Rewrite(inst, Op::kAshr, {def.args[0], Const(Type::kU32, 31)});
    case Op::kMulWideU:
    case Op::kMulWideS:
      if (!low || !IsUsedOnce(x)) return Nothing();
      return Rewrite(inst, Op::kMul, {def.args[0], def.args[1]});
    case Op::kLshr:
      if (!IsConst(def.args[1], &c) || c < 32 || c > 63) break;
      if (!low) return Use(Const(Type::kU32, 0));
      {
        const Value high = Emit(Op::kHigh, half, {def.args[0]});
        return Rewrite(inst, Op::kLshr, {high, Const(Type::kU32, c - 32)});
      }
    case Op::kShl:
      if (!IsConst(def.args[1], &c) || c < 32 || c > 63) break;
      if (low) return Use(Const(Type::kU32, 0));
      {
        const Value part = Emit(Op::kLow, half, {def.args[0]});
        return Rewrite(inst, Op::kShl, {part, Const(Type::kU32, c - 32)});
      }
    case Op::kAnd:
    case Op::kOr:
    case Op::kXor:
    case Op::kAndNot: {
      // Bits against a constant: masks of scalars stay whole, others work on halves.
      if (!IsLanes(def.type) || !IsConst(def.args[1], &c)) return Nothing();
      const Value part = Emit(inst.op, half, {def.args[0]});
      return Rewrite(inst, def.op, {part, Const(Type::kU32, low ? c & 0xFFFFFFFF : c >> 32)});
    }
    default: break;
  }
  if ((PossibleBits(x) >> (low ? 0 : 32) & 0xFFFFFFFF) == 0) return Use(Const(Type::kU32, 0));
  return Nothing();
}

Folder::Outcome Folder::FoldExtension(Inst& inst) {
  if (inst.op == Op::kSext && (PossibleBits(inst.args[0]) & 0x80000000) == 0) {
    return Rewrite(inst, Op::kZext, {inst.args[0]});
  }
  return Nothing();
}

}  // namespace gcnjit::ir
