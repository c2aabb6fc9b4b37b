// Reading and writing scalar operands: SGPRs and the registers beside them, constants, specials.
#pragma once

#include <cstdint>

#include "runtime/interpreter/wave.h"

namespace gcnjit::runtime {

// VCCZ, EXECZ, SCC, the flat apertures (gfx9), LDS_DIRECT.
uint64_t ReadSpecial(Wave& w, const Operand& operand);

inline uint32_t ReadScalar32(Wave& w, const Operand& operand) {
  switch (operand.kind) {
    case OperandKind::kScalar: return w.state.sgpr[operand.index];
    case OperandKind::kConstant: return static_cast<uint32_t>(operand.value);
    default: return static_cast<uint32_t>(ReadSpecial(w, operand));
  }
}

inline uint64_t ReadScalar64(Wave& w, const Operand& operand) {
  switch (operand.kind) {
    case OperandKind::kScalar: return w.state.Pair(operand.index);
    case OperandKind::kConstant: return operand.value;
    default: return ReadSpecial(w, operand);
  }
}

inline void WriteScalar32(Wave& w, const Operand& operand, uint32_t value) {
  w.state.sgpr[operand.index] = value;
}
inline void WriteScalar64(Wave& w, const Operand& operand, uint64_t value) {
  w.state.SetPair(operand.index, value);
}

}  // namespace gcnjit::runtime
