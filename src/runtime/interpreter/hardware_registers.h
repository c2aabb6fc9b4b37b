// The registers that s_getreg_b32 and s_setreg_b32 access.
#pragma once

#include <cstdint>

#include "runtime/interpreter/wave.h"

namespace gcnjit::runtime {

// The coded operand: {size - 1 [15:11], offset [10:6], id [5:0]}.
struct HwregField {
  uint32_t id;
  uint32_t offset;
  uint32_t size;

  // Bits of the register that are meant; a field that reaches past bit 31 ends there.
  uint32_t Mask() const { return static_cast<uint32_t>(((uint64_t{1} << size) - 1) << offset); }
};
constexpr HwregField DecodeHwreg(int32_t imm) {
  const uint32_t code = static_cast<uint32_t>(imm);
  return {code & 63, code >> 6 & 31, (code >> 11 & 31) + 1};
}

// The field's value, in the low bits. What is not modelled raises a fault and gives 0.
uint32_t ReadHwreg(Wave& w, const HwregField& field);

// Writes the low bits of `value`. Read-only registers and unsupported modes raise a fault.
void WriteHwreg(Wave& w, const HwregField& field, uint32_t value);

}  // namespace gcnjit::runtime
