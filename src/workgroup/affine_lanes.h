// Lane values that are known when code is compiled, and that a few operations compute from the
// lane's number: work-item ids, and most of what is computed from them.
#pragma once

#include <cstdint>
#include <optional>

#include "ir/builder.h"
#include "workgroup/constant_lanes.h"

namespace gcnjit::workgroup {

// Lane l has first + l % row * in_row + l / row * per_row, modulo 2^32.
struct AffineLanes {
  uint32_t first = 0;
  uint32_t row = ir::kLanes;  // a power of two
  uint32_t in_row = 0;
  uint32_t per_row = 0;
};
// Nothing: the lanes have no such form.
std::optional<AffineLanes> AffineLanesOf(const LaneValues& lanes);

// A v32, or a u32 if all lanes are the same.
ir::Value EmitAffineLanes(ir::Builder& builder, const AffineLanes& steps);

}  // namespace gcnjit::workgroup
