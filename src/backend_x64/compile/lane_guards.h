// Guards of kernels (`if (id < n)`) in code for whole work-groups, whose lanes' ids are known but
// for a scalar that all of them are added to. An id that is the same for a wave's lanes, as a
// row's, is a scalar itself.
#pragma once

#include "ir/function.h"

namespace gcnjit::backend {

// Takes compares of such lanes with scalars for true in all lanes, after guards (ir::Op::kGuard)
// that look at the ends: what is added to the least and to the largest lane, without overflow.
// False: there are none.
bool AssumeLaneGuards(ir::Function& alone);

}  // namespace gcnjit::backend
