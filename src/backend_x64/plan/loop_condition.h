// The comparison of scalars that ends a loop, if only the loop's branch uses it: it is done at the
// end of an iteration.
#pragma once

#include <cstdint>
#include <vector>

#include "ir/function.h"

namespace gcnjit::backend {

struct StagePlan;

// Of a function that is one block, which may be a loop: what is compared with a number is what the
// loop's SGPR gets, not what it had. Compilers write that, but s + c == d has become s == d - c,
// and the old value would have to be kept for it.
void CompareNextValue(ir::Function& alone);

// Takes the comparison out of the iteration of plan.loop, to where the branch is.
void TakeLoopTest(const ir::Function& function, const std::vector<uint32_t>& uses, StagePlan& plan);

}  // namespace gcnjit::backend
