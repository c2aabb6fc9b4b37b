// Which loops that store may run slice by slice: what the runtime promises, against all addresses
// of all lanes.
#include "runtime/jit/disjoint_lanes.h"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <string>
#include <vector>

namespace gcnjit::runtime {
namespace {

using backend::LinearAccess;

constexpr uint64_t kBytes = 256 * 1024;
constexpr uint64_t kMost = 40;

class DisjointLanesTest : public testing::Test {
 protected:
  DisjointLanesTest()
      : memory_(*GuestMemory::Reserve()), begin_(*memory_->Allocate(kBytes, "data")) {
    SetExec(~uint64_t{0});
  }

  void SetExec(uint64_t lanes) {
    state_.sgpr[ir::kExec] = static_cast<uint32_t>(lanes);
    state_.sgpr[ir::kExec + 1] = static_cast<uint32_t>(lanes >> 32);
  }
  // v[2n:2n+1] of each lane.
  void SetAddresses(uint32_t n, uint64_t first, int64_t of_lane) {
    for (uint32_t lane = 0; lane < ir::kLanes; ++lane) {
      const uint64_t address = first + static_cast<uint64_t>(of_lane * lane);
      state_.vgpr[2 * n][lane] = static_cast<uint32_t>(address);
      state_.vgpr[2 * n + 1][lane] = static_cast<uint32_t>(address >> 32);
    }
  }
  LinearAccess Access(uint32_t n, bool is_store, int64_t step, uint8_t bytes = 4) const {
    LinearAccess access;
    access.bytes = bytes;
    access.is_store = is_store;
    access.low = 2 * n;
    access.high = 2 * n + 1;
    access.step[0] = {0, static_cast<uint32_t>(step)};
    access.step[1] = {0, static_cast<uint32_t>(static_cast<uint64_t>(step) >> 32)};
    return access;
  }
  DisjointLanes Find(const std::vector<LinearAccess>& accesses) const {
    return FindDisjointLanes(state_, *memory_, accesses, kMost);
  }

  // 64 bits that the access has for a lane in an iteration, from the state alone.
  uint64_t AddressOf(const LinearAccess& access, uint32_t lane, uint64_t iteration) const {
    const auto scalar = [&](const backend::LoopScalar& s) {
      return s.is_sgpr != 0 ? state_.sgpr[s.value] : s.value;
    };
    const uint64_t step = uint64_t{scalar(access.step[1])} << 32 | scalar(access.step[0]);
    const uint64_t steps = iteration + (access.is_after_step ? 1 : 0);
    const uint64_t imm = static_cast<uint64_t>(int64_t{access.imm});
    if (access.is_indexed) {
      const uint64_t base = uint64_t{state_.sgpr[access.high + 1]} << 32 | state_.sgpr[access.high];
      const uint32_t index = state_.vgpr[access.low][lane] + scalar(access.index.offset) +
                             scalar(access.index.step) * static_cast<uint32_t>(iteration);
      const uint64_t wide = access.is_index_signed
                                ? static_cast<uint64_t>(int64_t{static_cast<int32_t>(index)})
                                : index;
      return base + step * iteration + (wide << access.index_shift) + imm;
    }
    const uint64_t low = state_.vgpr[access.low][lane];
    const uint64_t high = state_.vgpr[access.high][lane];
    if (access.steps_low_alone) {
      return (high << 32) + static_cast<uint32_t>(low + scalar(access.step[0]) * steps) + imm;
    }
    return (high << 32 | low) + step * steps + imm;
  }

