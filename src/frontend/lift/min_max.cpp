#include "frontend/lift/min_max.h"

#include <bit>

namespace gcnjit::frontend {
namespace {

double ToDouble(FloatType type, uint64_t pattern) {
  if (type.bits == 64) return std::bit_cast<double>(pattern);
  if (type.bits == 32) return std::bit_cast<float>(static_cast<uint32_t>(pattern));
  // Of a normal half or zero.
  const uint64_t magnitude = pattern & 0x7FFF;
  const uint64_t exponent = magnitude == 0 ? 0 : (magnitude >> 10) + 1023 - 15;
  return std::bit_cast<double>((pattern & 0x8000) << 48 | exponent << 52 |
                               (magnitude & 0x3FF) << 42);
}

// Whether `v` is known not to be a signalling NaN: arithmetic quiets its operands.
bool NeverSignals(ir::Builder& b, Value v, FloatType type, int depth = 4) {
  const int bits = type.bits;
  const ir::Inst& inst = b.function()[v];
  const auto argument = [&](int n) { return NeverSignals(b, inst.args[n], type, depth - 1); };
  switch (inst.op) {
    case Op::kFAdd:
    case Op::kFSub:
    case Op::kFMul:
    case Op::kFDiv:
    case Op::kFFma:
    case Op::kFSqrt:
    case Op::kFRound: return ir::Is64(inst.type) == (bits == 64) && bits != 16;
    case Op::kI32ToF32:
    case Op::kU32ToF32:
    case Op::kF64ToF32:
    case Op::kF16ToF32: return bits == 32;
    case Op::kI32ToF64:
    case Op::kU32ToF64:
    case Op::kF32ToF64: return bits == 64;
    case Op::kF32ToF16: return bits == 16;
    case Op::kSelect: return depth > 0 && argument(1) && argument(2);
    case Op::kConst: {
      const auto pattern = static_cast<uint64_t>(inst.imm);
      return !type.IsNan(pattern) || (pattern & type.Quiet()) != 0;
    }
    case Op::kAnd:
    case Op::kXor: {  // abs and neg
      uint64_t n = 0;
      if (depth == 0 || !b.IsConst(inst.args[1], &n)) return false;
      const uint64_t magnitude = type.Sign() - 1;
      const bool keeps = inst.op == Op::kAnd ? (n & magnitude) == magnitude : (n & magnitude) == 0;
      const bool is_number = inst.op == Op::kAnd && (~n & type.Infinity()) != 0;
      return is_number || (keeps && argument(0));
    }
    default: return false;
  }
}

}  // namespace

MinMax::MinMax(Lifter& l, FloatType type) : l_(l), b_(l.b), type_(type), ieee_(IsIeee(l)) {
  if (!IsGfx9(l.generation())) return;
  flush_inputs_ = type.bits == 32 ? FlushesF32Inputs(l) : FlushesF64Inputs(l);
  flush_results_ = type.bits == 32 ? FlushesF32Results(l) : FlushesF64Results(l);
}

Value MinMax::Number(Value pattern) {
  if (type_.bits != 16) return pattern;
  for (const auto& [half, wide] : widened_) {
    if (half == pattern) return wide;
  }
  widened_.emplace_back(pattern, WidenHalf(b_, pattern, false));
  return widened_.back().second;
}

Value MinMax::Compare(Predicate predicate, Value x, Value y) {
  return b_.FCmp(predicate, l_.EnvNearest(), Number(x), Number(y));
}

Value MinMax::Quieted(Value pattern) {
  if (type_.bits != 16) return Canonical(b_, type_, pattern);
  return b_.Emit(Op::kF32ToF16, ir::Type::kV32, {Number(pattern)});  // exact
}

bool MinMax::IsNumber(Value v, uint64_t* pattern) const {
  return b_.IsConst(v, pattern) && !type_.IsNan(*pattern);
}

// `result`, or x quieted where it is a signalling NaN and MODE.IEEE cares.
Value MinMax::UnlessSignals(Value x, Value result) {
  if (!ieee_ || NeverSignals(b_, x, type_)) return result;
  const Value quieted = Quieted(x);
  return b_.Select(Mask(b_, Op::kNe, quieted, x), quieted, result);
}

Value MinMax::OfConstant(Wanted wanted, Value x, Value constant) {
  uint64_t c = 0;
  b_.IsConst(constant, &c);
  // Of equal operands either will do, but for zeros: x is right where c is the one not wanted.
  const bool is_min = wanted == Wanted::kMin;
  const bool x_if_equal = c == (is_min ? 0 : type_.Sign());
  const Predicate predicate =
      is_min ? (x_if_equal ? kLessOrEqual : kLess) : (x_if_equal ? kGreaterOrEqual : kGreater);
  return UnlessSignals(x, b_.Select(Compare(predicate, x, constant), x, constant));
}

Value MinMax::Of(Wanted wanted, Value x, Value y) {
  if (x == y) return ieee_ && !NeverSignals(b_, x, type_) ? Quieted(x) : x;
  uint64_t pattern = 0;
  if (IsNumber(y, &pattern)) return OfConstant(wanted, x, y);
  if (IsNumber(x, &pattern)) return OfConstant(wanted, y, x);

  const bool is_min = wanted == Wanted::kMin;
  // y, also if x is NaN; then x if y is NaN.
  Value result = b_.Select(Compare(is_min ? kLess : kGreater, x, y), x, y);
  // Equal operands differ if they are zeros: or-ing makes -0 of them, and-ing +0.
  const Value tied = b_.Binary(is_min ? Op::kOr : Op::kAnd, x, y);
  result = b_.Select(Compare(kEqual, x, y), tied, result);
  result = b_.Select(Compare(kUnordered, y, y), x, result);
  return UnlessSignals(x, UnlessSignals(y, result));
}

// Patterns ordered as integers, -0 below +0; the key of a key is the pattern, of halves extended to
// 32 bits.
Value MinMax::OrderKey(Value v) { return b_.Xor(v, b_.Lshr(b_.Ashr(v, 31), 1)); }
Value MinMax::MedianOfNumbers(Value x, Value y, Value z) {
  const auto key = [&](Value v) {
    return OrderKey(type_.bits == 16 ? b_.Unary(Op::kSext16, v) : v);
  };
  const Value a = key(x);
  const Value c = key(y);
  const Value not_above = b_.Binary(Op::kMinS, b_.Binary(Op::kMaxS, a, c), key(z));
  const Value median = OrderKey(b_.Binary(Op::kMaxS, b_.Binary(Op::kMinS, a, c), not_above));
  return type_.bits == 16 ? b_.And(median, b_.U32(0xFFFF)) : median;
}

// Of low < high, as in v_med3_f32 v0, v0, 0, 1.0; `last` is the constant that comes last.
Value MinMax::MedianOfConstants(Value x, int position, Value low, Value high, Value last) {
  uint64_t c = 0;
  b_.IsConst(low, &c);
  const Predicate above_low = c == type_.Sign() ? kGreaterOrEqual : kGreater;
  const Value not_below = b_.Select(Compare(above_low, x, low), x, low);  // low for NaNs
  const Value result = b_.Select(Compare(kGreaterOrEqual, x, high), high, not_below);
  if (!ieee_ || NeverSignals(b_, x, type_)) return result;
  // min(min(a, b), c): a signalling NaN is quiet in the second minimum, and then loses.
  const Value quieted = Quieted(x);
  return b_.Select(Mask(b_, Op::kNe, quieted, x), position < 2 ? last : quieted, result);
}

Value MinMax::Median(Value x, Value y, Value z) {
  Value v[3] = {x, y, z};
  uint64_t pattern[3] = {};
  int variable = -1;
  int numbers = 0;
  for (int n = 0; n < 3; ++n) {
    // Denormal constants are not worth a special case.
    const bool known = IsNumber(v[n], &pattern[n]) &&
                       ((pattern[n] & type_.Infinity()) != 0 || (pattern[n] & ~type_.Sign()) == 0);
    numbers += known ? 1 : 0;
    if (!known) variable = n;
  }
  if (flush_inputs_) {
    for (Value& operand : v) {
      if (!b_.IsConst(operand) || numbers < 2) operand = FlushDenormals(b_, type_, operand);
    }
  }
  if (numbers == 2) {
    const int first = variable == 0 ? 1 : 0;
    const int last = variable == 2 ? 1 : 2;
    const double c = ToDouble(type_, pattern[first]);
    const double d = ToDouble(type_, pattern[last]);
    const int high = c < d ? last : first;
    if (c != d && (pattern[high] & ~type_.Sign()) != 0) {
      return MedianOfConstants(v[variable], variable, v[high == last ? first : last], v[high],
                               v[last]);
    }
  }

  const Value median = MedianOfNumbers(v[0], v[1], v[2]);
  const Value any_nan =
      Either(b_, Compare(kUnordered, v[0], v[1]), Compare(kUnordered, v[2], v[2]));
  const Value minimum = Of(Wanted::kMin, Of(Wanted::kMin, v[0], v[1]), v[2]);
  return b_.Select(any_nan, minimum, median);
}

Value MinMax::Finish(Value result) {
  return flush_inputs_ || flush_results_ ? FlushDenormals(b_, type_, result) : result;
}

bool SameSources(const Instruction& i) {
  if (i.encoding == Encoding::kSdwa || i.encoding == Encoding::kDpp) return false;
  const auto modifiers = [&i](int n) {
    return (i.neg >> n & 1) | (i.abs >> n & 1) << 1 | (i.op_sel >> n & 1) << 2 |
           (i.op_sel_hi >> n & 1) << 3 | (i.neg_hi >> n & 1) << 4;
  };
  const Operand& x = i.src[0];
  const Operand& y = i.src[1];
  return x.kind == y.kind && x.index == y.index && x.value == y.value &&
         modifiers(0) == modifiers(1);
}

}  // namespace gcnjit::frontend
