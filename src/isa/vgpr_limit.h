// How many registers operands have, and how many VGPRs and AccVGPRs a wave must have for an
// instruction.
#pragma once

#include <algorithm>

#include "isa/instruction.h"
#include "isa/vector_registers.h"

namespace gcnjit::frontend {

// Registers of an operand that is one of the instruction's own. Of an image's address: the first,
// since the resource tells how many there are.
inline int VgprsOf(const Instruction& i, const Operand& operand) {
  if (operand.type == OperandType::VADDR) {
    return i.addr64 ? 2 : static_cast<int>(i.offen) + static_cast<int>(i.idxen);
  }
  if (i.encoding == Encoding::kMimg) {
    if (&operand == &i.dst) return i.loaded_vgprs;
    if (&operand == &i.src[1]) return i.stored_vgprs;
  }
  return std::max(1, RegistersOf(operand.type));
}

// The status that loads append to their data.
inline bool LoadsStatus(const Instruction& i) {
  return (i.tfe || i.lwe) && i.dst.kind == OperandKind::kVector;
}

// The highest register numbers that the instruction's words name, plus one.
inline VgprCounts VgprLimitOf(const Instruction& i) {
  VgprCounts limit;
  const auto count = [&](const Operand& operand, int extra) {
    if (operand.kind != OperandKind::kVector) return;
    uint16_t& most = IsAccVgpr(operand.index) ? limit.acc_vgprs : limit.vgprs;
    const int end = operand.index % kMaxVgprs + std::max(1, VgprsOf(i, operand)) + extra;
    most = std::max(most, static_cast<uint16_t>(end));
  };
  count(i.dst, LoadsStatus(i) ? 1 : 0);
  for (const Operand& operand : i.src) count(operand, 0);
  return limit;
}

}  // namespace gcnjit::frontend