  // Empty: what `found` says is true.
  std::string Contradiction(const std::vector<LinearAccess>& accesses,
                            const DisjointLanes& found) const {
    struct Use {
      uint64_t stored_by = 0;  // a bit for each lane
      uint64_t loaded_by = 0;
    };
    std::map<uint64_t, Use> bytes;
    std::map<uint64_t, uint64_t> stored_before;  // by which lanes
    for (uint64_t k = 0; k < found.iterations; ++k) {
      for (uint32_t n = 0; n < accesses.size(); ++n) {
        for (uint32_t lane = 0; lane < ir::kLanes; ++lane) {
          if ((state_.exec() >> lane & 1) == 0) continue;
          const uint64_t first = AddressOf(accesses[n], lane, k);
          for (uint64_t at = first; at < first + accesses[n].bytes; ++at) {
            if (at < begin_ || at >= begin_ + kBytes) return "outside of memory";
            (accesses[n].is_store ? bytes[at].stored_by : bytes[at].loaded_by) |= uint64_t{1}
                                                                                  << lane;
            const bool may_be_ahead =
                !accesses[n].is_store && (found.loads_of_stored >> n & 1) == 0;
            if (may_be_ahead) loaded_ahead_[at] = true;
          }
        }
      }
    }
    for (const auto& [at, use] : bytes) {
      const uint64_t all = use.stored_by | use.loaded_by;
      if (use.stored_by != 0 && (all & (all - 1)) != 0) return "two lanes at one place";
      if (use.stored_by != 0 && loaded_ahead_.contains(at)) return "loaded ahead of a store";
    }
    loaded_ahead_.clear();
    return {};
  }

