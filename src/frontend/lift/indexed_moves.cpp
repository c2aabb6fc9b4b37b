// The semantics are those of lanes.cpp in the interpreter: M0[7:0] is added to the numbers of the
// vector operands that M0[15:12] names, 0 src0, 3 the destination.
#include "frontend/lift/indexed_moves.h"

#include "frontend/flow/register_access.h"
#include "frontend/lift/why_not_lifted.h"
#include "isa/vgpr_limit.h"

namespace gcnjit::frontend {
namespace {

// Work grows with the square of their number.
constexpr size_t kMostInstructions = 32;

constexpr int kSourceBit = 0;
constexpr int kDestinationBit = 3;

bool IsPlainMove(const Instruction& i, const LiftTarget& target) {
  if (i.opcode != Opcode::V_MOV_B32 || i.encoding != Encoding::kVop1) return false;
  return i.src[0].kind != OperandKind::kSpecial && target.vgprs.Hold(VgprLimitOf(i));
}

// Scalar instructions that compilers put between the moves. They may be executed twice, in code
// that is about to fault: the index must stay the same.
bool MayBeBetween(const Instruction& i, const Instruction& on, const LiftTarget& target) {
  switch (i.encoding) {
    case Encoding::kSop1:
    case Encoding::kSop2:
    case Encoding::kSopk:
    case Encoding::kSopc: break;
    default: return i.opcode == Opcode::S_NOP;
  }
  // MODE is another one here, and nothing may be refused.
  if (i.opcode == Opcode::S_GETREG_B32 || WhyNotLifted(i.opcode) != nullptr) return false;
  for (const Operand& source : i.src) {
    if (source.kind == OperandKind::kSpecial) return false;
  }
  const RegisterAccess access = AccessOf(i, target.processor.generation);
  const SgprSet& written = access.may_write.sgprs;
  if (access.unknown || written[kCodeM0] || written[kCodeExecLo] || written[kCodeExecHi]) {
    return false;
  }
  if (on.src[0].kind == OperandKind::kScalar && written[on.src[0].index]) return false;
  return (i.row().flags & (BRANCH | MODE_OUT)) == 0;
}

}  // namespace

size_t CountIndexedMoves(std::span<const DecodedInstruction> code, const LiftTarget& target) {
  const Instruction& on = code[0].inst();
  if (on.opcode != Opcode::S_SET_GPR_IDX_ON || on.src[0].kind == OperandKind::kSpecial) return 0;
  if ((target.mode & (kModeGprIdxEn | kModeVskip)) != 0) return 0;
  for (size_t n = 1; n < code.size() && n < kMostInstructions; ++n) {
    const Instruction& i = code[n].inst();
    if (i.opcode == Opcode::S_SET_GPR_IDX_OFF) return n + 1;
    if (code[n].skips != 0) return 0;
    if (!IsPlainMove(i, target) && !MayBeBetween(i, on, target)) return 0;
  }
  return 0;
}

IndexedMoves::IndexedMoves(Lifter& lifter, std::span<const DecodedInstruction> code)
    : lifter_(lifter),
      code_(code),
      has_source_((code[0].inst().imm >> kSourceBit & 1) != 0),
      has_destination_((code[0].inst().imm >> kDestinationBit & 1) != 0) {}

void IndexedMoves::Lift(size_t n, const VgprSet& wide) {
  const DecodedInstruction& at = code_[n];
  const Instruction& i = at.inst();
  Lifter::Observed observed;
  observed.wide_vgprs = wide;
  lifter_.Start(at.pc, at.pc + i.size, observed);
  if (n == 0) return On();
  if (i.opcode == Opcode::V_MOV_B32) return Move(i);
  if (n + 1 < code_.size()) return LiftFunctionOf(i.opcode)(lifter_, i);
  const Operand& source = code_[0].inst().src[0];
  const int sgpr = source.kind == OperandKind::kScalar ? source.index : -1;
  lifter_.EndIndexing(code_[0].pc, static_cast<int>(code_.size()), sgpr);
}

void IndexedMoves::On() {
  const Instruction& i = code_[0].inst();
  ir::Builder& b = lifter_.b;
  index_ = b.And(lifter_.Scalar32(i.src[0]), b.U32(0xFF));
  const Value kept = b.And(lifter_.Sgpr(kCodeM0), b.U32(0xFFFF0F00));
  const uint32_t operands = static_cast<uint32_t>(i.imm) << 12;
  lifter_.SetSgpr(kCodeM0, b.Or(b.Or(kept, b.U32(operands)), index_));
}

void IndexedMoves::Move(const Instruction& i) {
  const Operand& source = i.src[0];
  Value v;
  if (source.kind != OperandKind::kVector) {
    v = lifter_.Scalar32(source);
  } else if (has_source_) {
    v = lifter_.VgprAt(source.index, index_, source.index);
  } else {
    v = lifter_.VgprAfterWrites(source.index);
  }
  if (has_destination_) {
    lifter_.SetVgprAt(i.dst.index, index_, i.dst.index, v);
  } else {
    lifter_.SetVgpr(i.dst.index, v);
  }
}

}  // namespace gcnjit::frontend
