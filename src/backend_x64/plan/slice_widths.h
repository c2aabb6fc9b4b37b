// How many host registers a lane value of a stage takes at once, and which values a loop keeps in
// registers over its back edge.
#pragma once

#include <cstdint>
#include <vector>

#include "backend_x64/plan/join_stages.h"
#include "backend_x64/plan/loop_pointers.h"
#include "backend_x64/plan/stages.h"

namespace gcnjit::backend {

// Of a stage whose operations are in their final order. `steps`: FindLaneSteps's.
void ChooseSliceWidth(const ir::Function& function, const ir::Block& block,
                      const std::vector<uint8_t>& part_bits, const std::vector<LaneStep>& steps,
                      const Slices& slices, const RegisterCounts& registers, StagePlan& plan,
                      Stage& stage);

}  // namespace gcnjit::backend
