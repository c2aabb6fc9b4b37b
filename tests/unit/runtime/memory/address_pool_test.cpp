// Random ranges, taken and given back, against a list of what is free.
#include "runtime/memory/address_pool.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

namespace gcnjit::runtime {
namespace {

constexpr uint64_t kPoolBegin = 1000;
constexpr uint64_t kPoolBytes = 512;

class AddressPoolTest : public testing::Test {
 protected:
  struct Range {
    uint64_t address = 0;
    uint64_t bytes = 0;
  };

  AddressPoolTest() { pool_.Add(kPoolBegin, kPoolBytes); }

  bool IsFree(uint64_t address, uint64_t bytes) const {
    return address >= kPoolBegin && address + bytes <= kPoolBegin + kPoolBytes &&
           std::all_of(free_.begin() + static_cast<std::ptrdiff_t>(address - kPoolBegin),
                       free_.begin() + static_cast<std::ptrdiff_t>(address - kPoolBegin + bytes),
                       [](bool is_free) { return is_free; });
  }
  void Set(const Range& range, bool is_free) {
    std::fill_n(free_.begin() + static_cast<std::ptrdiff_t>(range.address - kPoolBegin),
                range.bytes, is_free);
  }
  // Is there room anywhere?
  bool HasRoom(uint64_t bytes, uint64_t alignment) const {
    for (uint64_t at = kPoolBegin; at < kPoolBegin + kPoolBytes; ++at) {
      if (at % alignment == 0 && IsFree(at, bytes)) return true;
    }
    return false;
  }
  void TakeAny() {
    const uint64_t bytes = 1 + random_() % 40;
    const uint64_t alignment = uint64_t{1} << random_() % 5;
    const uint64_t found = pool_.Find(bytes, alignment);
    ASSERT_EQ(found != 0, HasRoom(bytes, alignment));
    if (found == 0) return;
    ASSERT_EQ(found % alignment, 0u);
    ASSERT_TRUE(IsFree(found, bytes));
    ASSERT_TRUE(pool_.Has(found, bytes));
    pool_.Take(found, bytes);
    taken_.push_back({found, bytes});
    Set(taken_.back(), false);
  }
  Range GiveUpAny() {
    std::swap(taken_[random_() % taken_.size()], taken_.back());
    const Range range = taken_.back();
    taken_.pop_back();
    return range;
  }

  AddressPool pool_;
  std::vector<bool> free_ = std::vector<bool>(kPoolBytes, true);
  std::vector<Range> taken_;
  std::mt19937 random_{1};
};

TEST_F(AddressPoolTest, HasWhatNothingHas) {
  for (int n = 0; n < 20000; ++n) {
    if (taken_.empty() || random_() % 2 != 0) {
      TakeAny();
    } else {
      const Range range = GiveUpAny();
      pool_.AddLater(range.address, range.bytes);
      Set(range, true);
    }
    const uint64_t at = kPoolBegin + random_() % kPoolBytes;
    const uint64_t bytes = 1 + random_() % 60;
    ASSERT_EQ(pool_.Has(at, bytes), IsFree(at, bytes));
  }
  while (!taken_.empty()) {
    const Range range = GiveUpAny();
    pool_.Add(range.address, range.bytes);
  }
  EXPECT_TRUE(pool_.Has(kPoolBegin, kPoolBytes));
}

TEST_F(AddressPoolTest, KeepsBackAsMuchAsItIsTold) {
  constexpr uint64_t kKeptBytes = 100;
  pool_.SetQuarantine(kKeptBytes);
  std::vector<Range> kept;  // the oldest first
  uint64_t kept_bytes = 0;
  for (int n = 0; n < 20000; ++n) {
    if (taken_.empty() || random_() % 2 != 0) {
      TakeAny();
      continue;
    }
    const Range range = GiveUpAny();
    pool_.AddLater(range.address, range.bytes);
    kept.push_back(range);
    kept_bytes += range.bytes;
    while (kept_bytes > kKeptBytes) {
      Set(kept.front(), true);
      kept_bytes -= kept.front().bytes;
      kept.erase(kept.begin());
    }
  }
  pool_.SetQuarantine(0);
  for (const Range& range : taken_) pool_.Add(range.address, range.bytes);
  EXPECT_TRUE(pool_.Has(kPoolBegin, kPoolBytes));
}

}  // namespace
}  // namespace gcnjit::runtime
