// Aligned 8 and 16 bytes of an element are moved in one piece, by the interpreter and by accesses
// that compiled code hands over: memory changes between any two host instructions here.
#include "runtime/interpreter/element.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <memory>

#include "runtime/interpreter/code_map.h"
#include "runtime/interpreter/interpreter.h"
#include "runtime/interpreter/wave.h"
#include "runtime/memory/guarded_access.h"
#include "tests/unit/backend_x64/single_step.h"

namespace gcnjit::runtime {
namespace {

constexpr uint32_t kBufferDwords = 16;

// In guest memory, as it were.
alignas(64) volatile uint32_t buffer[kBufferDwords];
// The signal handler's: what it changes or looks at.
volatile uint32_t* memory = buffer;
volatile uint32_t dwords;
volatile uint32_t word_dwords;
volatile uint32_t steps;
volatile uint32_t torn;

void ChangeMemory() {
  steps = steps + 1;
  for (uint32_t n = 0; n < dwords; ++n) memory[n] = steps;
}
void LookAtMemory() {
  steps = steps + 1;
  for (uint32_t n = 0; n < dwords; ++n) {
    torn = torn + (memory[n] != memory[n - n % word_dwords] ? 1 : 0);
  }
}

void Watch(volatile uint32_t* at, uint32_t bytes, uint32_t word_bytes) {
  memory = at;
  dwords = bytes / 4;
  word_dwords = word_bytes / 4;
  std::fill_n(at, bytes / 4, 1);
  steps = 1;
  torn = 0;
}

uint32_t* Memory() { return const_cast<uint32_t*>(buffer); }

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
  uint32_t loaded[kBufferDwords] = {};
  Watch(buffer, bytes, word_bytes);
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
  uint32_t data[kBufferDwords];
  std::fill_n(data, kBufferDwords, 7);
  Watch(buffer, bytes, word_bytes);
  {
    const backend::SingleStep stepping(LookAtMemory);
    copy(Memory(), data, bytes);
  }
  EXPECT_GT(steps, 3u);
  for (uint32_t n = 0; n < bytes / 4; ++n) EXPECT_EQ(buffer[n], 7u);
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

// Lanes of a buffer of which another one is out of range in part.
class WholeLanesOfBuffer : public testing::Test {
 protected:
  static constexpr int kData = 8;  // VGPRs

  // Element n is lane n's; the last one's last dword is out of range.
  void Run(uint32_t opcode_word, uint32_t bytes, void (*step)()) {
    const auto reserved = GuestMemory::Reserve();
    ASSERT_TRUE(reserved.ok());
    guest_ = reserved.value();
    const auto allocated = guest_->Allocate(bytes * kLanes, "buffer");
    ASSERT_TRUE(allocated.ok());
    const uint64_t base = allocated.value();
    // v[8:11], v2, s[4:7], 0 offen, as llvm-mc -mcpu=gfx900 encodes it.
    const CodeSlot slot = DecodeSlot(Generation::kGfx900, std::array{opcode_word, 0x80010802u});
    ASSERT_NE(slot.function, nullptr);
    state_->vgpr_count = kMaxVgprs;
    state_->SetPair(frontend::kCodeExecLo, ~uint64_t{0});
    state_->SetPair(4, base);
    state_->sgpr[6] = bytes * kLanes - 4;
    state_->sgpr[7] = 1 << 15;  // a data format
    for (uint32_t lane = 0; lane < kLanes; ++lane) state_->vgpr[2][lane] = lane * bytes;
    for (int n = kData; n < kData + 4; ++n) std::fill_n(state_->vgpr[n], kLanes, 7u);
    std::atomic<bool> stop{false};
    DispatchState dispatch;
    dispatch.memory = guest_.get();
    dispatch.stop = &stop;
    WorkgroupState group;
    Wave wave{*state_, group, dispatch};
    Watch(reinterpret_cast<uint32_t*>(base), bytes * (kLanes - 1), bytes);
    {
      const backend::SingleStep stepping(step);
      StepWave(wave, slot);
    }
    EXPECT_EQ(wave.event, WaveEvent::kNone);
    EXPECT_GT(steps, 100u);
  }
  void Load(uint32_t opcode_word, uint32_t bytes) {
    Run(opcode_word, bytes, ChangeMemory);
    for (int lane = 0; lane < kLanes - 1; ++lane) {
      for (uint32_t n = 0; n < bytes / 4; ++n) {
        EXPECT_EQ(state_->vgpr[kData + n][lane], state_->vgpr[kData][lane]) << lane;
      }
    }
    EXPECT_EQ(state_->vgpr[kData + bytes / 4 - 1][kLanes - 1], 0u);
  }
  void Store(uint32_t opcode_word, uint32_t bytes) {
    Run(opcode_word, bytes, LookAtMemory);
    EXPECT_EQ(torn, 0u);
    const uint32_t end = bytes / 4 * kLanes;
    for (uint32_t n = 0; n + 1 < end; ++n) EXPECT_EQ(memory[n], 7u);
    EXPECT_EQ(memory[end - 1], 0u);
  }

  std::shared_ptr<GuestMemory> guest_;
  std::unique_ptr<WaveState> state_ = std::make_unique<WaveState>();
};

TEST_F(WholeLanesOfBuffer, LoadPairs) { Load(0xE0541000, 8); }
TEST_F(WholeLanesOfBuffer, LoadQuads) { Load(0xE05C1000, 16); }
TEST_F(WholeLanesOfBuffer, StorePairs) { Store(0xE0741000, 8); }
TEST_F(WholeLanesOfBuffer, StoreQuads) { Store(0xE07C1000, 16); }

}  // namespace
}  // namespace gcnjit::runtime
