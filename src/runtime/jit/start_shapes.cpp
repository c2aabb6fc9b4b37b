#include "runtime/jit/start_shapes.h"

#include <bit>

namespace gcnjit::runtime {
namespace {

uint8_t Log2(uint32_t power) { return static_cast<uint8_t>(std::countr_zero(power)); }

template <typename F>
ir::VgprShape Shape(int vgpr, uint32_t run, uint8_t zeros, const F& offset) {
  ir::VgprShape shape{vgpr, static_cast<uint8_t>(run), zeros, {}};
  for (uint32_t lane = 0; lane < ir::kLanes; ++lane) shape.offsets[lane] = offset(lane);
  return shape;
}

constexpr uint8_t kBaseIsZero = 32;

}  // namespace

std::vector<ir::VgprShape> ShapesAtStart(GroupShape shape) {
  std::vector<ir::VgprShape> shapes;
  if (!shape.IsKnown()) return shapes;
  const uint32_t row = shape.row;
  const auto uniform = [](uint32_t) { return 0u; };
  const auto in_row = [row](uint32_t lane) { return lane % row; };
  if (!shape.is_whole_row) {
    shapes.push_back(Shape(0, row, Log2(row), in_row));
    if (shape.id_vgprs > 1) shapes.push_back(Shape(1, row, 0, uniform));
    if (shape.id_vgprs > 2) shapes.push_back(Shape(2, row, 0, uniform));
    return shapes;
  }
  shapes.push_back(Shape(0, ir::kLanes, kBaseIsZero, in_row));
  const uint32_t column = shape.column;
  const uint32_t plane = row * column;
  const auto in_column = [row, column](uint32_t lane) { return lane / row % column; };
  const auto in_planes = [plane](uint32_t lane) { return lane / plane; };
  if (shape.id_vgprs > 1) {
    shapes.push_back(shape.is_whole_column ? Shape(1, ir::kLanes, kBaseIsZero, in_column)
                                           : Shape(1, plane, Log2(column), in_column));
  }
  if (shape.id_vgprs > 2) {
    shapes.push_back(shape.is_whole_column
                         ? Shape(2, ir::kLanes, Log2(ir::kLanes / plane), in_planes)
                         : Shape(2, plane, 0, uniform));
  }
  return shapes;
}

}  // namespace gcnjit::runtime
