// Loads whose dwords are made quadwords give quadwords at once. A host whose 64-bit lanes are not
// dwords beside each other would take them apart and put them together again.
#pragma once

#include <vector>

#include "ir/analysis/lane_shape.h"
#include "ir/function.h"

namespace gcnjit::ir {

// The function has one block; `shapes` are its values'. `of_lds`: loads of LDS, too.
void LoadQuadwords(Function& alone, std::vector<LaneShape>& shapes, bool of_lds);

}  // namespace gcnjit::ir
