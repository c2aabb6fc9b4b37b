// The comparison of scalars that ends a loop, if only the loop's branch uses it: it is done at the
// end of an iteration.
#pragma once

#include <cstdint>
#include <vector>

#include "ir/function.h"

namespace gcnjit::backend {

struct StagePlan;

// The function has one block, which may be a loop. Compares a loop counter's next value, as
// compilers write it: folding has made s == d - c of s + c == d, for which the old value would have
// to be kept.
void CompareNextValue(ir::Function& alone);

// Takes the comparison out of the iteration of plan.loop, to where the branch is.
void TakeLoopTest(const ir::Function& function, const std::vector<uint32_t>& uses, StagePlan& plan);

}  // namespace gcnjit::backend
