// R15: atomics are exact. Waves on several host threads, and the lanes of each, work on one word;
// what every operation returned must fit one order of all of them.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <string>
#include <tuple>
#include <vector>

#include "tests/concurrency/machine.h"

namespace gcnjit::concurrency {
namespace {

constexpr uint32_t kGroup = 256;
constexpr uint32_t kGroups = 64;
constexpr uint32_t kItems = kGroup * kGroups;
constexpr unsigned kThreads = 4;

class AtomicsTest : public testing::TestWithParam<std::tuple<const char*, Engine>> {
 protected:
  template <typename T>
  struct After {
    T word;
    std::vector<T> old;  // by work-item
  };

  template <typename T>
  After<T> Run(const std::string& operation, T before) {
    const uint64_t word = *device_.Allocate(sizeof(T));
    const uint64_t old = *device_.Allocate(kItems * sizeof(T));
    *DataOf<T>(device_, word, 1) = before;
    RunToEnd(device_, program_, operation + (sizeof(T) == 4 ? "_u32" : "_u64"),
             Line(kItems, kGroup, std::get<1>(GetParam()), kThreads),
             Arguments().Buffer(word).Buffer(old));
    const T* values = DataOf<T>(device_, old, kItems);
    return {*DataOf<T>(device_, word, 1), {values, values + kItems}};
  }

  template <typename T>
  void Counters() {
    std::vector<T> all(kItems);
    std::iota(all.begin(), all.end(), T{0});
    for (const char* operation : {"add", "compare"}) {
      After<T> after = Run<T>(operation, 0);
      EXPECT_EQ(after.word, kItems) << operation;
      std::ranges::sort(after.old);
      EXPECT_EQ(after.old, all) << operation;
    }
    After<T> after = Run<T>("sub", kItems - 1);
    EXPECT_EQ(after.word, static_cast<T>(-1));
    std::ranges::sort(after.old);
    EXPECT_EQ(after.old, all);
    after = Run<T>("exchange", 0);
    after.old.push_back(after.word);
    std::ranges::sort(after.old);
    all.push_back(kItems);
    EXPECT_EQ(after.old, all);
  }

  // In LDS each group counts for itself.
  template <typename T>
  void LocalCounters() {
    std::vector<T> all(kGroup);
    std::iota(all.begin(), all.end(), T{0});
    for (const char* operation : {"local_add", "local_compare"}) {
      const After<T> after = Run<T>(operation, 0);
      for (uint32_t group = 0; group < kGroups; ++group) {
        std::vector<T> old(after.old.begin() + group * kGroup,
                           after.old.begin() + (group + 1) * kGroup);
        std::ranges::sort(old);
        ASSERT_EQ(old, all) << operation << ", group " << group;
      }
    }
  }

  template <typename T>
  void Bits() {
    constexpr uint32_t kBits = sizeof(T) * 8;
    const auto zeros = [&](const After<T>& after, uint32_t bit) {
      uint32_t count = 0;
      for (uint32_t id = bit; id < kItems; id += kBits) count += (after.old[id] >> bit & 1) == 0;
      return count;
    };
    const After<T> set = Run<T>("or", 0);
    const After<T> cleared = Run<T>("and", ~T{0});
    const After<T> turned = Run<T>("xor", 0);
    constexpr uint32_t kOfBit = kItems / kBits;
    EXPECT_EQ(set.word, ~T{0});
    EXPECT_EQ(cleared.word, T{0});
    EXPECT_EQ(turned.word, T{0}) << "an even number of turns";
    for (uint32_t bit = 0; bit < kBits; ++bit) {
      EXPECT_EQ(zeros(set, bit), 1u) << bit;
      EXPECT_EQ(zeros(cleared, bit), kOfBit - 1) << bit;
      EXPECT_EQ(zeros(turned, bit), kOfBit / 2) << bit;
    }
  }

  // Each work-item that moves the word sees an old value that no other moves it from.
  template <typename T>
  void Extremes() {
    for (const bool is_max : {true, false}) {
      const T before = is_max ? 0 : kItems + 5;
      const After<T> after = Run<T>(is_max ? "max" : "min", before);
      EXPECT_EQ(after.word, is_max ? kItems - 1 : 0);
      std::vector<T> moved_from;
      for (uint32_t id = 0; id < kItems; ++id) {
        const T value = id * 7 % kItems;
        if (is_max ? after.old[id] < value : after.old[id] > value) {
          moved_from.push_back(after.old[id]);
        }
      }
      std::ranges::sort(moved_from);
      EXPECT_FALSE(moved_from.empty());
      EXPECT_EQ(std::ranges::adjacent_find(moved_from), moved_from.end());
    }
  }

  template <typename T>
  void Rings() {
    constexpr uint32_t kRing = 100;
    for (const bool up : {true, false}) {
      const After<T> after = Run<T>(up ? "inc" : "dec", 0);
      std::vector<uint32_t> count(kRing);
      for (const T old : after.old) {
        ASSERT_LT(old, kRing);
        ++count[old];
      }
      // The place-th value of a turn: 0, 1, 2, .. or 0, 99, 98, ..
      const auto value = [&](uint32_t place) { return up ? place : (kRing - place) % kRing; };
      EXPECT_EQ(after.word, value(kItems % kRing));
      for (uint32_t place = 0; place < kRing; ++place) {
        EXPECT_EQ(count[value(place)], kItems / kRing + (place < kItems % kRing)) << place;
      }
    }
  }

  Device device_ = *Device::Create();
  Program program_ =
      LoadProgram(device_, std::string("atomics_") + std::get<0>(GetParam()) + ".co");
};

TEST_P(AtomicsTest, Counters32) { Counters<uint32_t>(); }
TEST_P(AtomicsTest, Counters64) { Counters<uint64_t>(); }
TEST_P(AtomicsTest, LocalCounters32) { LocalCounters<uint32_t>(); }
TEST_P(AtomicsTest, LocalCounters64) { LocalCounters<uint64_t>(); }
TEST_P(AtomicsTest, Bits32) { Bits<uint32_t>(); }
TEST_P(AtomicsTest, Bits64) { Bits<uint64_t>(); }
TEST_P(AtomicsTest, Extremes32) { Extremes<uint32_t>(); }
TEST_P(AtomicsTest, Extremes64) { Extremes<uint64_t>(); }
TEST_P(AtomicsTest, Rings32) { Rings<uint32_t>(); }
TEST_P(AtomicsTest, Rings64) { Rings<uint64_t>(); }

INSTANTIATE_TEST_SUITE_P(All, AtomicsTest,
                         testing::Combine(testing::ValuesIn(kTargets),
                                          testing::Values(Engine::kInterpreter, Engine::kJit)),
                         [](const auto& info) {
                           return std::string(std::get<0>(info.param)) +
                                  (std::get<1>(info.param) == Engine::kJit ? "_jit" : "_interp");
                         });

}  // namespace
}  // namespace gcnjit::concurrency
