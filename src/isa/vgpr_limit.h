// How many VGPRs a wave must have for an instruction. It has as many AccVGPRs, if any.
#pragma once

#include <algorithm>
#include <iterator>

#include "isa/instruction.h"
#include "isa/vector_registers.h"

namespace gcnjit::frontend {

inline int VgprLimitOf(const Instruction& i, const Operand& operand) {
  if (operand.kind != OperandKind::kVector) return 0;
  int registers = std::max(1, RegistersOf(operand.type));
  if (operand.type == OperandType::VADDR) {
    registers = i.addr64 ? 2 : std::max(1, static_cast<int>(i.offen) + static_cast<int>(i.idxen));
  }
  return operand.index % kMaxVgprs + registers;
}

// The highest register number that the instruction's words name, plus one.
inline int VgprLimitOf(const Instruction& i) {
  int limit = VgprLimitOf(i, i.dst);
  if (limit != 0 && i.tfe) ++limit;
  for (const Operand& operand : i.src) limit = std::max(limit, VgprLimitOf(i, operand));
  return limit;
}

// Is that register an AccVGPR?
inline bool HighestIsAccVgpr(const Instruction& i) {
  const int limit = VgprLimitOf(i);
  const auto is_it = [&](const Operand& operand) {
    return IsAccVgpr(operand.index) && VgprLimitOf(i, operand) == limit;
  };
  return is_it(i.dst) || std::any_of(std::begin(i.src), std::end(i.src), is_it);
}

}  // namespace gcnjit::frontend
