#include <array>

#include "frontend/lift/signalling_nans.h"

namespace gcnjit::frontend {
namespace {

// A source that may be a NaN, as a pattern of the result's format. What is no NaN may be anything.
struct NanOperand {
  Value pattern;
  Value is_nan;
};

struct NanOperands {
  std::array<NanOperand, 4> all;
  size_t count = 0;
  void Add(NanOperand operand) { all[count++] = operand; }
};

Value IsNanPattern(Lifter& l, FloatType type, Value v) {
  ir::Builder& b = l.b;
  if (type.bits != 16) return b.FCmp(kUnordered, l.EnvNearest(), v, v);
  return Mask(b, Op::kLtU, b.U32(0x7C00), b.And(v, b.U32(0x7FFF)));
}

// Of NaNs: the highest bits of the fraction stay. One of which nothing would be left is quiet.
Value RebiasedNan(ir::Builder& b, Value v, FloatType from, FloatType to) {
  if (from.bits == 16) {  // to f32
    const Value sign = b.Shl(b.And(v, b.U32(0x8000)), 16);
    const Value fraction = b.Shl(b.And(v, b.U32(0x3FF)), 13);
    return b.Or(b.Or(sign, fraction), b.U32(0x7F800000));
  }
  if (from.bits == 32) {  // to f64
    const Value sign = b.And(v, b.U32(0x80000000));
    const Value high = b.Or(b.Or(sign, b.U32(0x7FF00000)), b.Lshr(b.And(v, b.U32(0x7FFFFF)), 3));
    return b.Pack(b.Shl(v, 29), high);
  }
  const Value high = b.High(v);
  const Value fraction = b.Or(b.Shl(b.And(high, b.U32(0xFFFFF)), 3), b.Lshr(b.Low(v), 29));
  const Value kept =
      b.Select(Mask(b, Op::kEq, fraction, b.U32(0)), b.U32(TopOf(to, to.Quiet())), fraction);
  return b.Or(b.Or(b.And(high, b.U32(0x80000000)), b.U32(0x7F800000)), kept);
}

NanOperand NanOfType(Lifter& l, Value v, FloatType from, FloatType to) {
  const Value is_nan = IsNanPattern(l, from, v);
  return {from.bits == to.bits ? v : RebiasedNan(l.b, v, from, to), is_nan};
}

NanOperand NanSource(Lifter& l, const Instruction& i, int n, OperandType type, FloatType to) {
  switch (type) {
    case OperandType::F16: return NanOfType(l, l.SrcF16(i, n), kF16, to);
    case OperandType::F64: return NanOfType(l, l.SrcF64(i, n), kF64, to);
    default: return NanOfType(l, l.SrcF32(i, n), kF32, to);
  }
}

// The destination's old value, which v_mac_* and v_fmac_* add to.
NanOperand NanDestination(Lifter& l, const Instruction& i, FloatType type) {
  Value v = l.Dst32(i);
  if (type.bits == 64) v = l.b.Pack(v, l.Vgpr(i.dst.index + 1));
  return NanOfType(l, type.bits == 16 ? LowHalf(l.b, v) : v, type, type);
}

OperandType OperandTypeOf(FloatType type) {
  return type.bits == 16 ? OperandType::F16 : type.bits == 32 ? OperandType::F32 : OperandType::F64;
}

NanOperands NanSources(Lifter& l, const Instruction& i, FloatType type) {
  const OpcodeRow& row = i.row();
  const bool from_last = PrefersLastNan(row);
  NanOperands operands;
  for (int turn = 0; turn < 3; ++turn) {
    const int n = from_last ? 2 - turn : turn;
    OperandType source = row.src[static_cast<size_t>(n)];
    if (source == OperandType::LITERAL) source = OperandTypeOf(type);
    const bool is_float =
        source == OperandType::F16 || source == OperandType::F32 || source == OperandType::F64;
    if (is_float) operands.Add(NanSource(l, i, n, source, type));
  }
  if (row.Has(READS_DST)) operands.Add(NanDestination(l, i, type));
  return operands;
}

// Whether any NaN operand is the result, the first of them, whatever the others are.
bool TakesAnyNan(Opcode opcode) {
  switch (opcode) {
    using enum Opcode;
    case V_ADD_F32:
    case V_SUB_F32:
    case V_SUBREV_F32:
    case V_MUL_F32:
    case V_FMA_F32:
    case V_FMAC_F32:
    case V_FMAMK_F32:
    case V_FMAAK_F32:
    case V_ADD_F64:
    case V_MUL_F64:
    case V_FMA_F64:
    case V_FMAC_F64:
    case V_ADD_F16:
    case V_SUB_F16:
    case V_SUBREV_F16:
    case V_MUL_F16:
    case V_FMA_F16:
    case V_FMA_LEGACY_F16: return true;
    default: return false;
  }
}

// v with the quiet bit of the operand that it is, but for sign and quiet bit; `otherwise` if it is
// not.
Value IfItIs(Lifter& l, FloatType type, const NanOperand& operand, Value v, Value otherwise) {
  ir::Builder& b = l.b;
  const Value all_but_quiet = Pattern(b, type, ~type.Quiet());
  const Value fraction = Pattern(b, type, (type.Sign() - 1) & ~type.Quiet());
  const Value difference = b.And(b.Xor(v, operand.pattern), fraction);
  const Value is_it = Both(b, Mask(b, Op::kEq, difference, Pattern(b, type, 0)), operand.is_nan);
  const Value kept = b.And(v, b.Or(operand.pattern, all_but_quiet));
  return b.Select(Both(b, is_it, IsNanPattern(l, type, v)), kept, otherwise);
}

}  // namespace

Value KeepSignallingNans(Lifter& l, const Instruction& i, FloatType type, Value result) {
  const OpcodeRow& row = i.row();
  if (IsIeee(l) || !frontend::KeepsSignallingNans(row) || row.dst != OperandTypeOf(type))
    return result;
  const NanOperands operands = NanSources(l, i, type);
  const bool takes_any = TakesAnyNan(i.opcode);
  Value kept = result;
  for (size_t n = operands.count; n-- > 0;) {  // the one to prefer last
    const NanOperand& operand = operands.all[n];
    kept = takes_any ? l.b.Select(operand.is_nan, operand.pattern, kept)
                     : IfItIs(l, type, operand, result, kept);
  }
  return kept;
}

Value KeepSignallingNans(Lifter& l, FloatType type, Value result, std::span<const Value> operands) {
  if (IsIeee(l)) return result;
  for (size_t n = operands.size(); n-- > 0;) {
    result = l.b.Select(IsNanPattern(l, type, operands[n]), operands[n], result);
  }
  return result;
}

}  // namespace gcnjit::frontend
