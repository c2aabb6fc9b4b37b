#include "runtime/state/group_shape.h"

#include <algorithm>

namespace gcnjit::runtime {
namespace {

constexpr uint32_t kLanes = 64;

uint8_t PowerOfTwoIn(uint32_t size, uint32_t most) {
  return static_cast<uint8_t>(std::min(size & -size, most));
}

// There are no more than 16 user SGPRs on any hardware; what says otherwise is kNoSgpr.
uint16_t FiveBits(int sgpr) {
  return static_cast<uint16_t>(std::min<int>(sgpr, GroupShape::kNoSgpr));
}

}  // namespace

GroupShape GroupShapeOf(const std::array<uint32_t, 3>& size, uint32_t id_vgprs) {
  GroupShape shape;
  shape.id_vgprs = static_cast<uint8_t>(id_vgprs & 0xF);
  shape.has_whole_waves = uint64_t{size[0]} * size[1] * size[2] % kLanes == 0;
  const bool one_dimension = size[1] == 1 && size[2] == 1;
  shape.row = one_dimension ? kLanes : PowerOfTwoIn(size[0], kLanes);
  shape.is_whole_row = shape.row == size[0] && shape.row < kLanes && !one_dimension;
  if (!shape.is_whole_row) return shape;
  const uint32_t rows = kLanes / shape.row;  // of a wave
  shape.column = PowerOfTwoIn(size[1], rows);
  shape.is_whole_column = shape.column == size[1] && shape.column < rows;
  return shape;
}

GroupShape GroupShapeOf(const std::array<uint32_t, 3>& size,
                        const frontend::KernelDescriptor& descriptor, const GroupMemory& memory) {
  GroupShape shape = GroupShapeOf(size, descriptor.WorkitemIdVgprs());
  const bool one_dimension = size[1] == 1 && size[2] == 1;
  const bool has_wave_rows = !one_dimension && size[0] % kLanes == 0;
  const uint64_t plane = uint64_t{size[0]} * size[1];
  const bool has_wave_planes = size[2] != 1 && !shape.is_whole_column && plane % kLanes == 0;
  const bool tells_ids = shape.has_whole_waves &&
                         (size[2] == 1 || shape.is_whole_column || has_wave_planes) &&
                         (one_dimension || has_wave_rows || shape.is_whole_row);
  const uint64_t waves = uint64_t{size[0]} * size[1] * size[2] / kLanes;
  if (!tells_ids || waves > kMostWavesTogether) return shape;
  const bool has_same_sgprs = !descriptor.WorkgroupInfo() && !descriptor.ScratchWaveOffset();
  const bool has_arguments = has_same_sgprs && memory.fixed_kernarg_bytes != 0;
  if (memory.lds_bytes == 0 && !has_arguments) return shape;
  shape.waves = static_cast<uint8_t>(waves & 0xF);
  if (has_wave_rows) shape.waves_in_row = static_cast<uint8_t>(size[0] / kLanes & 0x3);
  if (has_wave_planes) shape.waves_in_plane = static_cast<uint8_t>(plane / kLanes & 0x3);
  shape.has_same_sgprs = has_same_sgprs;
  shape.lds_units = static_cast<uint8_t>(std::min(memory.lds_bytes / GroupShape::kLdsUnit, 255u));
  const std::optional<int> row_sgpr = descriptor.GroupIdSgpr();
  if (row_sgpr && has_same_sgprs) shape.row_sgpr = FiveBits(*row_sgpr) & 0x1F;
  if (memory.fixed_kernarg_bytes == 0) return shape;
  shape.kernarg_dwords = static_cast<uint8_t>(std::min(memory.fixed_kernarg_bytes / 4, 255u));
  if (const auto sgpr = descriptor.KernargSgpr()) shape.kernarg_sgpr = FiveBits(*sgpr) & 0x1F;
  if (const auto sgpr = descriptor.PacketSgpr()) shape.packet_sgpr = FiveBits(*sgpr) & 0x1F;
  return shape;
}

}  // namespace gcnjit::runtime
