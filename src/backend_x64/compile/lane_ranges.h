// Sums of two indices that have been extended to 64 bits apart, as of a row's begin and a column
// in `a[y * w + (x - 1)]`, in code for whole work-groups.
#pragma once

#include "ir/function.h"

namespace gcnjit::backend {

// Takes such sums for extended sums in 32 bits, after a guard (ir::Op::kGuard) that looks at the
// ends of all that goes into them: nothing wraps around. Then they are indices. False: there are
// none.
bool AssumeNarrowSums(ir::Function& alone);

}  // namespace gcnjit::backend
