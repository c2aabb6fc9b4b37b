#include "runtime/group_shape.h"

#include <algorithm>

namespace gcnjit::runtime {
namespace {

constexpr uint32_t kLanes = 64;

uint8_t PowerOfTwoIn(uint32_t size, uint32_t most) {
  return static_cast<uint8_t>(std::min(size & -size, most));
}

}  // namespace

GroupShape GroupShapeOf(const std::array<uint32_t, 3>& size, uint32_t id_vgprs, bool has_lds) {
  GroupShape shape;
  shape.id_vgprs = static_cast<uint8_t>(id_vgprs);
  shape.has_whole_waves = uint64_t{size[0]} * size[1] * size[2] % kLanes == 0;
  const bool one_dimension = size[1] == 1 && size[2] == 1;
  shape.row = one_dimension ? kLanes : PowerOfTwoIn(size[0], kLanes);
  shape.is_whole_row = shape.row == size[0] && shape.row < kLanes && !one_dimension;
  const bool tells_ids =
      shape.has_whole_waves && size[2] == 1 && (one_dimension || shape.is_whole_row);
  const uint64_t waves = uint64_t{size[0]} * size[1] * size[2] / kLanes;
  if (has_lds && tells_ids && waves <= kMostWavesTogether)
    shape.waves = static_cast<uint8_t>(waves);
  if (!shape.is_whole_row) return shape;
  const uint32_t rows = kLanes / shape.row;  // of a wave
  shape.column = PowerOfTwoIn(size[1], rows);
  shape.is_whole_column = shape.column == size[1] && shape.column < rows;
  return shape;
}

}  // namespace gcnjit::runtime
