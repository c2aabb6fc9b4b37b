// What compiled code is told of the work-item ids is what waves start with.
#include "runtime/state/group_shape.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>

#include "runtime/jit/start_shapes.h"
#include "runtime/state/initial_state.h"

namespace gcnjit::runtime {
namespace {

constexpr uint32_t kMostItems = 1024;

uint32_t WavesOf(GroupShape shape) { return static_cast<uint32_t>(shape.waves); }

// `axes`: along which there are ids.
void ExpectShapesHold(frontend::Generation generation, const std::array<uint32_t, 3>& size,
                      uint32_t axes) {
  LaunchState launch;
  launch.descriptor.generation = generation;
  launch.descriptor.rsrc1 = 1;  // 8 VGPRs, or 16
  launch.descriptor.rsrc2 = (axes - 1) << 11;
  const uint32_t id_vgprs = launch.descriptor.WorkitemIdVgprs();
  launch.global = launch.local = {size[0], size[1], size[2]};
  WorkgroupState group;
  group.size = size;
  const uint32_t items = size[0] * size[1] * size[2];
  group.wave_count = (items + kLanes - 1) / kLanes;
  const auto state = std::make_unique<WaveState>();
  const GroupShape without_lds = GroupShapeOf(size, launch.descriptor, {});
  const std::vector<ir::VgprShape> shapes = ShapesAtStart(without_lds);
  ASSERT_EQ(shapes.size(), without_lds.IsKnown() ? id_vgprs : 0);
  // Exactly, where waves are told apart.
  const GroupShape with_lds = GroupShapeOf(size, launch.descriptor, {.lds_bytes = 1024});
  const workgroup::GroupStart start = GroupStartOf(with_lds, launch.entry);
  ASSERT_TRUE(with_lds.waves == 0 || with_lds.waves == group.wave_count);
  ASSERT_EQ(start.waves.size(), with_lds.waves);
  const WaveStarter of_launch(launch);
  GroupStarter starter(of_launch);
  starter.SetRegisters(of_launch.SelectAll());
  starter.SetGroupSize(group);
  starter.BeginGroup(group);
  for (uint32_t wave = 0; wave < group.wave_count; ++wave) {
    starter.Start(wave, 0, *state);
    if (with_lds.waves != 0) {
      ASSERT_EQ(state->exec(), start.waves[wave].exec);
      ASSERT_EQ(start.waves[wave].vgprs.size(), id_vgprs);
      for (const auto& [vgpr, lanes] : start.waves[wave].vgprs) {
        ASSERT_TRUE(std::equal(lanes.begin(), lanes.end(), state->vgpr[vgpr]))
            << size[0] << " x " << size[1] << " x " << size[2] << ", wave " << wave << ", v"
            << vgpr;
      }
    }
    for (const ir::VgprShape& shape : shapes) {
      const uint32_t* lanes = state->vgpr[shape.vgpr];
      for (int lane = 0; lane < kLanes; ++lane) {
        const uint32_t base = lanes[lane & -shape.run];
        ASSERT_EQ(lanes[lane], base + shape.offsets[lane])
            << size[0] << " x " << size[1] << " x " << size[2] << ", wave " << wave << ", v"
            << shape.vgpr << " of lane " << lane;
        ASSERT_EQ(shape.zeros >= 32 ? base : base & ((1u << shape.zeros) - 1), 0u)
            << size[0] << " x " << size[1] << " x " << size[2] << ", wave " << wave << ", v"
            << shape.vgpr;
      }
    }
  }
}

TEST(GroupShape, HoldsInEveryWave) {
  for (uint32_t x = 1; x <= kMostItems; ++x) {
    for (uint32_t y = 1; x * y <= kMostItems; ++y) {
      // Depths of every kind, without going through all of them.
      for (const uint32_t z : {1u, 2u, 3u, 4u, 8u, 12u, kMostItems / (x * y)}) {
        if (x * y * z > kMostItems) continue;
        for (uint32_t axes = 1; axes <= 3; ++axes) {
          for (const auto generation :
               {frontend::Generation::kGfx900, frontend::Generation::kGfx90a})
            ASSERT_NO_FATAL_FAILURE(ExpectShapesHold(generation, {x, y, z}, axes));
        }
      }
    }
  }
}

// Ids of ten bits each, lane by lane; those along axes that the kernel does not ask for are 0.
TEST(GroupShape, PackedIds) {
  for (uint32_t axes = 1; axes <= 3; ++axes) {
    LaunchState launch;
    launch.descriptor.generation = frontend::Generation::kGfx90a;
    launch.descriptor.rsrc1 = 1;
    launch.descriptor.rsrc2 = (axes - 1) << 11;
    launch.global = launch.local = {7, 5, 4};
    WorkgroupState group;
    group.size = {7, 5, 4};
    group.wave_count = 3;
    const auto state = std::make_unique<WaveState>();
    const WaveStarter of_launch(launch);
    GroupStarter starter(of_launch);
    starter.SetRegisters(of_launch.SelectAll());
    starter.SetGroupSize(group);
    starter.BeginGroup(group);
    starter.Start(1, 0, *state);
    const uint32_t item = 64 + 20;  // 0, 2, 2
    const uint32_t expected[] = {item % 7, item % 7 | item / 7 % 5 << 10,
                                 item % 7 | item / 7 % 5 << 10 | item / 35 << 20};
    EXPECT_EQ(state->vgpr[0][20], expected[axes - 1]);
    EXPECT_EQ(state->vgpr[1][20], 0u);
    EXPECT_EQ(state->vgpr_count, 4u);  // ACCUM_OFFSET's least
    EXPECT_EQ(state->acc_vgpr_count, 12u);
  }
}

// A descriptor may name a fourth VGPR of ids, which no hardware has.
TEST(GroupShape, HasThreeIdsAtMost) {
  frontend::KernelDescriptor descriptor;
  descriptor.rsrc2 = 3 << 11;
  const GroupShape shape = GroupShapeOf({64, 1, 1}, descriptor, {.lds_bytes = 1024});
  EXPECT_EQ(GroupStartOf(shape, 0).waves.at(0).vgprs.size(), 3u);
}

// Few enough that code is not compiled again for every launch.
TEST(GroupShape, AreFew) {
  std::vector<GroupShape> shapes;
  for (uint32_t x = 1; x <= kMostItems; ++x) {
    for (uint32_t y = 1; x * y <= kMostItems; ++y) {
      const GroupShape shape = GroupShapeOf({x, y, 1}, 3);
      if (std::find(shapes.begin(), shapes.end(), shape) == shapes.end()) shapes.push_back(shape);
    }
  }
  EXPECT_LT(shapes.size(), 60u);
}

TEST(GroupShape, SaysWhatMatters) {
  // Rows of 16, of which a wave has four.
  const std::vector<ir::VgprShape> tile = ShapesAtStart(GroupShapeOf({16, 16, 1}, 2));
  ASSERT_EQ(tile.size(), 2u);
  EXPECT_EQ(tile[0].run, 64);
  EXPECT_EQ(tile[0].offsets[17], 1u);
  EXPECT_EQ(tile[1].run, 64);
  EXPECT_EQ(tile[1].offsets[17], 1u);
  EXPECT_EQ(ShapesAtStart(GroupShapeOf({100, 1, 1}, 1))[0].run, 64);
  EXPECT_EQ(ShapesAtStart(GroupShapeOf({20, 5, 1}, 1))[0].run, 4);
  EXPECT_EQ(ShapesAtStart(GroupShapeOf({7, 3, 1}, 1))[0].run, 1);
  EXPECT_EQ(GroupShapeOf({16, 16, 1}, 2), GroupShapeOf({16, 12, 1}, 2));
  EXPECT_NE(GroupShapeOf({16, 16, 1}, 2), GroupShapeOf({16, 2, 8}, 2));
  const auto of_four_waves = [](const std::array<uint32_t, 3>& size) {
    return GroupShapeOf(size, frontend::KernelDescriptor{}, {.lds_bytes = 1024});
  };
  EXPECT_NE(of_four_waves({64, 4, 1}), of_four_waves({128, 2, 1}));
  EXPECT_NE(of_four_waves({64, 4, 1}), of_four_waves({256, 1, 1}));
  EXPECT_NE(of_four_waves({199, 1, 1}), of_four_waves({200, 1, 1}));
  // Waves count where there is LDS, and their ids can be told.
  const auto waves = [](const std::array<uint32_t, 3>& size, uint32_t lds_bytes = 1024) {
    return WavesOf(GroupShapeOf(size, frontend::KernelDescriptor{}, {lds_bytes}));
  };
  EXPECT_EQ(waves({192, 1, 1}), 3u);
  EXPECT_EQ(waves({192, 1, 1}, 0), 0u);
  EXPECT_EQ(waves({16, 16, 1}), 4u);
  EXPECT_EQ(waves({320, 1, 1}), 5u);
  EXPECT_EQ(waves({100, 1, 1}), 2u);
  EXPECT_EQ(waves({1, 1, 1}), 1u);
  EXPECT_EQ(waves({257, 1, 1}), 5u);
  EXPECT_EQ(waves({8, 4, 1}), 1u);
  EXPECT_EQ(waves({8, 4, 5}), 3u);
  EXPECT_EQ(waves({16, 9, 1}), 0u) << "ids of lanes after the last one";
  EXPECT_EQ(waves({64, 3, 1}), 3u);
  EXPECT_EQ(waves({128, 2, 1}), 4u);
  EXPECT_EQ(waves({128, 3, 1}), 6u);
  EXPECT_EQ(waves({1024, 1, 1}), 16u);
  EXPECT_EQ(waves({32, 32, 1}), 16u);
  EXPECT_EQ(waves({512, 2, 1}), 16u);
  EXPECT_EQ(waves({1025, 1, 1}), 0u);
  EXPECT_EQ(waves({64, 2, 2}), 4u);
  EXPECT_EQ(waves({16, 4, 4}), 4u);
  EXPECT_EQ(waves({16, 12, 1}), 3u);
  EXPECT_EQ(waves({16, 2, 6}), 3u);
  EXPECT_EQ(waves({16, 6, 2}), 0u) << "planes that lie across waves";
  EXPECT_EQ(waves({96, 2, 1}), 0u) << "rows that lie across waves";
  EXPECT_EQ(waves({8, 8, 2}), 2u);
}

// Compiled code relies on so much LDS, and on SGPRs that are the same.
TEST(GroupShape, SaysWhatTheGroupsHave) {
  frontend::KernelDescriptor descriptor;
  const auto of = [&](uint32_t lds_bytes) {
    return GroupShapeOf({128, 1, 1}, descriptor, {lds_bytes});
  };
  EXPECT_EQ(of(1024).LdsBytes(), 1024u);
  EXPECT_EQ(of(1087).LdsBytes(), 1024u) << "no more than there is";
  EXPECT_EQ(of(63).LdsBytes(), 0u);
  EXPECT_EQ(of(65536).LdsBytes(), 255 * 64u);
  EXPECT_NE(of(1024), of(2048));
  EXPECT_EQ(of(0).LdsBytes(), 0u);
  EXPECT_TRUE(of(1024).has_same_sgprs);
  EXPECT_FALSE(of(0).has_same_sgprs) << "not asked for";
  descriptor.rsrc2 = 1;  // a wave's scratch offset
  EXPECT_FALSE(of(1024).has_same_sgprs);
  descriptor.rsrc2 = 1 << 10;  // which wave is the group's first one
  EXPECT_FALSE(of(1024).has_same_sgprs);
}

// And on arguments that nothing changes: then groups without LDS are told apart, too.
TEST(GroupShape, SaysWhichArgumentsAreFixed) {
  frontend::KernelDescriptor descriptor;
  descriptor.kernarg_segment_ptr = true;
  const auto of = [&](uint32_t lds_bytes, uint32_t kernarg_bytes, uint32_t items = 128) {
    return GroupShapeOf({items, 1, 1}, descriptor, {lds_bytes, kernarg_bytes});
  };
  for (const uint32_t lds_bytes : {0u, 1024u}) {
    const GroupShape shape = of(lds_bytes, 22);
    EXPECT_EQ(WavesOf(shape), 2u);
    EXPECT_TRUE(shape.has_same_sgprs);
    EXPECT_EQ(shape.kernarg_dwords, 5) << "no more than there is";
    EXPECT_EQ(shape.kernarg_sgpr, 0);
    EXPECT_EQ(shape.packet_sgpr, GroupShape::kNoSgpr);
  }
  EXPECT_EQ(of(0, 4000).kernarg_dwords, 255);
  EXPECT_NE(of(0, 64), of(0, 128));
  EXPECT_EQ(WavesOf(of(0, 64, 64)), 1u);
  EXPECT_EQ(WavesOf(of(0, 64, 320)), 5u);
  EXPECT_EQ(WavesOf(of(0, 64, 1088)), 0u);
  EXPECT_EQ(WavesOf(of(0, 0)), 0u);
  EXPECT_EQ(of(1024, 0).kernarg_sgpr, GroupShape::kNoSgpr);
  descriptor.private_segment_buffer = descriptor.dispatch_ptr = descriptor.queue_ptr = true;
  EXPECT_EQ(of(0, 64).packet_sgpr, 4);
  EXPECT_EQ(of(0, 64).kernarg_sgpr, 8);
  EXPECT_EQ(of(0, 64).row_sgpr, GroupShape::kNoSgpr);
  descriptor.rsrc2 = 1 << 7 | 10 << 1;  // the group's id along x, after 10 user SGPRs
  EXPECT_EQ(of(0, 64).row_sgpr, 10);
  EXPECT_EQ(of(1024, 0).row_sgpr, 10);
  descriptor.rsrc2 = 1 << 7 | 31 << 1;  // more than there are
  EXPECT_EQ(of(0, 64).row_sgpr, GroupShape::kNoSgpr);
  descriptor.rsrc2 = 1 << 7 | 10 << 1 | 1;  // a wave's scratch offset
  EXPECT_EQ(of(1024, 64).row_sgpr, GroupShape::kNoSgpr);
  descriptor.rsrc2 = 1;
  EXPECT_EQ(WavesOf(of(0, 64)), 0u);
  EXPECT_FALSE(of(1024, 64).has_same_sgprs);
}

// Where the descriptor says that they are.
TEST(GroupShape, AddressesAreWhereWavesFindThem) {
  for (unsigned n = 0; n < 16; ++n) {
    LaunchState launch;
    launch.global = launch.local = {64, 1, 1};
    frontend::KernelDescriptor& descriptor = launch.descriptor;
    descriptor.private_segment_buffer = (n & 1) != 0;
    descriptor.dispatch_ptr = (n & 2) != 0;
    descriptor.queue_ptr = (n & 4) != 0;
    descriptor.kernarg_segment_ptr = (n & 8) != 0;
    launch.dispatch_packet = 0x1234567890;
    launch.kernarg = 0x9876543210;
    descriptor.rsrc2 = 1 << 7 | 12 << 1;
    const auto state = std::make_unique<WaveState>();
    const WaveStarter of_launch(launch);
    GroupStarter starter(of_launch);
    starter.SetRegisters(of_launch.SelectAll());
    WorkgroupState group;
    group.size = {64, 1, 1};
    group.wave_count = 1;
    group.id = {77, 0, 0};
    starter.SetGroupSize(group);
    starter.BeginGroup(group);
    starter.Start(0, 0, *state);
    ASSERT_EQ(descriptor.GroupIdSgpr(), 12);
    EXPECT_EQ(state->sgpr[12], 77u);
    EXPECT_EQ(descriptor.PacketSgpr().has_value(), descriptor.dispatch_ptr);
    EXPECT_EQ(descriptor.KernargSgpr().has_value(), descriptor.kernarg_segment_ptr);
    if (const auto sgpr = descriptor.PacketSgpr()) {
      EXPECT_EQ(state->Pair(*sgpr), launch.dispatch_packet);
    }
    if (const auto sgpr = descriptor.KernargSgpr()) {
      EXPECT_EQ(state->Pair(*sgpr), launch.kernarg);
    }
  }
}

}  // namespace
}  // namespace gcnjit::runtime
