// Random machine words, biased so that every format, form and row comes up.
#pragma once

#include <random>

#include "isa/generation.h"
#include "isa/opcode_table.h"
#include "llvm_mc.h"

namespace gcnjit::oracle {

Words RandomWords(frontend::Generation generation, std::mt19937_64& random);

}  // namespace gcnjit::oracle
