// Random machine words, biased so that every format, form and row comes up.
#pragma once

#include <random>

#include "frontend/isa/generation.h"
#include "frontend/isa/opcode_table.h"
#include "llvm_mc.h"

namespace gcnjit::oracle {

// The bits of a first word that name a format and an opcode; everything else belongs to operands.
struct Skeleton {
  uint32_t bits;
  uint32_t mask;
};
Skeleton SkeletonOf(frontend::Generation generation, frontend::Format format, uint32_t number);

Words RandomWords(frontend::Generation generation, std::mt19937_64& random);

}  // namespace gcnjit::oracle
