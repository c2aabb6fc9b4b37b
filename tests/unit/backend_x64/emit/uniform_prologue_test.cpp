// Waves that start after another one of their group, with what it has computed from the SGPRs.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "ir/printer.h"
#include "ir/verifier.h"
#include "tests/unit/backend_x64/emit/prologue_block.h"

namespace gcnjit::backend::prologue_tests {
namespace {

// One after another, in the evaluator.
std::vector<Machine> Expected(const Function& function, std::vector<Machine> waves) {
  for (size_t n = 0; n < waves.size(); ++n) {
    if (n != 0) waves[n].memory = waves[n - 1].memory;
    const uint64_t begin = waves[n].pc;
    const Outcome outcome = RunEvaluator(function, waves[n]);
    EXPECT_FALSE(outcome.fault);
    waves[n] = outcome.machine;
    // Waves of groups to come rely on it that the others' PC is where they have begun.
    if (n + 1 != waves.size()) waves[n].pc = begin;
  }
  return waves;
}

// The group's memory is in its first machine.
std::string DifferenceOf(CompiledBlock::Group group, const std::vector<Machine>& expected,
                         uint64_t instructions) {
  if (group.fault) return "a fault";
  if (group.ended != expected.size()) return "waves that have not ended";
  if (group.executed != instructions * expected.size()) return "instructions executed";
  const std::vector<std::byte> memory = group.machines[0].memory;
  for (size_t n = 0; n < expected.size(); ++n) {
    Outcome actual{group.machines[n], {}, {}, 0};
    Outcome wanted{expected[n], {}, {}, 0};
    actual.machine.memory = memory;
    wanted.machine.memory = expected.back().memory;
    const std::string difference = Difference(actual, wanted);
    if (!difference.empty()) return "wave " + std::to_string(n) + ": " + difference;
  }
  return "";
}

// Three times over: the first time each access asks the runtime.
void CheckWaves(const Function& function, const std::vector<Machine>& waves, uint64_t begin,
                uint64_t end) {
  const std::vector<Machine> expected = Expected(function, waves);
  for (const HostIsa isa : HostIsas()) {
    CompiledBlock block(function, isa, {}, /*listing=*/false, {}, /*has_full_exec=*/true);
    block.NarrowStores(begin, end);
    for (int run = 0; run < 3; ++run) {
      ASSERT_EQ(DifferenceOf(block.RunGroup(waves), expected, function.blocks[0].instruction_count),
                "")
          << NameOf(isa) << ", run " << run << '\n'
          << ir::Print(function);
    }
  }
}

// How many waves had values of the first one's SGPRs, in a run on the fast ways: they are given
// others of their own, which they would not be by the runtime.
int CountFollowers(const Function& function, uint64_t begin, uint64_t end, HostIsa isa) {
  CompiledBlock block(function, isa, {}, /*listing=*/false, {}, /*has_full_exec=*/true);
  block.NarrowStores(begin, end);
  std::vector<Machine> waves = Waves(1);
  block.RunGroup(waves);
  block.RunGroup(waves);
  for (size_t n = 0; n < waves.size(); ++n) waves[n].sgpr[8] = 1000 + static_cast<uint32_t>(n);
  const auto group = block.RunGroup(waves);
  int followers = 0;
  for (size_t n = 1; n < waves.size(); ++n) {
    Machine own = waves[n];
    own.sgpr[8] = waves[0].sgpr[8];
    followers += group.machines[n].vgpr[3] == RunEvaluator(function, own).machine.vgpr[3];
  }
  return followers;
}

TEST(UniformPrologue, AreWorkedOutOnce) {
  for (const std::string& lines :
       {kScalarLines + kLanes, kScalarLines + kLanes + kStoreLines,
        // Scalars that are each wave's own, with values that all waves have.
        kScalarLines +
            "%20 = readlane.u32 %3, 5\n%21 = add.u32 %20, %15\n%22 = low.u32 %17\n"
            "%23 = mul.u32 %21, %22\n%33 = add.v32 %3, %23\nset_vgpr v4, %33\n" +
            kLanes + kStoreLines,
        // What comes after the lanes, and EXEC for fault reports.
        kScalarLines + kLanes + "%24 = zext.u64 %15\nnote_exec %24\n" + kStoreLines +
            "%25 = readlane.u32 %32, 7\n%26 = sub.u32 %25, %13\n%34 = add.v32 %3, %26\n"
            "set_vgpr v5, %34\n"}) {
    const Function function = ParseGroupCode(lines);
    CheckWaves(function, Waves(1), kStores, GuestPages::kSize);
    for (const HostIsa isa : HostIsas()) {
      EXPECT_EQ(CountFollowers(function, kStores, GuestPages::kSize, isa), kWavesOfPrologue - 1)
          << lines;
    }
  }
}

// EXEC is each wave's own.
TEST(UniformPrologue, AreNotMadeOfExec) {
  const Function function = ParseGroupCode(
      kScalarLines + "%20 = get_sgpr64.u64 s126\n%21 = popcount.u32 %20\n%22 = add.u32 %21, %14\n" +
      kLanes + "%33 = add.v32 %3, %22\nset_vgpr v4, %33\n");
  std::vector<Machine> waves = Waves(1);
  for (size_t n = 0; n < waves.size(); ++n) SetPair(waves[n], 126, (uint64_t{1} << (n * 9)) - 1);
  const std::vector<Machine> expected = Expected(function, waves);
  for (const HostIsa isa : HostIsas()) {
    CompiledBlock block(function, isa);
    EXPECT_TRUE(block.HasFollow());
    for (int run = 0; run < 2; ++run) {
      EXPECT_EQ(DifferenceOf(block.RunGroup(waves), expected, 9), "") << NameOf(isa);
    }
  }
}

// Not after stores that may reach what has been loaded, wherever their window begins and ends.
TEST(UniformPrologue, NotWhereStoresCouldChangeThem) {
  const Function function = ParseGroupCode(kScalarLines + kLanes + kStoreLines);
  constexpr uint64_t kFirst = kTable + 8;  // byte that is loaded
  constexpr uint64_t kLast = kTable + 47;
  const struct {
    uint64_t begin, end;
    bool may_follow;
  } kWindows[] = {
      {0, GuestPages::kSize, false},
      {kTable, GuestPages::kSize, false},
      {kLast, GuestPages::kSize, false},
      {kLast + 1, GuestPages::kSize, true},
      {kFirst + 4, GuestPages::kSize, false},
      {kLast + 64, GuestPages::kSize, true},
      {0, kFirst + 1, false},
      {0, kFirst - 15, true},
      {0, kLast, false},
  };
  for (const auto& window : kWindows) {
    for (const HostIsa isa : HostIsas()) {
      CompiledBlock block(function, isa, {}, /*listing=*/false, {}, /*has_full_exec=*/true);
      // The stores go to the window.
      const uint64_t stores = window.end == GuestPages::kSize ? window.end - 0x800 : 0;
      block.NarrowStores(window.begin, window.end);
      std::vector<Machine> waves = Waves(1, stores);
      block.RunGroup(waves);
      block.RunGroup(waves);
      waves[1].sgpr[8] += 1;
      const auto group = block.RunGroup(waves);
      const bool has_own =
          group.machines[1].vgpr[3] == RunEvaluator(function, waves[1]).machine.vgpr[3];
      EXPECT_EQ(!has_own, window.may_follow) << NameOf(isa) << ' ' << window.begin;
    }
  }
}

// Each wave's store changes what the next one loads; by the code itself, or by the runtime.
TEST(UniformPrologue, StoresToWhatIsLoaded) {
  const Function function = ParseGroupCode(kScalarLines + kLanes + kStoreLines);
  for (uint64_t stores = kTable - 4 * ir::kLanes * kWavesOfPrologue; stores <= kTable + 64;
       stores += 4) {
    CheckWaves(function, Waves(stores, stores), 0, GuestPages::kSize);
    CheckWaves(function, Waves(stores, stores), kStores, GuestPages::kSize);
    CheckWaves(function, Waves(stores, stores), 0, kTable);
    if (HasFailure()) return;
  }
}

TEST(UniformPrologue, OnlyWhereItPays) {
  const std::string kFew = "%10 = add.u32 %4, %5\n%32 = add.v32 %3, %10\nset_vgpr v3, %32\n";
  const std::string kLds = "store_lds %3, 0xffffffffffffffff:u64, 1024, %32 {bytes=4}\n";
  std::string many_stores;
  for (int n = 0; n < 5; ++n) many_stores += kStoreLines;
  for (const HostIsa isa : HostIsas()) {
    const std::string kMasked =
        "%29 = get_sgpr64.u64 s126\nstore %3, %2, %29, %32 {bytes=4, index=sext<<2}\n";
    const auto has_follow = [&](const std::string& lines, bool has_full_exec) {
      const Function function = ParseGroupCode(lines);
      return CompiledBlock(function, isa, {}, /*listing=*/false, {}, has_full_exec).HasFollow();
    };
    EXPECT_TRUE(has_follow(kScalarLines + kLanes, false));
    EXPECT_TRUE(has_follow(kScalarLines + kLanes + kMasked, true));
    EXPECT_FALSE(has_follow(kScalarLines + kLanes + kMasked, false));  // there are two versions
    EXPECT_FALSE(has_follow(kFew, true));
    for (const std::string& others : {
             kLds,
             std::string("%28 = load_lds.v32 %3, 0xffffffffffffffff:u64, 1024 {bytes=4}\n"),
             std::string("%28 = atomic.v32 %3, 0, 0xffffffffffffffff:u64, %32 {bytes=4, add}\n"),
             std::string("fence\n"),
         }) {
      EXPECT_FALSE(has_follow(kScalarLines + kLanes + others, true)) << others;
    }
    EXPECT_FALSE(has_follow(kScalarLines + kLanes + many_stores, true));
  }
}

// Waves whose first accesses fault: no wave follows.
TEST(UniformPrologue, AFaultEndsThem) {
  const Function function = ParseGroupCode(kScalarLines + kLanes + kStoreLines);
  for (const HostIsa isa : HostIsas()) {
    CompiledBlock block(function, isa, {}, /*listing=*/false, {}, /*has_full_exec=*/true);
    for (const bool in_scalar_load : {true, false}) {
      std::vector<Machine> waves = Waves(1);
      for (Machine& wave : waves) SetPair(wave, in_scalar_load ? 4 : 6, 0x1000);
      const auto group = block.RunGroup(waves);
      EXPECT_TRUE(group.fault);
      EXPECT_EQ(group.ended, 0u);
    }
  }
}

TEST(UniformPrologue, RandomBlocks) {
  const uint64_t count = RandomBlocks(400);
  uint64_t followed = 0;
  for (uint64_t seed = 1; seed <= count; ++seed) {
    const RandomBlock block(seed);
    ASSERT_EQ(ir::Verify(block.function), std::vector<std::string>{}) << ir::Print(block.function);
    // Apart from the table, over it, and around it.
    const uint64_t stores = seed % 3 == 0 ? kTable - seed % 1024 / 4 * 4 : kStores;
    CheckWaves(block.function, Waves(seed, stores), seed % 2 == 0 ? 0 : kStores, GuestPages::kSize);
    if (HasFailure()) return;
    followed += CompiledBlock(block.function, HostIsas()[0], {}, false, {}, true).HasFollow();
  }
  EXPECT_GT(followed, count / 2);
}

}  // namespace
}  // namespace gcnjit::backend::prologue_tests
