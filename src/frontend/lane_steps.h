// Lane values that are known when code is compiled, and that a few operations make of the lane's
// number: what work-item ids are, and most of what is computed with them.
#pragma once

#include <cstdint>
#include <optional>

#include "frontend/known_values.h"
#include "ir/builder.h"

namespace gcnjit::frontend {

// Lane l has first + l % row * in_row + l / row * per_row, modulo 2^32.
struct LaneSteps {
  uint32_t first = 0;
  uint32_t row = ir::kLanes;  // a power of two
  uint32_t in_row = 0;
  uint32_t per_row = 0;
};
// Nothing: the lanes are others.
std::optional<LaneSteps> StepsOf(const LaneValues& lanes);

// A v32, or a u32 if all lanes are the same.
ir::Value EmitSteps(ir::Builder& builder, const LaneSteps& steps);

}  // namespace gcnjit::frontend
