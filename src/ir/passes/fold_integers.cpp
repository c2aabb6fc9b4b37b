// Folding of integer arithmetic and bit operations. A constant argument of an operation that
// commutes is the second one.
#include <bit>

#include "ir/passes/folder.h"

namespace gcnjit::ir {

Folder::Outcome Folder::FoldAdd(Inst& inst) {
  const Value x = inst.args[0];
  const Value y = inst.args[1];
  uint64_t c = 0;
  uint64_t inner = 0;
  if (IsConst(y, &c)) {
    if (c == 0) return Use(x);
    if (IsOp(x, Op::kAdd) && IsConst(Def(x).args[1], &inner)) {
      const Value base = Def(x).args[0];
      return Rewrite(inst, Op::kAdd, {base, ConstLike(inst.type, c + inner)});
    }
    return Nothing();
  }
  if (IsOp(x, Op::kSub) && Def(x).args[1] == y) return Use(Def(x).args[0]);
  if (IsOp(y, Op::kSub) && Def(y).args[1] == x) return Use(Def(y).args[0]);
  return Nothing();
}

Folder::Outcome Folder::FoldSub(Inst& inst) {
  const Value x = inst.args[0];
  const Value y = inst.args[1];
  uint64_t c = 0;
  if (x == y) return Use(ConstLike(inst.type, 0));
  if (IsConst(y, &c)) return Rewrite(inst, Op::kAdd, {x, ConstLike(inst.type, ~c + 1)});
  if (IsOp(x, Op::kAdd)) {
    const Inst& sum = Def(x);
    if (sum.args[1] == y) return Use(sum.args[0]);
    if (sum.args[0] == y) return Use(sum.args[1]);
  }
  return Nothing();
}

Folder::Outcome Folder::FoldMul(Inst& inst) {
  uint64_t c = 0;
  if (!IsConst(inst.args[1], &c)) return Nothing();
  if (c == 0) return Use(inst.args[1]);
  if (inst.op == Op::kMulHiU && c == 1) return Use(ConstLike(inst.type, 0));
  if (inst.op != Op::kMul) return Nothing();
  if (c == 1) return Use(inst.args[0]);
  if (!IsPowerOfTwo(c)) return Nothing();
  const Value count = Const(Type::kU32, static_cast<uint64_t>(std::countr_zero(c)));
  return Rewrite(inst, Op::kShl, {inst.args[0], count});
}

Folder::Outcome Folder::FoldMulWide(Inst& inst) {
  uint64_t c = 0;
  if (!IsConst(inst.args[1], &c) || c > 1) return Nothing();
  if (c == 0) return Use(ConstLike(inst.type, 0));
  return Rewrite(inst, inst.op == Op::kMulWideU ? Op::kZext : Op::kSext, {inst.args[0]});
}

Folder::Outcome Folder::FoldAnd(Inst& inst) {
  const Value x = inst.args[0];
  const Value y = inst.args[1];
  uint64_t c = 0;
  if (x == y) return Use(x);
  if (IsConst(y, &c)) return FoldAndConst(inst, c);
  if (MaskWithin(x, y)) return Use(x);
  if (MaskWithin(y, x)) return Use(y);
  if (IsOp(x, Op::kNot)) return Rewrite(inst, Op::kAndNot, {y, Def(x).args[0]});
  if (IsOp(y, Op::kNot)) return Rewrite(inst, Op::kAndNot, {x, Def(y).args[0]});
  if ((PossibleBits(x) & PossibleBits(y)) == 0) return Use(ConstLike(inst.type, 0));
  return Nothing();
}

// x & mask
Folder::Outcome Folder::FoldAndConst(Inst& inst, uint64_t mask) {
  const Value x = inst.args[0];
  const uint64_t possible = PossibleBits(x) & OnesOf(inst.type);
  if ((possible & mask) == 0) return Use(ConstLike(inst.type, 0));
  if ((possible & ~mask) == 0) return Use(x);
  const Inst def = Def(x);
  uint64_t inner = 0;
  switch (def.op) {
    case Op::kAnd:
      if (!IsConst(def.args[1], &inner)) return Nothing();
      return Rewrite(inst, Op::kAnd, {def.args[0], ConstLike(inst.type, mask & inner)});
    case Op::kOr:
    case Op::kXor:
      // A side that has none of the bits.
      if ((PossibleBits(def.args[0]) & mask) == 0) {
        return Rewrite(inst, Op::kAnd, {def.args[1], inst.args[1]});
      }
      if ((PossibleBits(def.args[1]) & mask) == 0) {
        return Rewrite(inst, Op::kAnd, {def.args[0], inst.args[1]});
      }
      return Nothing();
    case Op::kShl: {
      // Of a shifted 64-bit value all that its low dword has become: that, extended and shifted.
      if (inst.type != Type::kV64 || !IsConst(def.args[1], &inner) || inner > 31) return Nothing();
      const uint64_t below = (uint64_t{1} << inner) - 1;
      if ((mask | below) != (uint64_t{UINT32_MAX} << inner | below)) return Nothing();
      const Value low = Emit(Op::kLow, Type::kV32, {def.args[0]});
      return Rewrite(inst, Op::kShl, {Emit(Op::kZext, Type::kV64, {low}), def.args[1]});
    }
    case Op::kAdd: return FoldAlignment(inst, mask);
    case Op::kSext8:
      if ((mask & ~uint64_t{0xFF}) != 0) return Nothing();
      return Rewrite(inst, Op::kAnd, {def.args[0], inst.args[1]});
    case Op::kSext16:
      if ((mask & ~uint64_t{0xFFFF}) != 0) return Nothing();
      return Rewrite(inst, Op::kAnd, {def.args[0], inst.args[1]});
    default: return Nothing();
  }
}

// (x + y) & mask, of which the low bits are gone: x + (y & mask) if x has none of them.
Folder::Outcome Folder::FoldAlignment(Inst& inst, uint64_t mask) {
  const uint64_t low = ~mask & OnesOf(inst.type);
  if ((low & (low + 1)) != 0) return Nothing();
  const bool is_used_once = IsUsedOnce(inst.args[0]);
  const Inst sum = Def(inst.args[0]);
  for (int n = 0; n < 2; ++n) {
    const Value aligned = sum.args[n];
    const Value other = sum.args[1 - n];
    const Type type = TypeOf(other);
    if ((PossibleBits(aligned) & low) != 0 || (IsLanes(type) && !is_used_once)) continue;
    const Value rest = Emit(Op::kAnd, type, {other, ConstLike(type, mask)});
    return Rewrite(inst, Op::kAdd, {aligned, rest});
  }
  return Nothing();
}

Folder::Outcome Folder::FoldOr(Inst& inst) {
  const Value x = inst.args[0];
  const Value y = inst.args[1];
  uint64_t c = 0;
  uint64_t inner = 0;
  if (x == y) return Use(x);
  if (IsConst(y, &c)) {
    if (c == 0) return Use(x);
    if (c == OnesOf(inst.type)) return Use(y);
    if (IsOp(x, Op::kOr) && IsConst(Def(x).args[1], &inner)) {
      const Value base = Def(x).args[0];
      return Rewrite(inst, Op::kOr, {base, ConstLike(inst.type, c | inner)});
    }
    return Nothing();
  }
  if (MaskWithin(x, y)) return Use(y);
  if (MaskWithin(y, x)) return Use(x);
  return Nothing();
}

Folder::Outcome Folder::FoldXor(Inst& inst) {
  const Value x = inst.args[0];
  const Value y = inst.args[1];
  uint64_t c = 0;
  uint64_t inner = 0;
  if (x == y) return Use(ConstLike(inst.type, 0));
  if (!IsConst(y, &c)) return Nothing();
  if (c == 0) return Use(x);
  if (c == OnesOf(inst.type)) return Rewrite(inst, Op::kNot, {x});
  if (IsOp(x, Op::kXor) && IsConst(Def(x).args[1], &inner)) {
    const Value base = Def(x).args[0];
    return Rewrite(inst, Op::kXor, {base, ConstLike(inst.type, c ^ inner)});
  }
  return Nothing();
}

Folder::Outcome Folder::FoldAndNot(Inst& inst) {
  const Value x = inst.args[0];
  const Value y = inst.args[1];
  uint64_t c = 0;
  if (x == y) return Use(ConstLike(inst.type, 0));
  if (IsConst(y, &c)) return Rewrite(inst, Op::kAnd, {x, ConstLike(inst.type, ~c)});
  if (IsConst(x, &c)) {
    if (c == 0) return Use(x);
    if (c == OnesOf(inst.type)) return Rewrite(inst, Op::kNot, {y});
  }
  if (IsOp(y, Op::kNot)) return Rewrite(inst, Op::kAnd, {x, Def(y).args[0]});
  if (MaskWithin(x, y)) return Use(ConstLike(inst.type, 0));
  // x & ~(x & z) is x & ~z
  if (IsOp(y, Op::kAnd)) {
    const Inst& inner = Def(y);
    if (inner.args[0] == x) return Rewrite(inst, Op::kAndNot, {x, inner.args[1]});
    if (inner.args[1] == x) return Rewrite(inst, Op::kAndNot, {x, inner.args[0]});
  }
  return Nothing();
}

Folder::Outcome Folder::FoldNot(Inst& inst) {
  const Value x = inst.args[0];
  const Inst def = Def(x);
  if (def.op == Op::kNot) return Use(def.args[0]);
  // The opposite comparison, if this one has no other use.
  if (!IsUsedOnce(x)) return Nothing();
  switch (def.op) {
    case Op::kEq: return Rewrite(inst, Op::kNe, {def.args[0], def.args[1]});
    case Op::kNe: return Rewrite(inst, Op::kEq, {def.args[0], def.args[1]});
    case Op::kLtU: return Rewrite(inst, Op::kLeU, {def.args[1], def.args[0]});
    case Op::kLeU: return Rewrite(inst, Op::kLtU, {def.args[1], def.args[0]});
    case Op::kLtS: return Rewrite(inst, Op::kLeS, {def.args[1], def.args[0]});
    case Op::kLeS: return Rewrite(inst, Op::kLtS, {def.args[1], def.args[0]});
    case Op::kFCmp: {
      // x86 numbers the predicates such that this bit makes one its opposite.
      const auto guest = inst.guest;
      inst = def;
      inst.guest = guest;
      inst.imm ^= 4;
      return Changed();
    }
    default: return Nothing();
  }
}

Folder::Outcome Folder::FoldShift(Inst& inst) {
  const Value count_value = inst.args[1];
  uint64_t c = 0;
  const auto width = static_cast<uint64_t>(WidthOf(inst.type));
  if (IsConst(inst.args[0], &c) && c == 0) return Use(inst.args[0]);
  if (IsConst(count_value, &c)) {
    if (c >= width) {
      return Rewrite(inst, inst.op, {inst.args[0], Const(Type::kU32, c % width)});
    }
    return c == 0 ? Use(inst.args[0]) : FoldShiftConst(inst, c);
  }
  // The count is taken modulo the width anyway.
  if (IsOp(count_value, Op::kAnd) && IsConst(Def(count_value).args[1], &c) &&
      (c & (width - 1)) == width - 1) {
    return Rewrite(inst, inst.op, {inst.args[0], Def(count_value).args[0]});
  }
  return Nothing();
}

// 0 < count < width
Folder::Outcome Folder::FoldShiftConst(Inst& inst, uint64_t count) {
  const Value x = inst.args[0];
  const Inst def = Def(x);
  const auto width = static_cast<uint64_t>(WidthOf(inst.type));
  const uint64_t ones = OnesOf(inst.type);
  const uint64_t possible = PossibleBits(x) & ones;
  if (inst.op == Op::kAshr && (possible >> (width - 1)) == 0) {
    return Rewrite(inst, Op::kLshr, {x, inst.args[1]});
  }
  if (inst.op == Op::kLshr && possible >> count == 0) return Use(ConstLike(inst.type, 0));
  if (inst.op == Op::kShl && (possible << count & ones) == 0) {
    return Use(ConstLike(inst.type, 0));
  }
  uint64_t inner = 0;
  // x << 32, shifted back by less: the extended x, shifted by the difference.
  if (inst.op != Op::kShl && def.op == Op::kPack && count <= 32 && IsConst(def.args[0], &inner) &&
      inner == 0) {
    const Op extend = inst.op == Op::kAshr ? Op::kSext : Op::kZext;
    const Value extended = Emit(extend, inst.type, {def.args[1]});
    return Rewrite(inst, Op::kShl, {extended, Const(Type::kU32, 32 - count)});
  }
  if (def.op == inst.op && IsConst(def.args[1], &inner)) {
    inner %= width;
    const uint64_t sum = count + inner;
    if (sum < width) return Rewrite(inst, inst.op, {def.args[0], Const(Type::kU32, sum)});
    if (inst.op != Op::kAshr) return Use(ConstLike(inst.type, 0));
    return Rewrite(inst, Op::kAshr, {def.args[0], Const(Type::kU32, width - 1)});
  }
  if (def.op == Op::kShl && IsConst(def.args[1], &inner) && inner % width == count) {
    if (inst.op == Op::kLshr) {
      return Rewrite(inst, Op::kAnd, {def.args[0], ConstLike(inst.type, ones >> count)});
    }
    if (inst.op == Op::kAshr && width == 32 && (count == 16 || count == 24)) {
      return Rewrite(inst, count == 16 ? Op::kSext16 : Op::kSext8, {def.args[0]});
    }
  }
  if (inst.op == Op::kShl && def.op == Op::kLshr && IsConst(def.args[1], &inner) &&
      inner % width == count) {
    return Rewrite(inst, Op::kAnd, {def.args[0], ConstLike(inst.type, ones << count)});
  }
  // A side of an or that leaves nothing.
  if (inst.op != Op::kAshr && (def.op == Op::kOr || def.op == Op::kXor)) {
    for (int n = 0; n < 2; ++n) {
      const uint64_t bits = PossibleBits(def.args[n]) & ones;
      const uint64_t left = inst.op == Op::kShl ? bits << count & ones : bits >> count;
      if (left == 0) return Rewrite(inst, inst.op, {def.args[1 - n], inst.args[1]});
    }
  }
  // An and that masks only what the shift drops.
  if (inst.op != Op::kAshr && def.op == Op::kAnd && IsConst(def.args[1], &inner)) {
    const uint64_t kept = inst.op == Op::kShl ? ones >> count : ones << count & ones;
    if ((kept & ~inner) == 0) return Rewrite(inst, inst.op, {def.args[0], inst.args[1]});
  }
  return Nothing();
}

// Low half of (a:b) >> c.
Folder::Outcome Folder::FoldFshr(Inst& inst) {
  uint64_t c = 0;
  uint64_t half = 0;
  const Value a = inst.args[0];
  const Value b = inst.args[1];
  if (IsConst(a, &half) && half == 0) return Rewrite(inst, Op::kLshr, {b, inst.args[2]});
  if (!IsConst(inst.args[2], &c)) return Nothing();
  c &= 31;
  if (c == 0) return Use(b);
  if (IsConst(b, &half) && half == 0) {
    return Rewrite(inst, Op::kShl, {a, Const(Type::kU32, 32 - c)});
  }
  return Nothing();
}

Folder::Outcome Folder::FoldMinMax(Inst& inst) {
  const Value x = inst.args[0];
  const Value y = inst.args[1];
  uint64_t c = 0;
  if (x == y) return Use(x);
  if (!IsConst(y, &c)) return Nothing();
  const bool is_signed = inst.op == Op::kMinS || inst.op == Op::kMaxS;
  const bool is_minimum = inst.op == Op::kMinU || inst.op == Op::kMinS;
  const uint64_t least = is_signed ? 0x80000000 : 0;
  const uint64_t most = is_signed ? 0x7FFFFFFF : 0xFFFFFFFF;
  if (c == least) return Use(is_minimum ? y : x);
  if (c == most) return Use(is_minimum ? x : y);
  return Nothing();
}

Folder::Outcome Folder::FoldSextInRegister(Inst& inst) {
  const Value x = inst.args[0];
  const Inst& def = Def(x);
  const uint64_t bits = inst.op == Op::kSext8 ? 0xFF : 0xFFFF;
  uint64_t c = 0;
  // The sign is known to be clear, or the value to be extended already.
  if ((PossibleBits(x) & ~(bits >> 1) & OnesOf(inst.type)) == 0) return Use(x);
  if (def.op == inst.op || (def.op == Op::kSext8 && inst.op == Op::kSext16)) return Use(x);
  if (def.op == Op::kAnd && IsConst(def.args[1], &c) && (c & bits) == bits) {
    return Rewrite(inst, inst.op, {def.args[0]});
  }
  if (const OpInfo& info = InfoOf(def.op);
      info.Has(Trait::kBitByBit) && info.Has(Trait::kCommutes)) {
    for (int n = 0; n < 2; ++n) {
      const bool irrelevant = def.op != Op::kAnd && (PossibleBits(def.args[n]) & bits) == 0;
      if (irrelevant) return Rewrite(inst, inst.op, {def.args[1 - n]});
    }
  }
  return Nothing();
}

}  // namespace gcnjit::ir
