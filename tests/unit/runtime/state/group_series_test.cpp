// Groups that compiled code starts by itself: what is set for them, what is counted, and when
// the runtime has to look.
#include "runtime/state/group_series.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

#include "runtime/state/wave_state.h"

namespace gcnjit::runtime {
namespace {

class GroupSeriesTest : public testing::Test {
 protected:
  GroupSeriesTest() {
    group_.id = {6, 7, 8};
    series_.left = 1000;
    series_.group = &group_;
    series_.values = values_;
    series_.id_value = &values_[5];
    series_.pc = 0x1234;
  }

  WorkgroupState group_;
  uint32_t values_[128] = {};
  GroupSeries series_;
};

TEST_F(GroupSeriesTest, CountsWhatHasEnded) {
  for (const uint64_t executed : {20u, 30u, 10u}) series_.StartGroup(executed);
  EXPECT_EQ(series_.left, 997u);
  EXPECT_EQ(series_.ended, 3u);
  EXPECT_EQ(series_.instructions, 60u);
  EXPECT_EQ(series_.least, 10u);
  EXPECT_EQ(series_.most, 30u);
  EXPECT_EQ(group_.id[0], 9u);
  EXPECT_EQ(group_.id[1], 7u);
  EXPECT_EQ(values_[5], 9u);
}

// Of short groups many follow one another, of long ones few.
TEST_F(GroupSeriesTest, EndsWithItsInstructions) {
  const uint64_t executed = GroupSeries::kInstructions / 4;
  for (int n = 0; n < 4; ++n) {
    ASSERT_GT(series_.left, 0u) << n;
    series_.StartGroup(executed);
  }
  EXPECT_EQ(series_.left, 996u) << "as many as there may be are not too many";
  series_.StartGroup(1);
  EXPECT_EQ(series_.left, 0u);
  EXPECT_EQ(series_.ended, 5u) << "the group that has ended is followed by another all the same";
  EXPECT_EQ(group_.id[0], 11u);
}

TEST_F(GroupSeriesTest, CountsGroupsThatAreAlike) {
  series_.StartGroups(5, 20);
  series_.StartGroups(1, 30);
  EXPECT_EQ(series_.left, 994u);
  EXPECT_EQ(series_.ended, 6u);
  EXPECT_EQ(series_.instructions, 130u);
  EXPECT_EQ(series_.least, 20u);
  EXPECT_EQ(series_.most, 30u);
  EXPECT_EQ(group_.id[0], 12u);
  EXPECT_EQ(values_[5], 12u);
}

// Code that counts the id, and does nothing else, starts as many as there are, until the runtime
// has to look.
TEST_F(GroupSeriesTest, RowsAreOfGroupsThatDifferInTheirId) {
  const std::vector<uint8_t> id = {5};
  const std::vector<uint8_t> other = {6};
  const std::vector<uint8_t> both = {5, 9};
  EXPECT_EQ(series_.RowOf(10, 5, false), 1000u) << "it is not read";
  series_.sgprs = id;
  EXPECT_EQ(series_.RowOf(10, 5, false), 1000u);
  EXPECT_EQ(series_.RowOf(10, 6, false), 0u) << "the code takes it for another one";
  series_.sgprs = other;
  EXPECT_EQ(series_.RowOf(10, 5, false), 0u);
  series_.sgprs = both;
  EXPECT_EQ(series_.RowOf(10, 5, false), 0u);
  series_.sgprs = id;
  EXPECT_EQ(series_.RowOf(10, 5, true), 1000u) << "there is no LDS to clear";
  group_.lds_bytes = 64;
  EXPECT_EQ(series_.RowOf(10, 5, false), 1000u);
  EXPECT_EQ(series_.RowOf(10, 5, true), 0u) << "it has to be cleared";
}

TEST_F(GroupSeriesTest, RowsEndWhenTheRuntimeHasToLook) {
  constexpr uint64_t kEach = GroupSeries::kInstructions / 4;
  EXPECT_EQ(series_.RowOf(kEach, 5, false), 5u);
  series_.StartGroups(3, kEach);
  EXPECT_EQ(series_.RowOf(kEach, 5, false), 2u);
  series_.StartGroups(2, kEach);
  EXPECT_EQ(series_.left, 0u);
  EXPECT_EQ(series_.RowOf(kEach, 5, false), 0u);
}

TEST_F(GroupSeriesTest, GivesWavesWhatChanges) {
  const auto first = std::make_unique<WaveState>();
  const auto second = std::make_unique<WaveState>();
  const std::vector<backend::RelayWave> relay = {{first.get(), nullptr, nullptr},
                                                 {second.get(), nullptr, nullptr}};
  const std::vector<std::vector<uint8_t>> sets = {{5}, {}, {5, 9}};
  values_[9] = 99;
  uint32_t id = 6;
  for (const std::vector<uint8_t>& numbers : sets) {
    for (const bool pc_has_changed : {false, true}) {
      for (WaveState* const state : {first.get(), second.get()}) {
        std::fill_n(state->sgpr, 128, 1);
        state->scc = 1;
        state->pc = 1;
      }
      series_.sgprs = numbers;
      series_.StartGroup(1);
      series_.StartWaves(relay, pc_has_changed);
      ++id;
      for (const WaveState* const state : {first.get(), second.get()}) {
        EXPECT_EQ(state->scc, 0u);
        EXPECT_EQ(state->pc, pc_has_changed ? 0x1234u : 1u);
        for (uint32_t n = 0; n < 128; ++n) {
          const bool is_set = std::find(numbers.begin(), numbers.end(), n) != numbers.end();
          EXPECT_EQ(state->sgpr[n], !is_set ? 1 : n == 5 ? id : 99) << n;
        }
      }
    }
  }
}

}  // namespace
}  // namespace gcnjit::runtime
