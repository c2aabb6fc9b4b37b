// VOP3P: two f32 operations a lane, on pairs of registers; moves of two dwords. Semantics: the
// interpreter's exec_vop3p_f32.cpp.
#include <array>

#include "frontend/lift/modifiers.h"
#include "frontend/lift/signalling_nans.h"

namespace gcnjit::frontend {
namespace {

// The low or the high dword of source n.
Value DwordOfPair(Lifter& l, const Instruction& i, int n, bool high) {
  ir::Builder& b = l.b;
  const Operand& operand = i.src[n];
  switch (operand.kind) {
    case OperandKind::kVector: return l.Vgpr(operand.index + (high ? 1 : 0));
    case OperandKind::kScalar: return l.Sgpr(operand.index + (high ? 1 : 0));
    case OperandKind::kConstant:
      if (high && operand.value != 0) l.Refuse("the high dword of a constant");
      return b.U32(static_cast<uint32_t>(operand.value));
    default: break;
  }
  const Value v = l.Scalar64(operand);
  return high ? b.High(v) : b.Low(v);
}

// Source n of the low (part 0) or the high result.
Value SourcePart(Lifter& l, const Instruction& i, int n, int part) {
  const Value v = DwordOfPair(l, i, n, BitOf(part == 0 ? i.op_sel : i.op_sel_hi, n));
  return BitOf(part == 0 ? i.neg : i.neg_hi, n) ? l.b.Xor(v, l.b.U32(0x80000000)) : v;
}

void WritePair(Lifter& l, const Instruction& i, const std::array<Value, 2>& parts, bool floats) {
  if (!l.refusal().empty()) return;
  Instruction to = i;
  for (int part = 0; part < 2; ++part) {
    to.dst.index = static_cast<uint16_t>(i.dst.index + part);
    const Value v = parts[static_cast<size_t>(part)];
    floats ? l.WriteF32(to, v) : l.Write32(to, v);
  }
}

void PackedSum(Lifter& l, const Instruction& i, Op op) {
  std::array<Value, 2> parts;
  for (int part = 0; part < 2; ++part) {
    const Value x = SourcePart(l, i, 0, part);
    const Value y = SourcePart(l, i, 1, part);
    const Value sum = l.b.Float(op, l.EnvF32(), 32, {x, y});
    parts[static_cast<size_t>(part)] = KeepSignallingNans(l, kF32, sum, std::array{x, y});
  }
  WritePair(l, i, parts, true);
}

}  // namespace

void lift_V_PK_ADD_F32(Lifter& l, const Instruction& i) { PackedSum(l, i, Op::kFAdd); }
void lift_V_PK_MUL_F32(Lifter& l, const Instruction& i) { PackedSum(l, i, Op::kFMul); }
void lift_V_PK_FMA_F32(Lifter& l, const Instruction& i) {
  std::array<Value, 2> parts;
  for (int part = 0; part < 2; ++part) {
    const Value x = SourcePart(l, i, 0, part);
    const Value y = SourcePart(l, i, 1, part);
    const Value z = SourcePart(l, i, 2, part);
    const Value sum = l.b.Float(Op::kFFma, l.EnvF32(), 32, {x, y, z});
    parts[static_cast<size_t>(part)] = KeepSignallingNans(l, kF32, sum, std::array{x, y, z});
  }
  WritePair(l, i, parts, true);
}

// The low result is of source 0, the high one of source 1; OP_SEL_HI means nothing.
void lift_V_PK_MOV_B32(Lifter& l, const Instruction& i) {
  const Value low = DwordOfPair(l, i, 0, BitOf(i.op_sel, 0));
  const Value high = DwordOfPair(l, i, 1, BitOf(i.op_sel, 1));
  WritePair(l, i, {low, high}, false);
}

}  // namespace gcnjit::frontend
