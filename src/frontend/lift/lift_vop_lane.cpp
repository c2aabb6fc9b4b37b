// Moves: plain, conditional, and between lanes and scalar registers.
#include "frontend/lift/integer_ops.h"

namespace gcnjit::frontend {
namespace {

// One lane of src0, or the value of a scalar one.
Value SourceLane(Lifter& l, const Instruction& i, Value lane) {
  const Operand& operand = i.src[0];
  if (operand.kind != OperandKind::kVector) return l.Scalar32(operand);
  const Value v = l.VgprExactly(operand.index);
  if (l.b.TypeOf(v) == ir::Type::kU32) return v;
  return l.b.Emit(Op::kReadLane, ir::Type::kU32, {v, lane});
}

}  // namespace

void lift_V_NOP(Lifter&, const Instruction&) {}
// Clears exception flags, which nothing can read.
void lift_V_CLREXCP(Lifter&, const Instruction&) {}

// neg and abs apply as if the source were an f32.
void lift_V_MOV_B32(Lifter& l, const Instruction& i) { l.Write32(i, l.SrcF32(i, 0)); }

void lift_V_MOV_B64(Lifter& l, const Instruction& i) { l.Write64(i, l.Src64(i, 0)); }

void lift_V_CNDMASK_B32(Lifter& l, const Instruction& i) {
  const Value otherwise = l.SrcF32(i, 0);
  const Value chosen = l.SrcF32(i, 1);
  l.Write32(i, l.b.Select(l.ActiveMask(i.src[2]), chosen, otherwise));
}

void lift_V_SWAP_B32(Lifter& l, const Instruction& i) {
  const Value x = l.Vgpr(i.dst.index);
  const Value y = l.Vgpr(i.src[0].index);
  l.SetVgpr(i.dst.index, y);
  l.SetVgpr(i.src[0].index, x);
}

// ---- Lanes and scalars: EXEC does not mask these

// The first active lane, lane 0 if there is none.
void lift_V_READFIRSTLANE_B32(Lifter& l, const Instruction& i) {
  const Value lane = l.b.Emit(Op::kFirstLane, ir::Type::kU32, {l.Exec()});
  l.WriteScalar32(i.dst, SourceLane(l, i, lane));
}

void lift_V_READLANE_B32(Lifter& l, const Instruction& i) {
  const Value lane = l.Scalar32(i.src[1]);
  l.WriteScalar32(i.dst, SourceLane(l, i, lane));
}

void lift_V_WRITELANE_B32(Lifter& l, const Instruction& i) {
  const Value value = l.Scalar32(i.src[0]);
  const Value lane = l.b.And(l.Scalar32(i.src[1]), l.b.U32(63));
  l.SetVgprExactly(i.dst.index, value, l.b.Compare(Op::kEq, l.b.LaneId(), lane));
}

}  // namespace gcnjit::frontend
