// How many VGPRs and AccVGPRs a wave must have for an instruction.
#pragma once

#include <algorithm>

#include "isa/instruction.h"
#include "isa/vector_registers.h"

namespace gcnjit::frontend {

// The highest register numbers that the instruction's words name, plus one.
inline VgprCounts VgprLimitOf(const Instruction& i) {
  VgprCounts limit;
  const auto count = [&](const Operand& operand, int extra) {
    if (operand.kind != OperandKind::kVector) return;
    int registers = std::max(1, RegistersOf(operand.type));
    if (operand.type == OperandType::VADDR) {
      registers = i.addr64 ? 2 : std::max(1, static_cast<int>(i.offen) + static_cast<int>(i.idxen));
    }
    uint16_t& most = IsAccVgpr(operand.index) ? limit.acc_vgprs : limit.vgprs;
    const int end = operand.index % kMaxVgprs + registers + extra;
    most = std::max(most, static_cast<uint16_t>(end));
  };
  count(i.dst, i.tfe ? 1 : 0);
  for (const Operand& operand : i.src) count(operand, 0);
  return limit;
}

}  // namespace gcnjit::frontend
