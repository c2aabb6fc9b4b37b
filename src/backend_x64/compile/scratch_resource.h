// Accesses of scratch through the buffer resource that waves start with. Code makes no assumption
// of a resource: swizzle, strides and element size are fields of SGPRs. Where a block finds the
// usual ones there, which it looks for at its begin, they are numbers.
#pragma once

#include <vector>

#include "backend_x64/emit/compile_options.h"
#include "ir/function.h"

namespace gcnjit::backend {

// The first SGPRs of resources by which the block's swizzled accesses go, and which its iterations,
// if it is a loop, leave as they are.
std::vector<int> FindScratchResources(const ir::Function& alone);

// The block, given that the resources' SGPRs have these words at its begin, and bits 15:0 of word 1
// are not all ones.
void AssumeScratchWords(ir::Function& alone, const std::vector<int>& resources,
                        const ScratchWords& words);

}  // namespace gcnjit::backend
