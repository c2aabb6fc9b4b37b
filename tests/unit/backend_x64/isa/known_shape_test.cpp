// Loads and stores of which is known how the lanes' addresses lie to each other, but not where.
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <iterator>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "ir/printer.h"
#include "tests/unit/backend_x64/isa/random_access.h"

namespace gcnjit::backend::access_tests {
namespace {

// As they are found when code is compiled: aligned runs of lanes whose distances are known.
ir::VgprShape ShapeSeen(const Machine& machine, int vgpr, int run) {
  ir::VgprShape shape{vgpr, static_cast<uint8_t>(run), 0, {}};
  for (int lane = 0; lane < ir::kLanes; ++lane) {
    shape.offsets[lane] = machine.vgpr[vgpr][lane] - machine.vgpr[vgpr][lane & -run];
  }
  return shape;
}

// Moves each run of lanes by a number of its own, often to where memory begins or ends.
void MoveRuns(std::mt19937_64& random, Machine& machine, int vgpr, int run, uint32_t size) {
  for (int first = 0; first < ir::kLanes; first += run) {
    uint32_t by = 0;
    switch (random() % 5) {
      case 0: break;
      case 1: by = static_cast<uint32_t>(random() % 64) * 4; break;
      case 2: by = static_cast<uint32_t>(random() % size); break;
      case 3: by = size - static_cast<uint32_t>(random() % 1200); break;
      default: by = static_cast<uint32_t>(random()); break;
    }
    for (int lane = first; lane < first + run; ++lane) machine.vgpr[vgpr][lane] += by;
  }
}

// Code that knows how the lanes' addresses lie to each other, but not where.
TEST(Accesses, OfKnownShapeDoWhatTheEvaluatorDoes) {
  constexpr int kRuns[] = {64, 64, 32, 16, 8, 4};
  uint64_t faults = 0;
  uint64_t runs = 0;
  for (uint64_t seed = 1; seed <= Functions(); ++seed) {
    std::mt19937_64 random(seed);
    AccessFunction accesses;
    std::vector<AccessPlan> plans;
    const int count = 1 + static_cast<int>(random() % 3);
    for (int n = 0; n < count; ++n) {
      if (random() % 4 == 0) accesses.ChangeEnvironment();
      plans.push_back(RandomPlan(random));
      plans.back().is_lds = random() % 3 != 0;
      // Loads that have their address in common.
      const int address = random() % 2 == 0 ? 0 : n;
      if (address == 0 && n != 0 && plans[0].is_lds && !plans[0].is_store) {
        plans.back() = plans[0];
        plans.back().access.bytes = kSizes[random() % std::size(kSizes)];
        plans.back().imm += static_cast<int32_t>(random() % 64);
        accesses.Add(0, plans.back());
      } else {
        accesses.Add(n, plans.back());
      }
    }
    const Function& function = accesses.Finish();
    Machine machine = RandomAccessMachine(random);
    std::vector<ir::VgprShape> known;
    std::vector<int> run_of(count);
    const auto size_of = [&](const AccessPlan& plan) {
      return static_cast<uint32_t>(plan.is_lds ? machine.lds.size() : GuestPages::kSize);
    };
    for (int n = 0; n < count; ++n) {
      Addresses addresses(random, plans[n].access.bytes, size_of(plans[n]));
      SetPlannedAddresses(machine, n, plans[n], addresses.Make(addresses.Any()), ~uint64_t{0});
      run_of[n] = kRuns[random() % std::size(kRuns)];
      known.push_back(ShapeSeen(machine, 2 * n, run_of[n]));
      if (random() % 2 == 0) known.push_back(ShapeSeen(machine, 2 * n + 1, run_of[n]));
    }
    std::vector<std::unique_ptr<CompiledBlock>> blocks;
    for (const HostIsa isa : HostIsas()) {
      blocks.push_back(
          std::make_unique<CompiledBlock>(function, isa, FloatEnv{}, /*listing=*/false, known));
    }
    for (int run = 0; run < 12; ++run) {
      Machine moved = machine;
      for (int n = 0; n < count; ++n) {
        MoveRuns(random, moved, 2 * n, run_of[n], size_of(plans[n]));
        const uint64_t mask =
            random() % 4 == 0 ? random() : kAccessMasks[random() % std::size(kAccessMasks)];
        SetMask(moved, n, plans[n], mask);
      }
      const Outcome expected = RunEvaluator(function, moved);
      faults += expected.fault.has_value();
      ++runs;
      for (size_t n = 0; n < blocks.size(); ++n) {
        const std::string difference = Difference(blocks[n]->Run(moved), expected);
        ASSERT_EQ(difference, "") << "seed " << seed << ", run " << run << ", "
                                  << NameOf(HostIsas()[n]) << '\n'
                                  << ir::Print(function);
      }
    }
  }
  EXPECT_GT(faults, runs / 100);
  EXPECT_LT(faults, runs / 2);
}

// Low dwords that are known to lie side by side, or with gaps, say nothing of the high ones.
TEST(Accesses, OfKnownLowDwordsLookAtTheHighOnes) {
  for (const uint8_t bytes : {uint8_t{1}, uint8_t{2}, uint8_t{4}, uint8_t{8}}) {
    for (const uint32_t step : {1u, 2u, 3u, 4u, 8u}) {
      for (const bool is_store : {false, true}) {
        std::mt19937_64 random(step);
        AccessPlan plan;
        plan.access.bytes = bytes;
        plan.is_store = is_store;
        AccessFunction accesses;
        accesses.Add(0, plan);
        const Function& function = accesses.Finish();
        Machine machine = RandomAccessMachine(random);
        std::array<uint32_t, ir::kLanes> offsets;
        for (uint32_t lane = 0; lane < ir::kLanes; ++lane) offsets[lane] = lane * step;
        SetPlannedAddresses(machine, 0, plan, offsets, ~uint64_t{0});
        Machine other = machine;
        other.vgpr[1][20] ^= 1;
        for (const HostIsa isa : HostIsas()) {
          CompiledBlock block(function, isa, FloatEnv{}, /*listing=*/false,
                              {ShapeSeen(machine, 0, ir::kLanes)});
          for (const Machine* m : {&machine, &other, &machine}) {
            EXPECT_EQ(Difference(block.Run(*m), RunEvaluator(function, *m)), "")
                << NameOf(isa) << ", " << int{bytes} << " bytes, " << step << " apart";
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace gcnjit::backend::access_tests
