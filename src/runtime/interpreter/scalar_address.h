// Addresses of scalar memory instructions (SMRD, SMEM).
//
// Base, SGPR offset and immediate offset count bytes and are added as they are; the low two bits of
// the sum do not count. So say the instruction descriptions of the Southern Islands and GCN3
// manuals ("(SGPR[SBASE * 2] + m_offset) & ~0x3"), gem5 (Inst_SMEM::calcAddr) and compiled code:
// clang 14 to 19 makes loads at base + 1 with the offset -1. A sentence of the Vega and CDNA3
// manuals drops the bits of each component before the sum, as do CLRX and a remark in Mesa
// (ACO, skip_smem_offset_align); under that rule the compiled code would read other dwords.
#pragma once

#include <cstdint>

#include "runtime/interpreter/scalar_operands.h"
#include "runtime/interpreter/wave.h"

namespace gcnjit::runtime {

constexpr uint64_t DwordAligned(uint64_t value) { return value & ~uint64_t{3}; }

inline uint64_t ScalarRegisterOffset(Wave& w, const Instruction& i) {
  return i.src[1].kind == OperandKind::kNone ? 0 : ReadScalar32(w, i.src[1]);
}
inline uint64_t ScalarImmediateOffset(const Instruction& i) {
  return i.has_offset ? static_cast<uint64_t>(int64_t{i.offset}) : 0;
}

inline uint64_t ScalarAddress(Wave& w, const Instruction& i) {
  return DwordAligned(ReadScalar64(w, i.src[0]) + ScalarRegisterOffset(w, i) +
                      ScalarImmediateOffset(i));
}

// s_scratch_*: the register offset counts bytes of one lane, and the 64 lanes are interleaved by
// dwords (CLRX GcnInstrsSmem: its low bits do not count). The base comes from the SGPR pair alone;
// FLAT_SCRATCH is not added.
inline uint64_t ScalarScratchAddress(Wave& w, const Instruction& i) {
  return DwordAligned(ReadScalar64(w, i.src[0]) + ScalarImmediateOffset(i) +
                      DwordAligned(ScalarRegisterOffset(w, i)) * 64);
}

// What scalar accesses use of a buffer resource: no swizzle, no format; the stride bounds only.
struct ScalarBuffer {
  uint64_t base = 0;
  uint64_t bytes = 0;
  uint64_t offset = 0;  // of the access, as it is

  // Of `size` bytes, `n` dwords into the access.
  bool InRange(uint64_t n, uint64_t size) const {
    const uint64_t at = offset + n * 4;
    return at < bytes && bytes - at >= size;
  }
  uint64_t Address(uint64_t n) const { return DwordAligned(base + offset) + n * 4; }
};

inline ScalarBuffer ReadScalarBuffer(Wave& w, const Instruction& i) {
  const int first = i.src[0].index;
  const uint64_t words01 = w.state.Pair(first);
  const uint64_t num_records = w.state.sgpr[first + 2];
  const uint64_t stride = words01 >> 48 & 0x3FFF;
  // 48 address bits; num_records counts bytes if there is no stride, else records.
  return {words01 & 0xFFFFFFFFFFFF, stride == 0 ? num_records : num_records * stride,
          ScalarRegisterOffset(w, i) + ScalarImmediateOffset(i)};
}

}  // namespace gcnjit::runtime
