// Lanes apart, by indices from a base that changes from run to run, in memory that ends.
#include "tests/unit/backend_x64/isa/indexed_access.h"

namespace gcnjit::backend {
namespace {

struct Elements {
  bool is_signed = false;
  uint8_t shift = 0;
  bool is_store = false;
};

// Indices whose range has an end near `origin`, and others.
uint32_t OriginOf(const Elements& elements, std::mt19937_64& random, uint32_t count) {
  const uint32_t least = elements.is_signed ? 0x80000000 : 0;
  switch (random() % 5) {
    case 0: return 0;
    case 1: return least;
    case 2: return least - count;                                    // the most
    case 3: return least - static_cast<uint32_t>(random() % count);  // some wrap around
    default: return static_cast<uint32_t>(random());
  }
}

void CheckElements(const Elements& elements) {
  Form form;
  form.access.bytes = static_cast<uint8_t>(1 << elements.shift);
  form.access.indexed = true;
  form.access.index_signed = elements.is_signed;
  form.access.index_shift = elements.shift;
  form.is_store = elements.is_store;
  form.imm = elements.shift % 2 == 0 ? 0 : -0x10;
  const auto count = static_cast<uint32_t>(GuestPages::kSize >> elements.shift);
  IndexedAccess access(form);
  std::mt19937_64 random(elements.shift * 4u + (elements.is_signed ? 2 : 0) + elements.is_store);
  int faults = 0;
  for (int n = 0; n < 120; ++n) {
    const uint32_t origin = OriginOf(elements, random, count);
    // From the first element on, or up to the last one; now and then beyond.
    const uint32_t reach = n % 3 == 0 ? count : 40;
    const uint32_t from = n % 2 == 0 ? 0 : count - reach;
    const uint32_t beyond = n % 8 == 7 ? 2 : 0;
    Indices indices;
    for (uint32_t& index : indices) {
      index = origin + from + static_cast<uint32_t>(random()) % (reach + beyond);
    }
    const uint64_t at = GuestPages::kBegin + (uint64_t{indices[0] - origin} << elements.shift);
    access.Check(indices, at, n % 4 == 0 ? ~uint64_t{0} : random());
    if (testing::Test::HasFatalFailure()) return;
    faults += access.faulted() ? 1 : 0;
  }
  EXPECT_GT(faults, 0);
  EXPECT_LT(faults, 100);
}

TEST(IndexRange, Ends) {
  for (const bool is_signed : {false, true}) {
    for (uint8_t shift = 0; shift <= 4; ++shift) {
      for (const bool is_store : {false, true}) CheckElements({is_signed, shift, is_store});
    }
  }
}

// Lanes that are a run, near each other, apart, in turns: whatever was seen before.
TEST(IndexRange, ShapesInTurns) {
  Form form;
  form.access.bytes = 4;
  form.access.indexed = true;
  form.access.index_shift = 2;
  IndexedAccess access(form);
  std::mt19937_64 random(1);
  for (int n = 0; n < 200; ++n) {
    Indices indices = Consecutive(static_cast<uint32_t>(random() % 100), 1);
    for (uint32_t lane = 0; lane < ir::kLanes && n % 3 != 0; ++lane) {
      indices[lane] = n % 3 == 1 ? lane / 8 * 16 + lane * 3 % 8
                                 : static_cast<uint32_t>(random() % (GuestPages::kSize / 4));
    }
    access.Check(indices, GuestPages::kBegin + uint64_t{indices[0]} * 4, random() | random(), 0);
    ASSERT_FALSE(access.faulted());
  }
}

}  // namespace
}  // namespace gcnjit::backend
