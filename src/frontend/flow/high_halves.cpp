#include "frontend/flow/high_halves.h"

#include <algorithm>

#include "isa/encodings.h"

namespace gcnjit::frontend {
namespace {

bool IsZero(const Operand& operand) {
  return operand.kind == OperandKind::kConstant && operand.value == 0;
}

}  // namespace

bool AsksForHighHalves(std::span<const DecodedInstruction> code) {
  const auto compare = std::find_if(code.rbegin(), code.rend(), [](const DecodedInstruction& at) {
    return at.inst().dst.type == OperandType::M64 && IsVectorAlu(at.inst().encoding);
  });
  if (compare == code.rend() || compare->inst().opcode != Opcode::V_CMP_NE_U64) return false;
  const auto& sources = compare->inst().src;
  const bool is_first_zero = IsZero(sources[0]);
  const Operand& pair = sources[is_first_zero ? 1 : 0];
  if (pair.kind != OperandKind::kVector || !(is_first_zero || IsZero(sources[1]))) return false;
  const auto last_write = [&](int vgpr) -> const Instruction* {
    const auto at = std::find_if(compare, code.rend(), [&](const DecodedInstruction& written) {
      const Operand& dst = written.inst().dst;
      return dst.kind == OperandKind::kVector && dst.index == vgpr;
    });
    return at == code.rend() ? nullptr : &at->inst();
  };
  const Instruction* const low = last_write(pair.index);
  if (low != nullptr && low->opcode == Opcode::V_MOV_B32 && IsZero(low->src[0])) return true;
  const Instruction* const high = last_write(pair.index + 1);
  return high != nullptr && high->opcode == Opcode::V_OR_B32;
}

}  // namespace gcnjit::frontend
