// Atomics of waves on several host threads: what the one-wave cases of tests/isa can't show.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <functional>
#include <memory>
#include <thread>
#include <vector>

#include "runtime/interpreter/code_map.h"
#include "runtime/interpreter/interpreter.h"
#include "runtime/interpreter/wave.h"

namespace gcnjit::runtime {
namespace {

constexpr int kThreads = 4;
constexpr int kIterations = 2000;
constexpr uint32_t kGdsBytes = 64 * 1024;

using Words = std::array<uint32_t, 2>;
// clang-format off
// As llvm-mc -mcpu=gfx900 encodes them.
constexpr Words kGlobalAddReturn = {0xDD098000, 0x087F0200};  // global_atomic_add v8, v[0:1], v2, off glc
constexpr Words kGlobalIncX2     = {0xDDAC8000, 0x007F0200};  // global_atomic_inc_x2 v[0:1], v[2:3], off
constexpr Words kGlobalXor       = {0xDD298000, 0x087F0200};  // global_atomic_xor v8, v[0:1], v2, off glc
constexpr Words kGlobalCmpSwap   = {0xDD058000, 0x087F0200};  // global_atomic_cmpswap v8, v[0:1], v[2:3], off glc
constexpr Words kGdsAdd          = {0xD8010000, 0x00000200};  // ds_add_u32 v0, v2 gds
constexpr Words kGdsAppend       = {0xD97D0000, 0x08000000};  // ds_append v8 gds
// clang-format on

class InterpreterAtomicsTest : public testing::Test {
 protected:
  void SetUp() override {
    Result<std::shared_ptr<GuestMemory>> memory = GuestMemory::Reserve();
    ASSERT_TRUE(memory.ok());
    memory_ = memory.value();
    Result<uint64_t> cell = memory_->Allocate(8, "cell");
    ASSERT_TRUE(cell.ok());
    cell_ = cell.value();
    dispatch_.memory = memory_.get();
    dispatch_.gds = gds_.data();
    dispatch_.stop = &stop_;
  }

  // Each thread executes the instruction kIterations times on a wave of its own. v[0:1] is the
  // cell's address in all lanes; `prepare` sets the rest, `after` sees each result.
  void Run(const Words& words, const std::function<void(WaveState&, int)>& prepare,
           const std::function<void(const WaveState&, int)>& after = {}) {
    const CodeSlot slot = DecodeSlot(Generation::kGfx900, words);
    ASSERT_NE(slot.function, nullptr);
    std::vector<std::thread> threads;
    for (int thread = 0; thread < kThreads; ++thread) {
      threads.emplace_back([&, thread] {
        auto state = std::make_unique<WaveState>();
        state->vgpr_count = kMaxVgprs;
        state->SetPair(frontend::kCodeExecLo, ~uint64_t{0});
        std::fill_n(state->vgpr[0], kLanes, static_cast<uint32_t>(cell_));
        std::fill_n(state->vgpr[1], kLanes, static_cast<uint32_t>(cell_ >> 32));
        prepare(*state, thread);
        WorkgroupState group;
        Wave wave{*state, group, dispatch_};
        for (int n = 0; n < kIterations; ++n) {
          StepWave(wave, slot);
          if (wave.event != WaveEvent::kNone) {
            ++faults_;
            return;
          }
          if (after) after(*state, thread);
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(faults_, 0);
  }

  template <typename T>
  T Cell() const {
    return *reinterpret_cast<const T*>(cell_);
  }
  uint32_t Gds(uint32_t address) const {
    uint32_t value;
    std::memcpy(&value, gds_.data() + address, sizeof value);
    return value;
  }

  std::shared_ptr<GuestMemory> memory_;
  uint64_t cell_ = 0;
  alignas(64) std::array<std::byte, kGdsBytes> gds_ = {};
  std::atomic<bool> stop_{false};
  std::atomic<int> faults_{0};
  DispatchState dispatch_;
};

// Every increment counts, and every old value is returned exactly once.
TEST_F(InterpreterAtomicsTest, GlobalAddReturnsEachValueOnce) {
  std::array<std::vector<uint32_t>, kThreads> returned;
  Run(
      kGlobalAddReturn, [](WaveState& state, int) { std::fill_n(state.vgpr[2], kLanes, 1u); },
      [&](const WaveState& state, int thread) {
        returned[thread].insert(returned[thread].end(), state.vgpr[8], state.vgpr[8] + kLanes);
      });
  std::vector<uint32_t> all;
  for (const std::vector<uint32_t>& values : returned) {
    all.insert(all.end(), values.begin(), values.end());
  }
  std::sort(all.begin(), all.end());
  ASSERT_EQ(all.size(), size_t{kThreads} * kIterations * kLanes);
  EXPECT_EQ(Cell<uint32_t>(), all.size());
  for (size_t n = 0; n < all.size(); ++n) ASSERT_EQ(all[n], n);
}

// A compare-and-exchange loop underneath: wraps at the limit, loses nothing.
TEST_F(InterpreterAtomicsTest, GlobalIncrementWrapsAtItsLimit) {
  static constexpr uint32_t kLimit = 99;
  Run(kGlobalIncX2, [](WaveState& state, int) {
    std::fill_n(state.vgpr[2], kLanes, kLimit);
    std::fill_n(state.vgpr[3], kLanes, 0u);
  });
  EXPECT_EQ(Cell<uint64_t>(), uint64_t{kThreads} * kIterations * kLanes % (kLimit + 1));
}

TEST_F(InterpreterAtomicsTest, GlobalXorCancels) {
  Run(kGlobalXor, [](WaveState& state, int thread) {
    std::fill_n(state.vgpr[2], kLanes, 0x01010101u << thread);
  });
  EXPECT_EQ(Cell<uint32_t>(), 0u);
}

// Of all lanes of all threads that replace 0, one succeeds.
TEST_F(InterpreterAtomicsTest, GlobalCompareAndSwapHasOneWinner) {
  std::atomic<int> winners{0};
  Run(
      kGlobalCmpSwap,
      [](WaveState& state, int thread) {
        for (uint32_t lane = 0; lane < kLanes; ++lane) {
          state.vgpr[2][lane] = 1 + static_cast<uint32_t>(thread) * kLanes + lane;
        }
        std::fill_n(state.vgpr[3], kLanes, 0u);
      },
      [&](const WaveState& state, int) {
        winners += static_cast<int>(std::count(state.vgpr[8], state.vgpr[8] + kLanes, 0u));
      });
  EXPECT_EQ(winners, 1);
  EXPECT_NE(Cell<uint32_t>(), 0u);
}

TEST_F(InterpreterAtomicsTest, GdsIsSharedByThreads) {
  constexpr uint32_t kSize = 64;
  Run(kGdsAdd, [](WaveState& state, int) {
    state.sgpr[frontend::kCodeM0] = kSize;
    std::fill_n(state.vgpr[0], kLanes, 8u);
    std::fill_n(state.vgpr[2], kLanes, 3u);
  });
  EXPECT_EQ(Gds(8), 3u * kThreads * kIterations * kLanes);
  EXPECT_EQ(Gds(4), 0u);
}

TEST_F(InterpreterAtomicsTest, GdsAppendCountsLanes) {
  Run(kGdsAppend, [](WaveState& state, int) {
    state.sgpr[frontend::kCodeM0] = 64;
    state.SetPair(frontend::kCodeExecLo, 0x7);
  });
  EXPECT_EQ(Gds(0), 3u * kThreads * kIterations);
}

}  // namespace
}  // namespace gcnjit::runtime
