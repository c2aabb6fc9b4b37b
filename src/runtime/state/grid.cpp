#include "runtime/state/grid.h"

#include <algorithm>

#include "runtime/state/scratch_size.h"

namespace gcnjit::runtime {

Dim3 GroupsOf(const LaunchState& launch) {
  const auto along = [](uint32_t global, uint32_t local) {
    return static_cast<uint32_t>((uint64_t{global} + local - 1) / local);
  };
  return {along(launch.global.x, launch.local.x), along(launch.global.y, launch.local.y),
          along(launch.global.z, launch.local.z)};
}

uint64_t GroupCount(const LaunchState& launch) {
  const Dim3 groups = GroupsOf(launch);
  return uint64_t{groups.x} * groups.y * groups.z;
}

uint64_t WavesOfGroup(const LaunchState& launch) {
  const Dim3& local = launch.local;
  return (uint64_t{local.x} * local.y * local.z + kLanes - 1) / kLanes;
}

uint64_t ScratchBytesPerGroup(const LaunchState& launch) {
  return WavesOfGroup(launch) * ScratchBytesPerWave(launch.scratch_per_lane);
}

WorkgroupState GroupOf(const LaunchState& launch, uint64_t number) {
  const Dim3 groups = GroupsOf(launch);
  WorkgroupState group;
  group.lds_bytes = launch.lds_bytes;
  group.id = {static_cast<uint32_t>(number % groups.x),
              static_cast<uint32_t>(number / groups.x % groups.y),
              static_cast<uint32_t>(number / groups.x / groups.y)};
  const auto size = [](uint32_t id, uint32_t local, uint32_t global) {
    return static_cast<uint32_t>(std::min<uint64_t>(local, global - uint64_t{id} * local));
  };
  group.size = {size(group.id[0], launch.local.x, launch.global.x),
                size(group.id[1], launch.local.y, launch.global.y),
                size(group.id[2], launch.local.z, launch.global.z)};
  group.wave_count = (group.size[0] * group.size[1] * group.size[2] + kLanes - 1) / kLanes;
  return group;
}

}  // namespace gcnjit::runtime
