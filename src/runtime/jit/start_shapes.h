// What compiled code may expect of the work-item ids that waves start with.
#pragma once

#include <vector>

#include "ir/analysis/region_shapes.h"
#include "runtime/group_shape.h"

namespace gcnjit::runtime {

// v0 .. v2 as WaveStarter leaves them, in every wave of a group of that shape.
std::vector<ir::VgprShape> ShapesAtStart(GroupShape shape);

}  // namespace gcnjit::runtime
