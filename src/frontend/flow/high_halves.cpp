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
  const auto high = std::find_if(compare, code.rend(), [&](const DecodedInstruction& at) {
    const Operand& dst = at.inst().dst;
    return dst.kind == OperandKind::kVector && dst.index == pair.index + 1;
  });
  return high != code.rend() && high->inst().opcode == Opcode::V_OR_B32;
}

}  // namespace gcnjit::frontend