  std::shared_ptr<GuestMemory> memory_;
  uint64_t begin_;
  WaveState state_ = {};
  mutable std::map<uint64_t, bool> loaded_ahead_;
};

TEST_F(DisjointLanesTest, RowsUntilTheyMeet) {
  SetAddresses(0, begin_, 100);
  EXPECT_EQ(Find({Access(0, true, 4)}).iterations, 25u);
  SetAddresses(0, begin_, 1024);
  EXPECT_EQ(Find({Access(0, true, 4)}).iterations, kMost);
  EXPECT_EQ(Find({Access(0, true, 4, 16)}).iterations, kMost);
  // The other way, and lanes in the other order.
  SetAddresses(0, begin_ + 400, 100);
  EXPECT_EQ(Find({Access(0, true, -4)}).iterations, 25u);
  SetAddresses(0, begin_ + 6400, -100);
  EXPECT_EQ(Find({Access(0, true, 4)}).iterations, 25u);
  SetAddresses(0, begin_, 4 * 7);
  EXPECT_EQ(Find({Access(0, true, 4)}).iterations, 0u);  // 7 are not worth it
}

TEST_F(DisjointLanesTest, ColumnsThatGoOnByMoreThanAllLanes) {
  SetAddresses(0, begin_, 4);
  EXPECT_EQ(Find({Access(0, true, 256)}).iterations, kMost);
  EXPECT_EQ(Find({Access(0, true, 252)}).iterations, 0u);
  EXPECT_EQ(Find({Access(0, true, 256, 8)}).iterations, 0u);  // elements of two lanes overlap
  EXPECT_EQ(Find({Access(0, true, 0)}).iterations, kMost);    // each lane its place
  SetAddresses(0, begin_, 0);
  EXPECT_EQ(Find({Access(0, true, 0)}).iterations, 0u);
}

TEST_F(DisjointLanesTest, LoadsElsewhereMayBeAhead) {
  SetAddresses(0, begin_, 400);
  SetAddresses(1, begin_ + kBytes / 2, 400);
  const DisjointLanes elsewhere = Find({Access(1, false, 4), Access(0, true, 4)});
  EXPECT_EQ(elsewhere.iterations, kMost);
  EXPECT_EQ(elsewhere.loads_of_stored, 0u);
  const DisjointLanes own = Find({Access(1, false, 4), Access(0, true, 4), Access(0, false, 4)});
  EXPECT_EQ(own.iterations, kMost);
  EXPECT_EQ(own.loads_of_stored, 4u);
  // The next lane's row.
  SetAddresses(1, begin_ + 400, 400);
  EXPECT_EQ(Find({Access(1, false, 4), Access(0, true, 4)}).iterations, 0u);
}

TEST_F(DisjointLanesTest, MemoryEnds) {
  SetAddresses(0, begin_ + kBytes - 64 * 400 - 40, 400);
  EXPECT_EQ(Find({Access(0, true, 4)}).iterations, kMost);
  SetAddresses(0, begin_ + kBytes - 63 * 400 - 40, 400);
  EXPECT_EQ(Find({Access(0, true, 4)}).iterations, 10u);
  SetAddresses(0, begin_ + 8, 400);
  EXPECT_EQ(Find({Access(0, true, -4)}).iterations, 0u);  // 3
  SetExec(0);
  EXPECT_EQ(Find({Access(0, true, 4)}).iterations, 0u);
}

TEST_F(DisjointLanesTest, IndicesDoNotWrapAround) {
  LinearAccess access;
  access.bytes = 4;
  access.is_store = true;
  access.is_indexed = true;
  access.index_shift = 2;
  access.low = 0;
  access.high = 4;
  access.index.step = {0, 1};
  const auto set_base = [&](uint64_t base) {
    state_.sgpr[4] = static_cast<uint32_t>(base);
    state_.sgpr[5] = static_cast<uint32_t>(base >> 32);
  };
  const uint32_t first = ~0u - 64 * 64;
  for (uint32_t lane = 0; lane < ir::kLanes; ++lane) state_.vgpr[0][lane] = first + 64 * lane;
  set_base(begin_ - (uint64_t{first} << 2));
  EXPECT_EQ(Find({access}).iterations, kMost);
  for (uint32_t& index : state_.vgpr[0]) index += 64 - 9;
  EXPECT_EQ(Find({access}).iterations, 10u);
}

// Random loops: small distances, so that lanes meet in many.
TEST_F(DisjointLanesTest, WhatIsPromisedHolds) {
  std::mt19937_64 random(1);
  const auto pick = [&](auto... numbers) {
    const int64_t all[] = {numbers...};
    return all[random() % sizeof...(numbers)];
  };
  int promised = 0;
  for (int run = 0; run < 4000; ++run) {
    std::vector<LinearAccess> accesses;
    const uint32_t count = 1 + random() % 4;
    const int64_t distance = pick(4, 16, 64, 100, 128, 128, 260, 1000, -128, -64);
    const int64_t step = pick(1, 2, 4, 4, 4, 8, 256, 260, 1024, -4, -256, 0);
    for (uint32_t n = 0; n < count; ++n) {
      const bool is_other = random() % 4 == 0;
      const uint64_t first =
          begin_ + kBytes / 2 + static_cast<uint64_t>(4 * pick(0, 0, 1, 3, 70, 2000, -500));
      SetAddresses(n, first, is_other ? pick(4, 32, 128, 1000) : distance);
      LinearAccess access =
          Access(n, n == 0 || random() % 2 == 0, is_other ? pick(0, 4, 8, 512) : step,
                 static_cast<uint8_t>(pick(1, 2, 4, 4, 8, 16)));
      access.imm = static_cast<int32_t>(pick(0, 0, 4, -4, 60));
      access.is_after_step = random() % 4 == 0;
      access.steps_low_alone = random() % 4 == 0;
      if (random() % 3 == 0) {
        state_.sgpr[20 + n] = access.step[0].value;
        access.step[0] = {1, 20 + n};
      }
      if (random() % 4 == 0) {
        access.is_indexed = true;
        access.is_after_step = access.steps_low_alone = false;
        access.is_index_signed = random() % 2 == 0;
        access.index_shift = static_cast<uint16_t>(pick(0, 2));
        access.high = 30 + 2 * n;
        state_.sgpr[access.high] = static_cast<uint32_t>(first);
        state_.sgpr[access.high + 1] = static_cast<uint32_t>(first >> 32);
        for (uint32_t lane = 0; lane < ir::kLanes; ++lane) {
          state_.vgpr[2 * n][lane] = lane * static_cast<uint32_t>(distance) >> access.index_shift;
        }
        access.index.step = {0, static_cast<uint32_t>(pick(0, 1, 4, -1, 64))};
        access.index.offset = {0, static_cast<uint32_t>(pick(0, 1, -1))};
      }
      accesses.push_back(access);
    }
    SetExec(random() % 2 == 0 ? ~uint64_t{0} : random() & random());
    const DisjointLanes found = Find(accesses);
    promised += found.iterations != 0 ? 1 : 0;
    ASSERT_EQ(Contradiction(accesses, found), "") << "run " << run;
  }
  EXPECT_GT(promised, 400);
}

}  // namespace
}  // namespace gcnjit::runtime
