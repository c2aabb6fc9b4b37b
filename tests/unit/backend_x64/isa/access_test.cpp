// Loads and stores of all sizes, on addresses of every order, within the window and beyond it.
#include <gtest/gtest.h>

#include <cstdint>
#include <iterator>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "ir/printer.h"
#include "ir/verifier.h"
#include "tests/unit/backend_x64/isa/random_access.h"

namespace gcnjit::backend::access_tests {
namespace {

TEST(Accesses, DoWhatTheEvaluatorDoes) {
  uint64_t faults = 0;
  uint64_t runs = 0;
  for (uint64_t seed = 1; seed <= Functions(); ++seed) {
    std::mt19937_64 random(seed);
    const int count = 1 + static_cast<int>(random() % 3);
    AccessFunction accesses;
    std::vector<AccessPlan> plans;
    for (int n = 0; n < count; ++n) {
      if (random() % 4 == 0) accesses.ChangeEnvironment();
      plans.push_back(RandomPlan(random));
      accesses.Add(n, plans.back());
    }
    const Function& function = accesses.Finish();
    ASSERT_EQ(ir::Verify(function), std::vector<std::string>{}) << ir::Print(function);
    std::vector<std::unique_ptr<CompiledBlock>> blocks;
    for (const HostIsa isa : HostIsas()) {
      blocks.push_back(std::make_unique<CompiledBlock>(function, isa));
    }
    for (int run = 0; run < 12; ++run) {
      Machine machine = RandomAccessMachine(random);
      for (int n = 0; n < count; ++n) {
        const AccessPlan& plan = plans[n];
        const auto size =
            static_cast<uint32_t>(plan.is_lds ? machine.lds.size() : GuestPages::kSize);
        Addresses addresses(random, plan.access.bytes, size);
        const uint64_t mask =
            random() % 4 == 0 ? random()
                              : kAccessMasks[random() % 2 * (random() % std::size(kAccessMasks))];
        Order order = addresses.Any();
        if (order == Order::kPastEnd && random() % 4 != 0) order = Order::kRun;
        SetPlannedAddresses(machine, n, plan, addresses.Make(order), mask);
      }
      const Outcome expected = RunEvaluator(function, machine);
      faults += expected.fault.has_value();
      ++runs;
      for (size_t n = 0; n < blocks.size(); ++n) {
        const std::string difference = Difference(blocks[n]->Run(machine), expected);
        ASSERT_EQ(difference, "") << "seed " << seed << ", run " << run << ", "
                                  << NameOf(HostIsas()[n]) << '\n'
                                  << ir::Print(function);
      }
    }
  }
  // Both kinds are tested.
  EXPECT_GT(faults, runs / 100);
  EXPECT_LT(faults, runs / 2);
}

// What is simple is done without the runtime once the window is known.
TEST(Accesses, NeedNoCallWithinTheWindow) {
  for (const HostIsa isa : HostIsas()) {
    for (const uint8_t bytes : kSizes) {
      for (const bool is_store : {false, true}) {
        for (const uint64_t mask : kAccessMasks) {
          std::mt19937_64 random(bytes);
          AccessPlan plan;
          plan.access.bytes = bytes;
          plan.is_store = is_store;
          AccessFunction accesses;
          accesses.Add(0, plan);
          const Function& function = accesses.Finish();
          CompiledBlock block(function, isa);
          Machine machine = RandomAccessMachine(random);
          Addresses addresses(random, bytes, GuestPages::kSize);
          SetPlannedAddresses(machine, 0, plan, addresses.Make(Order::kRun), ~uint64_t{0});
          block.Run(machine);
          EXPECT_GT(block.helper_calls(), 0u);
          for (const Order order : {Order::kRun, Order::kShuffled}) {
            const uint64_t before = block.helper_calls();
            SetPlannedAddresses(machine, 0, plan, addresses.Make(order), mask);
            EXPECT_EQ(Difference(block.Run(machine), RunEvaluator(function, machine)), "");
            EXPECT_EQ(block.helper_calls(), before) << NameOf(isa) << " bytes " << int{bytes};
          }
        }
      }
    }
  }
}

// Slices run one after another, but the fault that counts is that of the first instruction, then
// of its first lane.
TEST(Accesses, TheFirstFaultInProgramOrderCounts) {
  for (const HostIsa isa : HostIsas()) {
    for (const int first_lane : {0, 5, 17, 40, 63}) {
      for (const int second_lane : {0, 20, 62}) {
        AccessPlan plan;
        AccessFunction accesses;
        accesses.ChangeEnvironment();
        accesses.Add(0, plan);
        accesses.Add(1, plan);
        const Function& function = accesses.Finish();
        CompiledBlock block(function, isa);
        std::mt19937_64 random(1);
        Machine machine = RandomAccessMachine(random);
        Addresses addresses(random, 4, GuestPages::kSize);
        for (const bool with_faults : {false, true}) {
          for (int n = 0; n < 2; ++n) {
            auto offsets = addresses.Make(Order::kRun);
            if (with_faults) offsets[n == 0 ? first_lane : second_lane] = 0xFFFFFF00;
            SetPlannedAddresses(machine, n, plan, offsets, ~uint64_t{0});
          }
          const Outcome outcome = block.Run(machine);
          EXPECT_EQ(Difference(outcome, RunEvaluator(function, machine)), "") << NameOf(isa);
          EXPECT_EQ(outcome.reason, with_faults ? ExitReason::kFault : ExitReason::kEnd);
        }
      }
    }
  }
}

}  // namespace
}  // namespace gcnjit::backend::access_tests
