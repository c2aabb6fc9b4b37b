// The fixed bits of machine words, for the tests that make instructions.
#pragma once

#include <array>
#include <cstdint>

#include "isa/generation.h"
#include "isa/opcode_table.h"

namespace gcnjit::encoding {

// An instruction's words; the second one only counts if the first asks for it.
using Words = std::array<uint32_t, 2>;

// The bits of a first word that name a format and an opcode; everything else belongs to operands.
struct Skeleton {
  uint32_t bits;
  uint32_t mask;
};
Skeleton SkeletonOf(frontend::Generation generation, frontend::Format format, uint32_t number);

// Stores the low `bits` bits of `value` at bit `lo`.
inline void SetField(uint32_t& word, int lo, int bits, uint32_t value) {
  const uint32_t mask = ((1u << bits) - 1) << lo;
  word = (word & ~mask) | (value << lo & mask);
}

}  // namespace gcnjit::encoding
