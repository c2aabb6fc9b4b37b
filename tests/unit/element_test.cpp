// Aligned 8 and 16 bytes of an element are moved in one piece, by the interpreter and by accesses
// that compiled code hands over: memory changes between any two host instructions here.
#include "runtime/interpreter/element.h"

#include <gtest/gtest.h>

#include "runtime/guarded_access.h"
#include "tests/unit/backend/single_step.h"

namespace gcnjit::runtime {
namespace {

constexpr uint32_t kDwords = 16;

// In guest memory, as it were.
alignas(64) volatile uint32_t memory[kDwords];
volatile uint32_t steps;
volatile uint32_t torn;
volatile uint32_t word_dwords;
volatile uint32_t stored_dwords;

void ChangeMemory() {
  steps = steps + 1;
  for (volatile uint32_t& dword : memory) dword = steps;
}
void LookAtMemory() {
  steps = steps + 1;
  for (uint32_t n = 0; n < stored_dwords; ++n) {
    torn = torn + (memory[n] != memory[n - n % word_dwords] ? 1 : 0);
  }
}

uint32_t* Memory() { return const_cast<uint32_t*>(memory); }

using Copy = void (*)(void* to, const void* from, uint32_t bytes);

void Guarded(void* to, const void* from, uint32_t bytes) {
  ASSERT_TRUE(GuardedCopy(to, from, bytes));
}
void CopyDwords(void* to, const void* from, uint32_t bytes) {
  for (uint32_t n = 0; n < bytes; n += 4) {
    LoadElement(static_cast<std::byte*>(to) + n, static_cast<const std::byte*>(from) + n, 4);
  }
}

uint32_t CountTornLoads(Copy copy, uint32_t bytes, uint32_t word_bytes) {
  uint32_t loaded[kDwords] = {};
  steps = 1;
  ChangeMemory();
  {
    const backend::SingleStep stepping(ChangeMemory);
    copy(loaded, Memory(), bytes);
  }
  EXPECT_GT(steps, 3u);
  uint32_t count = 0;
  for (uint32_t n = 0; n < bytes / 4; ++n) {
    EXPECT_NE(loaded[n], 0u);
    count += loaded[n] != loaded[n - n % (word_bytes / 4)];
  }
  return count;
}

uint32_t CountTornStores(Copy copy, uint32_t bytes, uint32_t word_bytes) {
  uint32_t data[kDwords];
  for (uint32_t& dword : data) dword = 7;
  for (volatile uint32_t& dword : memory) dword = 0;
  steps = 0;
  torn = 0;
  word_dwords = word_bytes / 4;
  stored_dwords = bytes / 4;
  {
    const backend::SingleStep stepping(LookAtMemory);
    copy(Memory(), data, bytes);
  }
  EXPECT_GT(steps, 3u);
  for (uint32_t n = 0; n < bytes / 4; ++n) EXPECT_EQ(memory[n], 7u);
  return torn;
}

TEST(Element, WordsAreMovedInOnePiece) {
  for (const uint32_t word_bytes : {8u, 16u}) {
    for (uint32_t bytes = word_bytes; bytes <= 64; bytes += word_bytes) {
      EXPECT_EQ(CountTornLoads(LoadElement, bytes, word_bytes), 0u) << bytes;
      EXPECT_EQ(CountTornStores(StoreElement, bytes, word_bytes), 0u) << bytes;
      EXPECT_EQ(CountTornLoads(Guarded, bytes, word_bytes), 0u) << bytes;
      EXPECT_EQ(CountTornStores(Guarded, bytes, word_bytes), 0u) << bytes;
    }
  }
}

// The size is known where instructions are executed.
TEST(Element, QuadsOfKnownSizeAreMovedInOnePiece) {
  const Copy load = [](void* to, const void* from, uint32_t) { LoadElement(to, from, 16); };
  const Copy store = [](void* to, const void* from, uint32_t) { StoreElement(to, from, 16); };
  EXPECT_EQ(CountTornLoads(load, 16, 16), 0u);
  EXPECT_EQ(CountTornStores(store, 16, 16), 0u);
}

// Else the tests above say nothing.
TEST(Element, PiecesAreSeen) {
  for (const uint32_t word_bytes : {8u, 16u}) {
    EXPECT_GT(CountTornLoads(CopyDwords, 16, word_bytes), 0u);
    EXPECT_GT(CountTornStores(CopyDwords, 16, word_bytes), 0u);
  }
}

}  // namespace
}  // namespace gcnjit::runtime
