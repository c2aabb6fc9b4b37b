// VGPRs whose numbers are known when code runs: the Lifter's part of it, and v_movrel*. Sources as
// in the interpreter (exec_vop_lane.cpp). What s_set_gpr_idx_on redirects: indexed_moves.cpp.
#include <algorithm>

#include "frontend/lift/lifter.h"

namespace gcnjit::frontend {

int Lifter::CountChangedVgprs(int first) const {
  return static_cast<int>(std::count_if(vgprs_.begin() + first, vgprs_.end(),
                                        [](const VectorSlot& slot) { return slot.dirty; }));
}

namespace {

// No value is greater.
uint64_t MostOf(ir::Builder& b, Value u32) {
  const ir::Inst& inst = b.function()[u32];
  if (inst.op == Op::kConst) return static_cast<uint64_t>(inst.imm);
  if (inst.op != Op::kAnd) return 0xFFFFFFFF;
  return std::min(MostOf(b, inst.args[0]), MostOf(b, inst.args[1]));
}

}  // namespace

// base + index, or where that is no VGPR of the wave any one from `first` on.
Value Lifter::NumberOf(int base, Value index, int first) {
  const auto from = static_cast<uint32_t>(base);
  const Value number = b.Add(index, b.U32(from));
  if (from + MostOf(b, index) < vgpr_count()) return number;
  const Value is_right = b.Compare(Op::kLtU, number, b.U32(vgpr_count()));
  numbers_are_right_ = numbers_are_right_ ? b.And(numbers_are_right_, is_right) : is_right;
  return b.Select(is_right, number, b.U32(static_cast<uint32_t>(first)));
}

// What a VGPR has whose value was v before the writes that wait.
Value Lifter::AfterWrites(Value number, Value v) {
  for (const WriteAt& write : writes_at_) {
    uint64_t known = 0;
    if (b.IsConst(number, &known) && known < static_cast<uint64_t>(write.first)) continue;
    v = b.Select(b.Compare(Op::kEq, number, write.number), b.Select(write.mask, write.v, v), v);
  }
  return v;
}

Value Lifter::VgprAt(int base, Value index, int first) {
  const Value number = NumberOf(base, index, first);
  Value v = b.Emit(Op::kGetVgprAt, ir::Type::kV32, {number}, first);
  for (int vgpr = first; vgpr < kMaxVgprs; ++vgpr) {
    if (!vgprs_[vgpr].dirty) continue;
    const Value is_this = b.Compare(Op::kEq, number, b.U32(static_cast<uint32_t>(vgpr)));
    v = b.Select(is_this, Vgpr(vgpr), v);
  }
  return AfterWrites(number, v);
}

Value Lifter::VgprAfterWrites(int vgpr) {
  return AfterWrites(b.U32(static_cast<uint32_t>(vgpr)), Vgpr(vgpr));
}

void Lifter::SetVgprAt(int base, Value index, int first, Value v) {
  const Value number = NumberOf(base, index, first);
  writes_at_.push_back({number, first, Exec(), v});
}

void Lifter::EndIndexing(uint64_t pc, int count, int sgpr) {
  if (numbers_are_right_) {
    index_sgprs_.set(kCodeM0);
    if (sgpr >= 0) index_sgprs_.set(static_cast<size_t>(sgpr));
    terminator_ = {Op::kProceed, numbers_are_right_, {next_pc_, pc}, count};
  } else if (!writes_at_.empty()) {
    Jump(next_pc_);
  }
}

namespace {

// M0 is added to the numbers, modulo 2^32: any VGPR may be meant.
void MoveRelative(Lifter& l, const Instruction& i, bool source, bool destination) {
  if (i.encoding != Encoding::kVop1) return l.Refuse("an encoding that compilers do not use");
  if (source && i.src[0].kind != OperandKind::kVector) return l.Refuse("faults");
  const Value index = l.Sgpr(kCodeM0);
  const Value v = source ? l.VgprAt(i.src[0].index, index, 0) : l.Src32(i, 0);
  if (!l.refusal().empty()) return;
  if (destination) {
    l.SetVgprAt(i.dst.index, index, 0, v);
  } else {
    l.Write32(i, v);
  }
  l.EndIndexing(l.pc(), 1, kCodeM0);
}

}  // namespace

void lift_V_MOVRELD_B32(Lifter& l, const Instruction& i) { MoveRelative(l, i, false, true); }
void lift_V_MOVRELS_B32(Lifter& l, const Instruction& i) { MoveRelative(l, i, true, false); }
void lift_V_MOVRELSD_B32(Lifter& l, const Instruction& i) { MoveRelative(l, i, true, true); }

}  // namespace gcnjit::frontend
