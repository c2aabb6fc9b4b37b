// What the back end expects of a block's reads and writes of the wave's registers, beyond what the
// IR's verifier asks: registers are read where their value is used and written back late, so the
// order of reads and writes in the block must not matter. The lifter writes no other IR.
#pragma once

#include <string>

#include "ir/function.h"

namespace gcnjit::backend {

// The first thing that is wrong; empty if the function can be compiled:
//   - a VGPR is read once in a block, and written once
//   - no register is read after an operation that writes it
std::string BrokenInvariant(const ir::Function& function);

}  // namespace gcnjit::backend
