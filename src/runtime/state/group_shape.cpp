#include "runtime/state/group_shape.h"

#include <algorithm>

namespace gcnjit::runtime {
namespace {

uint32_t PowerOfTwoIn(uint32_t size, uint32_t most) { return std::min(size & -size, most); }

// There are no more than 16 user SGPRs on any hardware; what says otherwise is kNoSgpr.
uint32_t FiveBits(int sgpr) { return std::min(static_cast<uint32_t>(sgpr), GroupShape::kNoSgpr); }

}  // namespace

GroupShape GroupShapeOf(const std::array<uint32_t, 3>& size, uint32_t id_vgprs) {
  GroupShape shape;
  shape.id_vgprs = id_vgprs & 3;
  shape.has_whole_waves = uint64_t{size[0]} * size[1] * size[2] % kLanes == 0;
  const bool one_dimension = size[1] == 1 && size[2] == 1;
  shape.SetRow(one_dimension ? kLanes : PowerOfTwoIn(size[0], kLanes));
  shape.is_whole_row = shape.Row() == size[0] && shape.Row() < kLanes && !one_dimension;
  if (!shape.is_whole_row) return shape;
  const uint32_t rows = kLanes / size[0];  // of a wave
  shape.SetColumn(PowerOfTwoIn(size[1], rows));
  shape.is_whole_column = shape.Column() == size[1] && shape.Column() < rows;
  return shape;
}

GroupShape GroupShapeOf(const std::array<uint32_t, 3>& size,
                        const frontend::KernelDescriptor& descriptor, const GroupMemory& memory) {
  const bool one_dimension = size[1] == 1 && size[2] == 1;
  const uint32_t axes = descriptor.WorkitemIdAxes();
  const bool is_packed = descriptor.PacksWorkitemIds() && axes != 1 && !one_dimension;
  // Ids in z that v0 does not have.
  if (is_packed && axes == 2 && size[2] != 1) return {};
  GroupShape shape = GroupShapeOf(size, is_packed                       ? GroupShape::kPackedIds
                                        : descriptor.PacksWorkitemIds() ? 1
                                                                        : axes);
  const bool has_wave_rows = !one_dimension && size[0] % kLanes == 0;
  const uint64_t plane = uint64_t{size[0]} * size[1];
  const bool has_wave_planes = size[2] != 1 && !shape.is_whole_column && plane % kLanes == 0;
  // Also the ids of lanes after the last work-item, as they count on.
  const bool tells_ids = one_dimension || shape.is_whole_column ||
                         (shape.has_whole_waves && (size[2] == 1 || has_wave_planes) &&
                          (has_wave_rows || shape.is_whole_row));
  const uint64_t items = uint64_t{size[0]} * size[1] * size[2];
  const uint64_t waves = (items + kLanes - 1) / kLanes;
  if (!tells_ids || waves > kMostWavesTogether) return shape;
  const bool has_same_sgprs = !descriptor.WorkgroupInfo() && !descriptor.ScratchWaveOffset() &&
                              !descriptor.StartsWithScratch();
  const bool has_arguments = has_same_sgprs && memory.fixed_kernarg_bytes != 0;
  if (memory.lds_bytes == 0 && !has_arguments) return shape;
  shape.waves = waves & 0x1F;
  shape.last_items = items & (kLanes - 1);
  if (has_wave_rows) shape.waves_in_row = size[0] / kLanes & 0xF;
  if (has_wave_planes) shape.waves_in_plane = plane / kLanes & 0xF;
  shape.has_same_sgprs = has_same_sgprs;
  shape.lds_units = std::min(memory.lds_bytes / GroupShape::kLdsUnit, 255u) & 0xFF;
  const std::optional<int> row_sgpr = descriptor.GroupIdSgpr();
  if (row_sgpr && has_same_sgprs) shape.row_sgpr = FiveBits(*row_sgpr) & 0x1F;
  if (memory.fixed_kernarg_bytes == 0) return shape;
  shape.kernarg_dwords = std::min(memory.fixed_kernarg_bytes / 4, 255u) & 0xFF;
  if (const auto sgpr = descriptor.KernargSgpr()) shape.kernarg_sgpr = FiveBits(*sgpr) & 0x1F;
  if (const auto sgpr = descriptor.PacketSgpr()) shape.packet_sgpr = FiveBits(*sgpr) & 0x1F;
  return shape;
}

}  // namespace gcnjit::runtime
