#include "frontend/flow/known_masks.h"

#include <utility>

#include "isa/encodings.h"

namespace gcnjit::frontend {
namespace {

using MaybeMask = std::optional<KnownMask>;

constexpr KnownMask kNone = {false, 0};
constexpr KnownMask kAll = {false, ~uint64_t{0}};

bool AreConstant(const MaybeMask& a, const MaybeMask& b) {
  return a && b && !a->is_initial && !b->is_initial;
}
KnownMask Constant(uint64_t value) { return {false, value}; }

MaybeMask Not(const MaybeMask& a) {
  return a && !a->is_initial ? MaybeMask(Constant(~a->value)) : std::nullopt;
}
MaybeMask And(const MaybeMask& a, const MaybeMask& b) {
  if (a == kNone || b == kNone) return kNone;
  if (a == kAll || a == b) return b;
  if (b == kAll) return a;
  return AreConstant(a, b) ? MaybeMask(Constant(a->value & b->value)) : std::nullopt;
}
MaybeMask Or(const MaybeMask& a, const MaybeMask& b) {
  if (a == kAll || b == kAll) return kAll;
  if (a == kNone || a == b) return b;
  if (b == kNone) return a;
  return AreConstant(a, b) ? MaybeMask(Constant(a->value | b->value)) : std::nullopt;
}
MaybeMask Xor(const MaybeMask& a, const MaybeMask& b) {
  if (a == kNone) return b;
  if (b == kNone) return a;
  return AreConstant(a, b) ? MaybeMask(Constant(a->value ^ b->value)) : std::nullopt;
}

bool SavesExec(const Instruction& inst) {
  switch (inst.opcode) {
    case Opcode::S_AND_SAVEEXEC_B64:
    case Opcode::S_OR_SAVEEXEC_B64:
    case Opcode::S_XOR_SAVEEXEC_B64:
    case Opcode::S_ANDN2_SAVEEXEC_B64:
    case Opcode::S_ORN2_SAVEEXEC_B64: return true;
    default: return false;
  }
}

// Not EXEC_HI, which has no next SGPR.
bool IsPair(const Operand& operand) {
  return operand.kind == OperandKind::kScalar && operand.index < kCodeExecHi;
}

// The pair that the instruction writes; -1: none.
int ResultPair(const Instruction& inst) { return IsPair(inst.dst) ? inst.dst.index : -1; }

// A compare's mask has no lane that EXEC does not have.
bool IsCompare(const Instruction& inst) {
  return inst.dst.type == OperandType::M64 && IsVectorAlu(inst.encoding);
}

bool Has(const SgprSet& set, int pair) {
  return set.test(static_cast<size_t>(pair)) || set.test(static_cast<size_t>(pair) + 1);
}

}  // namespace

KnownMasks KnownMasks::WithoutLanes() const {
  KnownMasks masks;
  for (const auto& [pair, mask] : values_) {
    if (!mask.is_initial) masks.at_begin_.emplace(pair, mask);
  }
  masks.values_ = masks.at_begin_;
  masks.values_[kCodeExecLo] = kNone;
  return masks;
}

bool KnownMasks::IsKept(int sgpr) const {
  if (!written_.test(static_cast<size_t>(sgpr))) return true;
  for (const int pair : {sgpr - 1, sgpr}) {
    const auto found = values_.find(pair);
    if (found != values_.end() && IsInitial(pair, found->second)) return true;
  }
  return false;
}

bool KnownMasks::IsInitial(int pair, const KnownMask& mask) const {
  if (mask == KnownMask{true, static_cast<uint64_t>(pair)}) return true;
  const auto before = at_begin_.find(pair);
  return before != at_begin_.end() && mask == before->second;
}

void KnownMasks::Follow(const Instruction& inst, const SgprSet& written) {
  const MaybeMask result = ResultOf(inst);
  const MaybeMask exec = ExecAfter(inst, written);
  std::erase_if(values_, [&](const auto& known) { return Has(written, known.first); });
  written_ |= written;
  if (result) values_[ResultPair(inst)] = *result;
  // Also where it is the pair that EXEC is saved in.
  values_.erase(kCodeExecLo);
  if (exec) values_[kCodeExecLo] = *exec;
}

MaybeMask KnownMasks::At(int pair) const {
  if (const auto found = values_.find(pair); found != values_.end()) return found->second;
  return Has(written_, pair) ? std::nullopt : MaybeMask({true, static_cast<uint64_t>(pair)});
}

MaybeMask KnownMasks::ValueOf(const Operand& operand) const {
  if (IsPair(operand)) return At(operand.index);
  return operand.kind == OperandKind::kConstant ? MaybeMask(Constant(operand.value)) : std::nullopt;
}

// Vega manual, "SOP1 instructions" and "SOP2 instructions".
MaybeMask KnownMasks::ResultOf(const Instruction& inst) const {
  if (ResultPair(inst) < 0) return std::nullopt;
  const MaybeMask a = ValueOf(inst.src[0]);
  const MaybeMask b = ValueOf(inst.src[1]);
  switch (inst.opcode) {
    case Opcode::S_MOV_B64: return a;
    case Opcode::S_NOT_B64: return Not(a);
    case Opcode::S_AND_B64: return And(a, b);
    case Opcode::S_OR_B64: return Or(a, b);
    case Opcode::S_XOR_B64: return Xor(a, b);
    case Opcode::S_ANDN2_B64: return And(a, Not(b));
    case Opcode::S_ORN2_B64: return Or(a, Not(b));
    default: break;
  }
  const MaybeMask exec = At(kCodeExecLo);
  if (SavesExec(inst)) return exec;
  return IsCompare(inst) && exec == kNone ? exec : std::nullopt;
}

MaybeMask KnownMasks::ExecAfter(const Instruction& inst, const SgprSet& written) const {
  const MaybeMask exec = At(kCodeExecLo);
  if (!Has(written, kCodeExecLo)) return exec;
  const MaybeMask a = ValueOf(inst.src[0]);
  switch (inst.opcode) {
    case Opcode::S_AND_SAVEEXEC_B64: return And(a, exec);
    case Opcode::S_OR_SAVEEXEC_B64: return Or(a, exec);
    case Opcode::S_XOR_SAVEEXEC_B64: return Xor(a, exec);
    case Opcode::S_ANDN2_SAVEEXEC_B64: return And(a, Not(exec));
    case Opcode::S_ORN2_SAVEEXEC_B64: return Or(a, Not(exec));
    default: return ResultPair(inst) == kCodeExecLo ? ResultOf(inst) : std::nullopt;
  }
}

}  // namespace gcnjit::frontend
