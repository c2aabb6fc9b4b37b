#include "frontend/flow/masks_without_lanes.h"

namespace gcnjit::frontend {
namespace {

bool SavesExec(Opcode opcode) {
  switch (opcode) {
    case Opcode::S_AND_SAVEEXEC_B64:
    case Opcode::S_OR_SAVEEXEC_B64:
    case Opcode::S_XOR_SAVEEXEC_B64:
    case Opcode::S_ANDN2_SAVEEXEC_B64: return true;
    default: return false;
  }
}

// The pair that the instruction writes; -1: none.
int ResultOf(const Instruction& inst) {
  return inst.dst.kind == OperandKind::kScalar ? inst.dst.index : -1;
}

// A compare's mask has no lane that EXEC does not have.
bool IsCompare(const Instruction& inst) {
  return inst.dst.kind == OperandKind::kScalar && inst.dst.type == OperandType::M64 &&
         IsVectorAlu(inst.encoding);
}

}  // namespace

void MasksWithoutLanes::Follow(const Instruction& inst, const SgprSet& written) {
  const int result = ResultOf(inst);
  const bool is_zero = result >= 0 && IsResultZero(inst);
  const bool is_kept = result >= 0 && IsResultKept(inst);
  const bool is_exec_zero = IsExecZeroAfter(inst, written);
  zero_ &= ~written;
  if (is_zero) zero_.set(result).set(result + 1);
  if (is_exec_zero) {
    zero_.set(kCodeExecLo).set(kCodeExecHi);
  } else {
    zero_.reset(kCodeExecLo).reset(kCodeExecHi);
  }
  SgprSet lost = written;
  if (is_kept) lost.reset(result).reset(result + 1);
  kept_ &= ~lost;
}

bool MasksWithoutLanes::IsZero(const Operand& operand) const {
  return operand.kind == OperandKind::kScalar     ? IsZero(operand.index)
         : operand.kind == OperandKind::kConstant ? operand.value == 0
                                                  : false;
}

// Is it that pair, as it was?
bool MasksWithoutLanes::IsKept(const Operand& operand, int code) const {
  return operand.kind == OperandKind::kScalar && operand.index == code && kept_.test(code) &&
         kept_.test(code + 1);
}

bool MasksWithoutLanes::IsResultZero(const Instruction& inst) const {
  const Operand& a = inst.src[0];
  const Operand& b = inst.src[1];
  switch (inst.opcode) {
    case Opcode::S_MOV_B64:
    case Opcode::S_ANDN2_B64: return IsZero(a);
    case Opcode::S_AND_B64: return IsZero(a) || IsZero(b);
    case Opcode::S_OR_B64:
    case Opcode::S_XOR_B64: return IsZero(a) && IsZero(b);
    default: return IsExecZero() && (SavesExec(inst.opcode) || IsCompare(inst));
  }
}

bool MasksWithoutLanes::IsResultKept(const Instruction& inst) const {
  const int result = ResultOf(inst);
  const Operand& a = inst.src[0];
  const Operand& b = inst.src[1];
  switch (inst.opcode) {
    case Opcode::S_ANDN2_B64: return IsKept(a, result) && IsZero(b);
    case Opcode::S_OR_B64:
    case Opcode::S_XOR_B64:
      return (IsKept(a, result) && IsZero(b)) || (IsKept(b, result) && IsZero(a));
    default: return false;
  }
}

bool MasksWithoutLanes::IsExecZeroAfter(const Instruction& inst, const SgprSet& written) const {
  if (!written.test(kCodeExecLo) && !written.test(kCodeExecHi)) return IsExecZero();
  if (inst.opcode == Opcode::S_AND_SAVEEXEC_B64) return IsExecZero() || IsZero(inst.src[0]);
  if (SavesExec(inst.opcode)) return IsExecZero() && IsZero(inst.src[0]);
  return ResultOf(inst) == kCodeExecLo && IsResultZero(inst);
}

}  // namespace gcnjit::frontend
