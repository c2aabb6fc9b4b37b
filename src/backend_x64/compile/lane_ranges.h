// What makes an address of several 32-bit numbers, each extended to 64 bits by itself, in code for
// whole work-groups: sums of two indices, as of a row's begin and a column in `a[y * w + (x - 1)]`,
// and products with a structure's size.
#pragma once

#include "ir/function.h"

namespace gcnjit::backend {

// Takes them for sums and products in 32 bits that are extended, after a guard (ir::Op::kGuard)
// that looks at the ends of all that goes into them: nothing wraps around. Then they are indices;
// of a product the number's odd factor is in the index, the others shift it. False: there are none.
bool AssumeNarrowIndices(ir::Function& alone);

}  // namespace gcnjit::backend
