#include "workgroup/affine_lanes.h"

#include <bit>

namespace gcnjit::workgroup {

using ir::Builder;
using ir::Op;
using ir::Value;

namespace {

bool Are(const LaneValues& lanes, const AffineLanes& steps) {
  for (uint32_t lane = 0; lane < ir::kLanes; ++lane) {
    const uint32_t at =
        steps.first + lane % steps.row * steps.in_row + lane / steps.row * steps.per_row;
    if (lanes[lane] != at) return false;
  }
  return true;
}

Value Times(Builder& builder, Value lanes, uint32_t step) {
  if (step == 1) return lanes;
  if (!std::has_single_bit(step)) return builder.Mul(lanes, builder.U32(step));
  return builder.Shl(lanes, static_cast<uint32_t>(std::countr_zero(step)));
}

}  // namespace

std::optional<AffineLanes> AffineLanesOf(const LaneValues& lanes) {
  for (uint32_t row = ir::kLanes; row > 1; row /= 2) {
    const uint32_t per_row = row == ir::kLanes ? 0 : lanes[row] - lanes[0];
    const AffineLanes steps{lanes[0], row, lanes[1] - lanes[0], per_row};
    if (Are(lanes, steps)) return steps;
  }
  return std::nullopt;
}

Value EmitAffineLanes(Builder& builder, const AffineLanes& steps) {
  Value sum = builder.U32(steps.first);
  const Value lane = builder.LaneId();
  const auto add = [&](Value lanes, uint32_t step) {
    if (step != 0) sum = builder.Add(Times(builder, lanes, step), sum);
  };
  if (steps.row == ir::kLanes) {
    add(lane, steps.in_row);
    return sum;
  }
  add(builder.Binary(Op::kAnd, lane, builder.U32(steps.row - 1)), steps.in_row);
  add(builder.Binary(Op::kLshr, lane,
                     builder.U32(static_cast<uint32_t>(std::countr_zero(steps.row)))),
      steps.per_row);
  return sum;
}

}  // namespace gcnjit::workgroup
