// 32- and 64-bit integers: logic, shifts, sums without carry masks, minimum and maximum.
#include <utility>

#include "frontend/lift/integer_ops.h"

namespace gcnjit::frontend {
namespace {

void Binary(Lifter& l, const Instruction& i, Op op) {
  const Value a = l.Src32(i, 0);
  l.Write32(i, l.b.Binary(op, a, l.Src32(i, 1)));
}

using ShiftFn = Value (ir::Builder::*)(Value, Value);
constexpr ShiftFn kShl = &ir::Builder::Shl;
constexpr ShiftFn kLshr = &ir::Builder::Lshr;
constexpr ShiftFn kAshr = &ir::Builder::Ashr;

// The IR takes counts modulo the width, as the instructions do.
void Shift(Lifter& l, const Instruction& i, ShiftFn shift) {
  const Value a = l.Src32(i, 0);
  l.Write32(i, (l.b.*shift)(a, l.Src32(i, 1)));
}
// The shifted value is src1.
void ShiftReversed(Lifter& l, const Instruction& i, ShiftFn shift) {
  const Value count = l.Src32(i, 0);
  l.Write32(i, (l.b.*shift)(l.Src32(i, 1), count));
}
void Shift64(Lifter& l, const Instruction& i, ShiftFn shift) {
  const Value a = l.Src64(i, 0);
  l.Write64(i, (l.b.*shift)(a, l.Src32(i, 1)));
}
void ShiftReversed64(Lifter& l, const Instruction& i, ShiftFn shift) {
  const Value count = l.Src32(i, 0);
  l.Write64(i, (l.b.*shift)(l.Src64(i, 1), count));
}

// dst = f(src0, src1, src2)
template <typename F>
void Map3(Lifter& l, const Instruction& i, F f) {
  const Value x = l.Src32(i, 0);
  const Value y = l.Src32(i, 1);
  const Value z = l.Src32(i, 2);
  l.Write32(i, f(l.b, x, y, z));
}
// dst = (src0 op src1) op src2
void Fold3(Lifter& l, const Instruction& i, Op op) {
  Map3(l, i, [op](ir::Builder& b, Value x, Value y, Value z) {
    return b.Binary(op, b.Binary(op, x, y), z);
  });
}
void Median(Lifter& l, const Instruction& i, Op min, Op max) {
  Map3(l, i, [min, max](ir::Builder& b, Value x, Value y, Value z) {
    const Value upper = b.Binary(min, b.Binary(max, x, y), z);
    return b.Binary(max, b.Binary(min, x, y), upper);
  });
}

using SaturatedFn = Value (*)(ir::Builder&, Value, Value);

void AddOrSub(Lifter& l, const Instruction& i, Op op, SaturatedFn saturated, bool reversed) {
  Value a = l.Src32(i, 0);
  Value c = l.Src32(i, 1);
  if (reversed) std::swap(a, c);
  l.Write32(i, l.Clamps(i) ? saturated(l.b, a, c) : l.b.Binary(op, a, c));
}

}  // namespace

// ---- Logic

void lift_V_NOT_B32(Lifter& l, const Instruction& i) { l.Write32(i, l.b.Not(l.Src32(i, 0))); }
void lift_V_AND_B32(Lifter& l, const Instruction& i) { Binary(l, i, Op::kAnd); }
void lift_V_OR_B32(Lifter& l, const Instruction& i) { Binary(l, i, Op::kOr); }
void lift_V_XOR_B32(Lifter& l, const Instruction& i) { Binary(l, i, Op::kXor); }
void lift_V_XNOR_B32(Lifter& l, const Instruction& i) {
  const Value a = l.Src32(i, 0);
  l.Write32(i, l.b.Not(l.b.Xor(a, l.Src32(i, 1))));
}
void lift_V_OR3_B32(Lifter& l, const Instruction& i) { Fold3(l, i, Op::kOr); }
void lift_V_AND_OR_B32(Lifter& l, const Instruction& i) {
  Map3(l, i, [](auto& b, Value x, Value y, Value z) { return b.Or(b.And(x, y), z); });
}
void lift_V_BFI_B32(Lifter& l, const Instruction& i) {
  Map3(l, i, [](auto& b, Value x, Value y, Value z) { return b.Or(b.And(x, y), b.AndNot(z, x)); });
}

// ---- Shifts

void lift_V_LSHL_B32(Lifter& l, const Instruction& i) { Shift(l, i, kShl); }
void lift_V_LSHR_B32(Lifter& l, const Instruction& i) { Shift(l, i, kLshr); }
void lift_V_ASHR_I32(Lifter& l, const Instruction& i) { Shift(l, i, kAshr); }
void lift_V_LSHLREV_B32(Lifter& l, const Instruction& i) { ShiftReversed(l, i, kShl); }
void lift_V_LSHRREV_B32(Lifter& l, const Instruction& i) { ShiftReversed(l, i, kLshr); }
void lift_V_ASHRREV_I32(Lifter& l, const Instruction& i) { ShiftReversed(l, i, kAshr); }
void lift_V_LSHL_B64(Lifter& l, const Instruction& i) { Shift64(l, i, kShl); }
void lift_V_LSHR_B64(Lifter& l, const Instruction& i) { Shift64(l, i, kLshr); }
void lift_V_ASHR_I64(Lifter& l, const Instruction& i) { Shift64(l, i, kAshr); }
void lift_V_LSHLREV_B64(Lifter& l, const Instruction& i) { ShiftReversed64(l, i, kShl); }
void lift_V_LSHRREV_B64(Lifter& l, const Instruction& i) { ShiftReversed64(l, i, kLshr); }
void lift_V_ASHRREV_I64(Lifter& l, const Instruction& i) { ShiftReversed64(l, i, kAshr); }
void lift_V_LSHL_ADD_U32(Lifter& l, const Instruction& i) {
  Map3(l, i, [](auto& b, Value x, Value y, Value z) { return b.Add(b.Shl(x, y), z); });
}
// By a constant: the interpreter looks at each lane's shift, of which not all are known.
void lift_V_LSHL_ADD_U64(Lifter& l, const Instruction& i) {
  const Value x = l.Src64(i, 0);
  const Value shift = l.Src32(i, 1);
  const Value addend = l.Src64(i, 2);
  uint64_t known = 0;
  if (!l.b.IsConst(shift, &known) || (known & 7) > 4) return l.Refuse("a shift by a variable");
  l.Write64(i, l.b.Add(l.b.Shl(x, static_cast<uint32_t>(known & 7)), addend));
}
void lift_V_ADD_LSHL_U32(Lifter& l, const Instruction& i) {
  Map3(l, i, [](auto& b, Value x, Value y, Value z) { return b.Shl(b.Add(x, y), z); });
}
void lift_V_LSHL_OR_B32(Lifter& l, const Instruction& i) {
  Map3(l, i, [](auto& b, Value x, Value y, Value z) { return b.Or(b.Shl(x, y), z); });
}

// ---- Sums

void lift_V_ADD_U32(Lifter& l, const Instruction& i) {
  AddOrSub(l, i, Op::kAdd, AddSaturatedU, false);
}
void lift_V_SUB_U32(Lifter& l, const Instruction& i) {
  AddOrSub(l, i, Op::kSub, SubSaturatedU, false);
}
void lift_V_SUBREV_U32(Lifter& l, const Instruction& i) {
  AddOrSub(l, i, Op::kSub, SubSaturatedU, true);
}
void lift_V_ADD_I32(Lifter& l, const Instruction& i) {
  AddOrSub(l, i, Op::kAdd, AddSaturatedS, false);
}
void lift_V_SUB_I32(Lifter& l, const Instruction& i) {
  AddOrSub(l, i, Op::kSub, SubSaturatedS, false);
}
void lift_V_ADD3_U32(Lifter& l, const Instruction& i) { Fold3(l, i, Op::kAdd); }
void lift_V_XAD_U32(Lifter& l, const Instruction& i) {
  Map3(l, i, [](auto& b, Value x, Value y, Value z) { return b.Add(b.Xor(x, y), z); });
}

// ---- Minimum, maximum, median

void lift_V_MIN_I32(Lifter& l, const Instruction& i) { Binary(l, i, Op::kMinS); }
void lift_V_MAX_I32(Lifter& l, const Instruction& i) { Binary(l, i, Op::kMaxS); }
void lift_V_MIN_U32(Lifter& l, const Instruction& i) { Binary(l, i, Op::kMinU); }
void lift_V_MAX_U32(Lifter& l, const Instruction& i) { Binary(l, i, Op::kMaxU); }
void lift_V_MIN3_I32(Lifter& l, const Instruction& i) { Fold3(l, i, Op::kMinS); }
void lift_V_MAX3_I32(Lifter& l, const Instruction& i) { Fold3(l, i, Op::kMaxS); }
void lift_V_MIN3_U32(Lifter& l, const Instruction& i) { Fold3(l, i, Op::kMinU); }
void lift_V_MAX3_U32(Lifter& l, const Instruction& i) { Fold3(l, i, Op::kMaxU); }
void lift_V_MED3_I32(Lifter& l, const Instruction& i) { Median(l, i, Op::kMinS, Op::kMaxS); }
void lift_V_MED3_U32(Lifter& l, const Instruction& i) { Median(l, i, Op::kMinU, Op::kMaxU); }

}  // namespace gcnjit::frontend
