// Flat accesses of a part's lanes to LDS and scratch: all together leave what the interpreter's
// functions for one lane leave, which tests/isa/flat_apertures.case tests.
#include "runtime/jit/aperture_lanes.h"

#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <random>
#include <vector>

#include "runtime/interpreter/memory_segments.h"
#include "runtime/jit/slow_lanes.h"
#include "runtime/memory/guest_memory.h"

namespace gcnjit::aperture_lanes_tests {
namespace {

using backend::AccessBlock;
using backend::MemorySite;
using frontend::Generation;
using runtime::DispatchState;
using runtime::GuestMemory;
using runtime::Wave;
using runtime::WaveState;
using runtime::WorkgroupState;

constexpr uint32_t kLanes = backend::kMaxPartLanes;
constexpr uint32_t kScratchPerLane = 240;  // bytes
constexpr uint32_t kScratchBytes = 256 * ir::kLanes;
constexpr uint32_t kLdsBytes = 500;

class ApertureLanesTest : public testing::TestWithParam<Generation> {
 protected:
  ApertureLanesTest()
      : memory_(GuestMemory::Reserve().value()),
        scratch_(memory_->Allocate(kScratchBytes, "scratch").value()),
        lds_(kLdsBytes + 16) {
    dispatch_.processor = GetParam();
    dispatch_.memory = memory_.get();
    dispatch_.scratch_base = scratch_;
    group_.lds = lds_.data();
    group_.lds_bytes = kLdsBytes;
    const int code = frontend::FlatScratchCode(GetParam());
    if (frontend::Has(GetParam(), frontend::kFlatScratchIsAddress)) {
      state_->sgpr[code] = static_cast<uint32_t>(scratch_);
      state_->sgpr[code + 1] = static_cast<uint32_t>(scratch_ >> 32);
    } else {
      state_->sgpr[code] = kScratchPerLane;
    }
  }

  uint32_t Below(uint32_t n) { return static_cast<uint32_t>(random_() % n); }
  bool OneIn(uint32_t n) { return Below(n) == 0; }

  std::byte* Scratch() const { return reinterpret_cast<std::byte*>(scratch_); }
  std::vector<std::byte> Memory() const {
    std::vector<std::byte> all(lds_);
    all.insert(all.end(), Scratch(), Scratch() + kScratchBytes);
    return all;
  }
  void SetMemory(const std::vector<std::byte>& all) {
    std::memcpy(lds_.data(), all.data(), lds_.size());
    std::memcpy(Scratch(), all.data() + lds_.size(), kScratchBytes);
  }

  // The wave's scratch may begin at any byte, and end beyond its memory.
  void MoveScratch() {
    if (!frontend::Has(GetParam(), frontend::kFlatScratchIsAddress)) return;
    const int code = frontend::FlatScratchCode(GetParam());
    state_->sgpr[code] = static_cast<uint32_t>(scratch_) + (OneIn(4) ? Below(8) : 0);
  }

  void MakeAccess() {
    constexpr uint8_t kBytes[] = {1, 2, 4, 8, 12, 16};
    constexpr uint32_t kFirst[] = {0, 8, 16, 48};
    site_ = {};
    site_.access.space = ir::Space::kFlat;
    site_.access.bytes = kBytes[Below(std::size(kBytes))];
    site_.access.sign_extend = OneIn(2);
    site_.is_store = OneIn(2);
    site_.imm = OneIn(2) ? 0 : static_cast<int32_t>(Below(64)) - 20;
    block_.mask = OneIn(3) ? 0xFFFF : OneIn(4) ? 1u << Below(kLanes) : 1 + Below(0xFFFF);
    block_.first_lane = kFirst[Below(std::size(kFirst))];
    const uint64_t aperture = OneIn(2) ? kSharedAperture : kPrivateAperture;
    const uint32_t alignment = OneIn(4) ? 1 : 4;
    const uint32_t first = Below(OneIn(4) ? 600 : 200) / alignment * alignment;
    const uint32_t step = OneIn(2) ? 0 : alignment * Below(6);
    const uint32_t period = OneIn(4) ? 2 : kLanes;
    const bool is_random = OneIn(4);
    for (uint32_t n = 0; n < kLanes; ++n) {
      const uint32_t offset =
          is_random ? Below(200) / alignment * alignment : first + n % period * step;
      uint64_t address = aperture + offset - static_cast<uint64_t>(int64_t{site_.imm});
      if (OneIn(100)) address = scratch_ + offset;  // no aperture
      if (OneIn(200)) address += aperture ^ kSharedAperture ^ kPrivateAperture;
      block_.low[n] = static_cast<uint32_t>(address);
      block_.high[n] = static_cast<uint32_t>(address >> 32);
      for (auto& dwords : block_.data) dwords[n] = static_cast<uint32_t>(random_());
    }
  }

