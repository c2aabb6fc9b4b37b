// Registers that have a constant wherever a block is entered: compilers put the constants of a loop
// before it, as the words of a buffer's resource, or the 0 below a dword that is shifted as half of
// a pair.
#pragma once

#include <cstdint>
#include <vector>

#include "ir/analysis/region_shapes.h"
#include "ir/function.h"

namespace gcnjit::ir {

// Replaces what blocks read of such registers by the constants. Gives what each block relies on at
// its begin, its successors included, by Function::blocks: RegionShapes::constants_at_begin.
std::vector<std::vector<RegisterConstant>> FoldRegionConstants(Function& function,
                                                               const ShapeAssumptions& assumptions);

}  // namespace gcnjit::ir
