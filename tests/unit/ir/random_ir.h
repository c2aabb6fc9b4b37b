// Random IR: well-formed blocks of every kind of operation, full of constants and patterns on which
// folding has opinions.
#pragma once

#include <cstdint>
#include <random>

#include "ir/function.h"
#include "tests/unit/ir/ir_machine.h"

namespace gcnjit::ir {

// One block of about `size` instructions. Its results end in registers and memory.
Function RandomFunction(std::mt19937_64& random, int size);

// Registers and memory with special values among the random ones; EXEC (s[126:127]) is often
// partial.
IrMachine RandomMachine(std::mt19937_64& random);

}  // namespace gcnjit::ir