  template <typename F>
  void EachActive(F f) {
    for (uint32_t n = 0; n < kLanes; ++n) {
      if ((block_.mask >> n & 1) != 0) f(n, runtime::AddressOf(block_, site_, n));
    }
  }
  // All in one aperture; in scratch, whole dwords or parts of one.
  bool IsSimple() {
    bool in_lds = true, in_scratch = true;
    EachActive([&](uint32_t, uint64_t address) {
      const uint32_t alignment = std::min<uint32_t>(site_.access.bytes, 4);
      in_lds &= runtime::IsShared(address);
      in_scratch &= runtime::IsPrivate(address) && address % alignment == 0;
    });
    return in_lds || in_scratch;
  }

  // Lane by lane. False: a lane has a fault.
  bool Reference() {
    Wave wave{*state_, group_, dispatch_};
    const uint32_t bytes = site_.access.bytes;
    bool is_done = true;
    EachActive([&](uint32_t n, uint64_t address) {
      if (!is_done) return;
      const auto lane = static_cast<int>(block_.first_lane + n);
      uint32_t raw[4] = {};
      if (site_.is_store) {
        for (int d = 0; d < 4; ++d) raw[d] = block_.data[d][n];
        is_done = runtime::WriteFlat(wave, lane, address, raw, bytes);
        return;
      }
      is_done = runtime::ReadFlat(wave, lane, address, raw, bytes);
      if (!is_done) return;
      if (site_.access.sign_extend && bytes == 1) raw[0] = static_cast<int8_t>(raw[0]);
      if (site_.access.sign_extend && bytes == 2) raw[0] = static_cast<int16_t>(raw[0]);
      for (uint32_t d = 0; d < (bytes + 3) / 4; ++d) block_.data[d][n] = raw[d];
    });
    return is_done;
  }

  std::mt19937_64 random_{1};
  std::shared_ptr<GuestMemory> memory_;
  const uint64_t scratch_;
  std::vector<std::byte> lds_;
  std::unique_ptr<WaveState> state_ = std::make_unique<WaveState>();
  DispatchState dispatch_;
  WorkgroupState group_;
  MemorySite site_;
  AccessBlock block_;
};

TEST_P(ApertureLanesTest, LeaveWhatLanesOneByOneLeave) {
  int done = 0, refused = 0;
  for (int n = 0; n < 60'000; ++n) {
    SCOPED_TRACE(n);
    if (n % 1000 == 0) {
      std::vector<std::byte> other = Memory();
      for (std::byte& byte : other) byte = static_cast<std::byte>(random_());
      SetMemory(other);
    }
    MoveScratch();
    MakeAccess();
    const AccessBlock block_before = block_;
    const std::vector<std::byte> memory_before =
        site_.is_store ? Memory() : std::vector<std::byte>();
    const bool is_right = Reference();
    const bool is_simple = IsSimple();
    const AccessBlock block_after = block_;
    const std::vector<std::byte> memory_after =
        site_.is_store ? Memory() : std::vector<std::byte>();
    block_ = block_before;
    if (site_.is_store) SetMemory(memory_before);

    const Wave wave{*state_, group_, dispatch_};
    const bool is_done = runtime::AccessAperture(wave, site_, block_);
    ASSERT_EQ(is_done, is_right && is_simple);
    const AccessBlock& wanted = is_done ? block_after : block_before;
    ASSERT_EQ(std::memcmp(block_.data, wanted.data, sizeof block_.data), 0);
    if (site_.is_store) {
      ASSERT_EQ(Memory(), is_done ? memory_after : memory_before);
    }
    ++(is_done ? done : refused);
  }
  EXPECT_GT(done, 15'000);
  EXPECT_GT(refused, 6'000);
}

INSTANTIATE_TEST_SUITE_P(Generations, ApertureLanesTest,
                         testing::Values(Generation::kGfx7, Generation::kGfx8, Generation::kGfx900,
                                         Generation::kGfx90a));

}  // namespace
}  // namespace gcnjit::aperture_lanes_tests
