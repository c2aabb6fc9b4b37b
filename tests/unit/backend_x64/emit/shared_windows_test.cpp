// One look at a window is for several contiguous accesses: of waves, of slices, of neighbours.
#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "backend_x64/host/features.h"
#include "ir/parser.h"
#include "tests/unit/backend_x64/emit/contiguous_accesses.h"

namespace gcnjit::backend::contiguous_tests {
namespace {

const std::vector<uint32_t> kWaves = {0, 64, 128, 192};

// How often code that is not out of line looks at a window, and adds up lanes.
std::pair<int, int> ChecksAndSums(const std::vector<Access>& accesses, HostIsa isa) {
  const CompiledBlock block(FunctionOfAccesses(accesses), isa, {}, /*listing=*/true, {},
                            /*has_full_exec=*/true);
  const std::string text = block.listing().substr(0, block.listing().find("\nout of line"));
  const auto count = [&text](const std::string& what) {
    int found = 0;
    for (size_t at = 0; (at = text.find(what, at)) != text.npos; ++at) ++found;
    return found;
  };
  return {count("sub rcx, qword ptr [rdx"), count("vpaddd")};
}

TEST(ContiguousAccesses, WavesHaveOneLookAtTheirWindows) {
  for (const uint32_t shift : {0u, 1u, 2u}) {
    const std::vector<Access> accesses = GroupOf(kWaves, shift);
    if (HostHas(HostIsa::kAvx512)) {
      EXPECT_EQ(ChecksAndSums(accesses, HostIsa::kAvx512), (std::pair{2, 0}))
          << "the first load's and the first store's";
    }
    // Also where they are no run any more, because an index is beyond its range.
    Check(accesses, {MachineOf(kMiddleOfPages, 7, 1, ~uint64_t{0})}, shift == 0 ? 0 : -1);
    for (const uint32_t first : {0x7FFFFF00u, 0x7FFFFF40u, 0xFFFFFF40u, 0x3FFFFF80u, 0x1FFFFFC0u}) {
      Check(accesses, {MachineOf(kMiddleOfPages, 7, 1, ~uint64_t{0}),
                       MachineOf(kMiddleOfPages, first, 1, ~uint64_t{0})});
    }
  }
}

TEST(ContiguousAccesses, WavesAtTheEndsOfMemory) {
  const uint64_t end = GuestPages::kBegin + GuestPages::kSize;
  for (const uint32_t shift : {0u, 2u}) {
    const std::vector<Access> accesses = GroupOf(kWaves, shift);
    const Machine inside = MachineOf(kMiddleOfPages, 7, 1, ~uint64_t{0});
    for (const int32_t dwords : {-5,  -4,  -1,  0,   1,   63,  64,  65,  66,  127, 128,
                                 130, 191, 192, 195, 255, 256, 257, 259, 260, 261}) {
      const auto distance = static_cast<uint64_t>(int64_t{dwords} * 4);
      for (const uint64_t at : {GuestPages::kBegin + distance, end - distance}) {
        const Machine there = MachineOf(at, 7, 1, ~uint64_t{0});
        Check(accesses, {inside, there});
        Check(accesses, {there, inside});
      }
    }
  }
}

// Where a slice is not the wave, the look is before all slices.
TEST(ContiguousAccesses, SlicesHaveOneLookForTheWave) {
  const auto looks_in_slices = [](const std::vector<Access>& accesses) {
    const std::string text =
        CompiledBlock(FunctionOfAccesses(accesses), HostIsa::kAvx2, {}, /*listing=*/true, {},
                      /*has_full_exec=*/true)
            .listing();
    int looks = 0;
    for (size_t at = 0; (at = text.find("align 32", at)) != std::string::npos;) {
      const size_t end = text.find("next slice", at);
      for (; (at = text.find("sub rcx, qword ptr [rdx", at)) < end; ++at) ++looks;
      at = end;
    }
    return looks;
  };
  for (const uint32_t shift : {0u, 2u}) {
    const std::vector<Access> apart = {
        {.imm = 4, .first = 3, .shift = shift},
        {.base = 2, .imm = 0, .is_store = true, .is_masked = true, .first = 3, .shift = shift}};
    EXPECT_EQ(looks_in_slices(apart), 0);
    for (const uint64_t mask : {~uint64_t{0}, uint64_t{0}, uint64_t{0xFFFF00FF0F055001}}) {
      Check(apart, {MachineOf(kMiddleOfPages, 6, 1, mask), MachineOf(0x1000, 6, 1, mask),
                    MachineOf(kMiddleOfPages, 6, 1, mask)});
    }
  }
  EXPECT_EQ(looks_in_slices({{.imm = 0}, {.index = 1, .base = 2, .is_store = true}}), 2)
      << "of VGPRs nothing is known";
}

// It is for other loads, too, as far as these may be from it.
TEST(ContiguousAccesses, SlicesHaveOneLookForNeighbours) {
  const uint64_t end = GuestPages::kBegin + GuestPages::kSize;
  for (const uint32_t shift : {0u, 2u}) {
    const std::vector<Access> loads = {{.imm = 0, .first = 3, .shift = shift},
                                       {.imm = -8, .first = 3, .shift = shift},
                                       {.imm = 12, .first = 67, .shift = shift}};
    for (const int32_t dwords : {-5, -2, 0, 1, 2, 5, 63, 64, 67, 70, 127, 128, 130, 133, 136}) {
      const auto distance = static_cast<uint64_t>(int64_t{dwords} * 4);
      for (const uint64_t at : {GuestPages::kBegin + distance, end - distance}) {
        Check(loads,
              {MachineOf(kMiddleOfPages, 7, 1, ~uint64_t{0}), MachineOf(at, 7, 1, ~uint64_t{0})});
      }
    }
    // The last lanes of one, or of its neighbour, are beyond the index's range.
    const std::vector<Access> alone = {loads[0]};
    for (const uint32_t before : {3u, 4u, 10u, 19u, 20u, 35u, 36u, 51u, 52u, 66u, 67u, 99u, 130u}) {
      const uint32_t first = (0x80000000u >> shift) - before;
      for (const auto& accesses : {alone, loads}) {
        Check(accesses, {MachineOf(kMiddleOfPages, 7, 1, ~uint64_t{0}),
                         MachineOf(kMiddleOfPages, first, 1, ~uint64_t{0})});
      }
    }
  }
}

// The number that it begins with is wanted as long, though the index is there already.
TEST(ContiguousAccesses, SlicesOfALaterStage) {
  std::string text =
      "block 0x1000 instructions=1\nguest 0 0x0\n%1 = get_sgpr64.u64 s0\n%2 = get_sgpr.u32 s8\n"
      "%3 = add.u32 %2, 5\n%4 = lane_id.v32\n%5 = add.v32 %4, %3\n"
      "%6 = load.v32 %5, %1, 0xffffffffffffffff:u64 {bytes=4, index=sext<<2}\n"
      "%7 = readlane.u32 %6, 40\n";
  // Other scalars, in whatever place is free.
  for (int n = 0; n < 20; ++n) {
    const std::string scalar = "%" + std::to_string(20 + n);
    text += scalar + " = mul.u32 %7, " + std::to_string(2 * n + 3) + "\n%" +
            std::to_string(50 + n) + " = xor.v32 %" + (n == 0 ? "6" : std::to_string(49 + n)) +
            ", " + scalar + "\n";
  }
  // After another stage, in which these have been used.
  text +=
      "%80 = readlane.u32 %69, 1\n%81 = add.v32 %69, %80\n"
      "store %5, %1, 0xffffffffffffffff:u64, %81 {bytes=4, index=sext<<2, offset=8}\n"
      "exit end, 0x4\n";
  const ir::ParseResult parsed = ir::Parse(text);
  ASSERT_FALSE(parsed.error) << parsed.error->line << ": " << parsed.error->message;
  Machine machine = MachineOf(kMiddleOfPages, 7, 1, ~uint64_t{0});
  // All of those could be indices.
  const uint32_t small = 2;
  std::memcpy(&machine.memory[kMiddleOfPages - GuestPages::kBegin + (5 + 40) * 4], &small,
              sizeof small);
  CheckFunction(parsed.function, {machine});
}

// Those that come first need not be the lowest, and they may be far apart, or of other forms.
TEST(ContiguousAccesses, WavesInAnyOrder) {
  const std::vector<Machine> machines = {MachineOf(kMiddleOfPages, 300, 1, ~uint64_t{0}),
                                         MachineOf(GuestPages::kBegin, 7, 1, ~uint64_t{0}),
                                         MachineOf(kMiddleOfPages, 300, 1, ~uint64_t{0})};
  const std::vector<std::vector<uint32_t>> orders = {
      {64, 0, 192, 128}, {0, 2048, 64}, {0, 0, 1, 65}, {0, 0xFFFFFFC0, 64}, {5}};
  for (const auto& order : orders) {
    for (const uint8_t bytes : {uint8_t{4}, uint8_t{8}, uint8_t{2}}) {
      Check(GroupOf(order, 0, bytes), machines);
    }
    std::vector<Access> accesses = GroupOf(order);
    accesses.push_back({.imm = 4});
    accesses.push_back({.imm = 0, .first = 64, .shift = 1});
    accesses.push_back({.imm = 8, .is_store = true, .is_masked = true, .first = 64});
    Check(accesses, machines);
  }
}

// An index of which another operation reads a lane, too.
TEST(ContiguousAccesses, IndicesThatAreWantedElsewhere) {
  if (!HostHas(HostIsa::kAvx512)) return;
  const std::vector<Access> waves = GroupOf({0, 64});
  EXPECT_EQ(ChecksAndSums(waves, HostIsa::kAvx512).second, 0);
  // By a shift, or for elements that are no run: then one of the two sums is there.
  for (const Access& other :
       {Access{.imm = 0, .first = 64, .shift = 1}, Access{.imm = 0, .bytes = 8, .first = 64}}) {
    std::vector<Access> accesses = waves;
    accesses.push_back(other);
    EXPECT_EQ(ChecksAndSums(accesses, HostIsa::kAvx512).second, 4);
    Check(accesses, {MachineOf(kMiddleOfPages, 6, 1, ~uint64_t{0})});
  }
}

}  // namespace
}  // namespace gcnjit::backend::contiguous_tests
