// LaunchState::most_groups: the first groups of a grid run, and the others never begin.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <vector>

#include "backend_x64/host/features.h"
#include "gcnjit/device.h"
#include "runtime/jit/region_cache.h"
#include "runtime/launch/prepared_launch.h"
#include "runtime/schedule/dispatcher.h"
#include "tests/unit/code_object_files.h"

namespace gcnjit::runtime {
namespace {

constexpr uint32_t kItems = 64;
constexpr uint32_t kGroupsInRow = 50;
constexpr uint32_t kRowsOfGroups = 3;
constexpr uint32_t kItemsOfGrid = kItems * kGroupsInRow * kRowsOfGroups;

// How often each work-item was there.
std::vector<uint32_t> VisitsOf(uint64_t most_groups, bool compiled) {
  Device device = *Device::Create();
  const Program program = *Program::Load(device, ReadTestFile("launch_gfx906_v5.co"));
  const uint64_t visits = *device.Allocate(kItemsOfGrid * 4);
  const uint64_t ids = *device.Allocate(kItemsOfGrid * 4);
  LaunchConfig config;
  config.local = {kItems, 1, 1};
  config.global = {kItems * kGroupsInRow, kRowsOfGroups, 1};
  config.threads = 1;
  LoadedProgram& loaded = *program.internal();
  const auto prepared = WithPreparedLaunch(
      loaded, "ids", config, Arguments().Buffer(visits).Buffer(ids),
      [&](const LaunchState& launch) {
        LaunchState first = launch;
        first.most_groups = most_groups;
        CodeMap code(loaded.processor(), loaded.code_ranges());
        RegionCache jit(code, {.isa = *backend::ChooseHostIsa(nullptr)});
        jit.WarmUpOf(launch.entry).End();
        const auto result = RunGrid(first, **program.FindKernel("ids"), code,
                                    compiled ? &jit : nullptr, *loaded.memory(), 1, 0, nullptr, {});
        ASSERT_TRUE(result);
        EXPECT_EQ(result->status, LaunchStatus::kDone);
        EXPECT_EQ(result->statistics.workgroups,
                  std::min<uint64_t>(most_groups, kGroupsInRow * kRowsOfGroups));
      });
  EXPECT_TRUE(prepared);
  std::vector<uint32_t> counts(kItemsOfGrid);
  std::memcpy(counts.data(), device.Data(visits, kItemsOfGrid * 4).data(), kItemsOfGrid * 4);
  return counts;
}

TEST(FirstGroupsTest, RunAlone) {
  for (const bool compiled : {false, true}) {
    for (const uint64_t most : {1, 2, 37, 50, 51, 149, 150, 1000}) {
      std::vector<uint32_t> expected(kItemsOfGrid);
      std::fill_n(expected.begin(), std::min<uint64_t>(most * kItems, kItemsOfGrid), 1);
      EXPECT_TRUE(VisitsOf(most, compiled) == expected) << most << ", " << compiled;
    }
  }
}

}  // namespace
}  // namespace gcnjit::runtime
