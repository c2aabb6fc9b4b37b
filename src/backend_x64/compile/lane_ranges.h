// What makes an address of several 32-bit numbers, each extended to 64 bits by itself, in code for
// whole work-groups: sums of indices, as of a row's begin and a column in `a[y * w + (x - 1)]`,
// and products with a structure's size, an array's row or a width of 64 bits.
#pragma once

#include "ir/function.h"

namespace gcnjit::backend {

// Takes them for a sum in 32 bits that is extended, after a guard (ir::Op::kGuard) that looks at
// the ends of all that goes into it: nothing wraps around. Then it is an index; what is a power of
// two in all numbers that lanes are multiplied by shifts it. False: there are none.
bool AssumeNarrowIndices(ir::Function& alone);

}  // namespace gcnjit::backend
