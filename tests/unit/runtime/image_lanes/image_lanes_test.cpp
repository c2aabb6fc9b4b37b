// Images, samplers and coordinates of all kinds: a wave's lanes together leave what the interpreter
// leaves of them one by one. That is tested against documents in tests/isa/mimg_*.case.
#include "runtime/image_lanes/image_lanes.h"

#include <gtest/gtest.h>
#include <immintrin.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "runtime/image_lanes/lane_format.h"
#include "runtime/interpreter/interpreter.h"
#include "runtime/memory/guest_memory.h"

namespace gcnjit::image_lanes_tests {
namespace {

using frontend::Generation;
using runtime::GuestMemory;
using runtime::WaveEvent;
using runtime::WaveState;

constexpr uint64_t kBytes = 1 << 16;
constexpr int kData = 40, kResource = 8, kSampler = 16;

// Opcodes of MIMG that all generations share.
constexpr uint32_t kLoad = 0, kLoadMip = 1, kStore = 8, kSample = 32, kSampleLevel = 36,
                   kSampleZero = 39, kCompareLevel = 44, kCompareZero = 47;

class ImageLanesTest : public testing::Test {
 protected:
  ImageLanesTest()
      : memory_(GuestMemory::Reserve().value()),
        image_(memory_->Allocate(kBytes, "image").value()),
        states_{std::make_unique<WaveState>(), std::make_unique<WaveState>()} {}

  uint32_t Below(uint32_t n) { return static_cast<uint32_t>(random_() % n); }
  bool OneIn(uint32_t n) { return Below(n) == 0; }

  uint32_t Bits() {
    constexpr uint32_t kSpecial[] = {0,          0x80000000, 0x3F800000, 0xBF800000,
                                     0x7F800000, 0xFF800000, 0x7FC12345, 0xFFA00001,
                                     0x00000001, 0x3F000000, 0x7F7FFFFF, 0x00FF00FF};
    return OneIn(4) ? kSpecial[Below(std::size(kSpecial))] : static_cast<uint32_t>(random_());
  }

  void FillMemory() {
    auto* const dwords = reinterpret_cast<uint32_t*>(image_);
    for (uint64_t n = 0; n < kBytes / 4; ++n) dwords[n] = Bits();
  }

  // A format with numbers of its own, and DST_SEL that asks for what it has.
  void MakeResource(Generation generation, bool is_array, bool is_store, WaveState& state) {
    constexpr uint32_t kComponents[20] = {0, 1, 1, 2, 1, 2, 3, 3, 4, 4,
                                          4, 2, 4, 3, 4, 0, 3, 4, 4, 4};
    uint32_t format = 0;
    while (kComponents[format] == 0) format = Below(20);
    const uint32_t number = OneIn(8) ? 9 : Below(8);
    const uint32_t plain_types[] = {8, 9, 9, 10};
    const uint32_t type = is_array ? 12 + Below(2) : plain_types[Below(4)];
    const uint32_t width = 1 + Below(9), height = 1 + Below(7), depth = 1 + Below(4);
    uint32_t* const words = &state.sgpr[kResource];
    words[0] = static_cast<uint32_t>(image_ >> 8);
    words[1] = static_cast<uint32_t>(image_ >> 40) | format << 20 | number << 26;
    words[2] = (width - 1) | (height - 1) << 14;
    words[3] = type << 28 | (frontend::IsGfx9(generation) ? 0 : 8u << 20);
    for (uint32_t n = 0; n < 4; ++n) {
      const bool is_own = n < kComponents[format];
      const uint32_t other = OneIn(3) ? 4 + Below(kComponents[format]) : Below(2);
      words[3] |= (is_own && (is_store || !OneIn(4)) ? 4 + n : other) << 3 * n;
    }
    words[4] = (depth - 1) | (width - 1 + Below(3)) << 13;
    words[5] = frontend::IsGfx9(generation) ? 0 : (depth - 1) << 13;
    words[6] = words[7] = 0;
  }

  // Levels; they are placed as documents say by image_levels_test.cpp.
  void MakeLevels(Generation generation, WaveState& state) {
    constexpr uint32_t kBytes[20] = {0, 1, 2, 2, 4, 4, 4, 4, 4, 4, 4, 8, 8, 0, 16, 0, 2, 2, 2, 2};
    uint32_t* const words = &state.sgpr[kResource];
    const uint32_t bytes = kBytes[words[1] >> 20 & 0x3F];
    if (bytes == 0) return;
    const uint32_t type = words[3] >> 28;
    const uint32_t width = 1u << Below(4);
    const uint32_t height = type == 8 || type == 12 ? 1 : 1u << Below(4);
    const uint32_t depth = 1u << Below(3), last = 1 + Below(3), base = Below(last + 1);
    const uint32_t pitch = std::max({width, 8u, 64 / bytes, std::max(64u, 256 / bytes) / height});
    uint32_t rows = 0;
    for (uint32_t n = 0, of = height; n <= last; ++n, of = (of + 1) / 2) rows += of;
    const bool gfx9 = frontend::IsGfx9(generation);
    words[2] = (width - 1) | (height - 1) << 14;
    words[3] |= base << 12 | last << 16 | (gfx9 ? 0 : 1u << 25);
    words[4] = (depth - 1) | ((gfx9 ? rows : pitch) - 1) << 13;
    words[5] = gfx9 ? last << 28 : (depth - 1) << 13;
  }

  // 32 FLOAT, whose component all are.
  void MakeComparable(WaveState& state) {
    uint32_t* const words = &state.sgpr[kResource];
    words[1] = (words[1] & 0xFF) | 4 << 20 | 7 << 26;
    words[3] = (words[3] & ~0xFFFu) | 4 | 4 << 3 | 4 << 6 | 4 << 9;
    if (words[3] >> 28 == 10) words[3] ^= 2u << 28;
  }

  void MakeSampler(WaveState& state) {
    constexpr uint32_t kModes[] = {0, 1, 2, 3, 6, 7};
    uint32_t* const words = &state.sgpr[kSampler];
    const bool linear = OneIn(2);
    words[0] = Below(8) << 12 | uint32_t{OneIn(2)} << 15 | uint32_t{!linear && OneIn(3)} << 27;
    for (int axis = 0; axis < 3; ++axis) words[0] |= kModes[Below(6)] << 3 * axis;
    words[1] = 0xFFF << 12;
    words[2] = (linear ? 5u << 20 : 0) | (OneIn(3) ? 1u << 26 : 0);
    words[3] = Below(3) << 30;
  }

  uint32_t Coordinate(bool is_float, bool is_normalized) {
    if (OneIn(16)) return Bits();
    if (!is_float) return Below(10);
    // Some where two texels meet, or in the middle of one.
    const float texels =
        (OneIn(2) ? static_cast<float>(Below(80)) / 2 : static_cast<float>(Below(40 * 512)) / 512) -
        15;
    return std::bit_cast<uint32_t>(is_normalized ? texels / 6 : texels);
  }

  // Two coordinates of 16 bits.
  uint32_t CoordinatePair(bool is_float, bool is_normalized) {
    uint32_t pair = 0;
    for (int shift = 0; shift < 32; shift += 16) {
      const uint32_t wide = Coordinate(is_float, is_normalized);
      const uint32_t half = _cvtss_sh(std::bit_cast<float>(wide), _MM_FROUND_TO_NEAREST_INT);
      pair |= ((is_float ? half : wide) & 0xFFFF) << shift;
    }
    return pair;
  }

  // The words of the instruction, with its operands in both states.
  void Prepare(Generation generation, uint32_t (&code)[2]) {
    WaveState& state = *states_[0];
    for (uint32_t& reg : state.sgpr) reg = 0;
    constexpr uint32_t kOpcodes[] = {kLoad,         kLoadMip,     kStore,      kStore,
                                     kSample,       kSampleLevel, kSampleZero, kSampleZero,
                                     kCompareLevel, kCompareZero};
    const uint32_t opcode = kOpcodes[Below(std::size(kOpcodes))];
    const bool is_sample = opcode >= kSample, is_store = opcode == kStore;
    const bool da = OneIn(3);
    MakeResource(generation, da, is_store, state);
    if (opcode == kCompareLevel || opcode == kCompareZero) MakeComparable(state);
    if (OneIn(4)) MakeLevels(generation, state);
    MakeSampler(state);
    const bool normalized = (state.sgpr[kSampler] >> 15 & 1) == 0;
    const uint32_t dmask = is_store && OneIn(2) ? 15 : 1 + Below(15);
    const bool has_halves = frontend::IsGfx9(generation) && OneIn(4);
    code[0] = 0xF0000000 | opcode << 18 | uint32_t{has_halves} << 15 | uint32_t{da} << 14 |
              uint32_t{!is_sample} << 12 | dmask << 8;
    code[1] = kData << 8 | kResource / 4 << 16 | (is_sample ? kSampler / 4 << 21 : 0) |
              uint32_t{OneIn(4)} << 31;  // D16
    for (auto& reg : state.vgpr)
      for (uint32_t& lane : reg) lane = 0x5EED;
    for (int n = 0; n < 4; ++n) {
      for (int lane = 0; lane < 64; ++lane) {
        state.vgpr[n][lane] =
            has_halves ? CoordinatePair(is_sample, normalized) : Coordinate(is_sample, normalized);
        state.vgpr[kData + n][lane] = Bits();
      }
    }
    if (opcode == kCompareLevel || opcode == kCompareZero) {
      for (uint32_t& lane : state.vgpr[0]) lane = Bits();  // the reference
    }
    if (opcode == kLoadMip) std::fill_n(state.vgpr[2 + Below(2)], 64, 0);
    state.SetPair(frontend::kCodeExecLo, OneIn(3) ? ~uint64_t{0} : random_());
    state.mode = 0x3C0;
    state.vgpr_count = runtime::kMaxVgprs;
    std::memcpy(states_[1].get(), &state, sizeof state);
  }

  runtime::Wave WaveOf(WaveState& state) { return {state, group_, dispatch_}; }

  std::mt19937_64 random_{20};
  std::shared_ptr<GuestMemory> memory_;
  uint64_t image_;
  std::unique_ptr<WaveState> states_[2];
  runtime::WorkgroupState group_;
  runtime::DispatchState dispatch_;
};

TEST_F(ImageLanesTest, AsTheInterpreter) {
  constexpr int kTries = 6000;
  int done = 0;
  std::vector<std::byte> before(kBytes), after(kBytes);
  auto* const texels = reinterpret_cast<std::byte*>(image_);
  FillMemory();
  for (int n = 0; n < kTries; ++n) {
    const Generation generation = OneIn(2) ? Generation::kGfx906 : Generation::kGfx8;
    dispatch_.memory = memory_.get();
    dispatch_.processor = {generation, generation == Generation::kGfx906 && OneIn(2)};
    uint32_t code[2];
    Prepare(generation, code);
    const runtime::CodeSlot slot = runtime::DecodeSlot(dispatch_.processor, code);
    ASSERT_NE(slot.function, nullptr);
    std::memcpy(before.data(), texels, kBytes);
    runtime::ImageLanes lanes;
    runtime::Wave together = WaveOf(*states_[0]);
    if (!lanes.Run(together, slot)) {
      ASSERT_EQ(std::memcmp(before.data(), texels, kBytes), 0);
      ASSERT_EQ(std::memcmp(states_[0].get(), states_[1].get(), sizeof(WaveState)), 0);
      continue;
    }
    ++done;
    std::memcpy(after.data(), texels, kBytes);
    std::memcpy(texels, before.data(), kBytes);
    runtime::Wave one_by_one = WaveOf(*states_[1]);
    StepWave(one_by_one, slot);
    ASSERT_NE(one_by_one.event, WaveEvent::kFault) << one_by_one.fault.detail;
    const std::string what =
        std::string(slot.instruction.row().names) + ", try " + std::to_string(n);
    ASSERT_EQ(std::memcmp(after.data(), texels, kBytes), 0) << what;
    for (int reg = 0; reg < kData + 6; ++reg) {
      for (int lane = 0; lane < 64; ++lane) {
        ASSERT_EQ(states_[0]->vgpr[reg][lane], states_[1]->vgpr[reg][lane])
            << what << ", v" << reg << ", lane " << lane << std::hex << ", resource "
            << states_[0]->sgpr[kResource + 1] << " " << states_[0]->sgpr[kResource + 3]
            << ", sampler " << states_[0]->sgpr[kSampler] << " " << states_[0]->sgpr[kSampler + 2];
      }
    }
    ASSERT_EQ(states_[0]->pc, states_[1]->pc);
  }
  EXPECT_GT(done, kTries / 4);
}

// Quotients are rounded once: every number of up to 16 bits.
TEST_F(ImageLanesTest, EveryNormalisedNumber) {
  for (const auto& [bits, is_signed] : {std::pair{8, false},
                                        {8, true},
                                        {16, false},
                                        {16, true},
                                        {10, false},
                                        {10, true},
                                        {2, false},
                                        {5, false},
                                        {6, false}}) {
    runtime::ElementFormat format;
    format.components = 1;
    format.bits[0] = static_cast<uint8_t>(bits);
    format.number = is_signed ? runtime::NumberFormat::kSnorm : runtime::NumberFormat::kUnorm;
    for (uint32_t begin = 0; begin < 1u << bits; begin += 64) {
      runtime::LaneElements elements = {};
      for (uint32_t lane = 0; lane < 64; ++lane) elements.dwords[0].at[lane] = begin + lane;
      runtime::LaneDwords values;
      UnpackLanes(format, 0, elements, values);
      for (uint32_t lane = 0; lane < 64; ++lane) {
        const uint32_t element = begin + lane;
        ASSERT_EQ(values.at[lane], UnpackComponent(format, 0, &element)) << element << ", " << bits;
      }
    }
  }
}

// Nothing is done where not all of the image can be accessed, or not any more.
TEST_F(ImageLanesTest, InaccessibleImages) {
  dispatch_.memory = memory_.get();
  dispatch_.processor = {Generation::kGfx906};
  const uint32_t code[2] = {0xF0001F00, kData << 8 | kResource / 4 << 16};
  const runtime::CodeSlot slot = runtime::DecodeSlot(dispatch_.processor, code);
  WaveState& state = *states_[0];
  const uint64_t other = memory_->Allocate(kBytes, "other").value();
  const auto runs = [&](runtime::ImageLanes& lanes, uint32_t rows) {
    std::memset(&state, 0, sizeof state);
    state.SetPair(frontend::kCodeExecLo, ~uint64_t{0});
    state.vgpr_count = runtime::kMaxVgprs;
    state.sgpr[kResource] = static_cast<uint32_t>(other >> 8);
    state.sgpr[kResource + 1] = static_cast<uint32_t>(other >> 40) | 4 << 20 | 4 << 26;
    state.sgpr[kResource + 2] = 255 | (rows - 1) << 14;
    state.sgpr[kResource + 3] = 4 | 9u << 28;
    state.sgpr[kResource + 4] = 255 << 13;
    runtime::Wave wave = WaveOf(state);
    return lanes.Run(wave, slot);
  };
  runtime::ImageLanes lanes, smaller;
  EXPECT_FALSE(runs(lanes, kBytes / 1024 + 1));
  EXPECT_TRUE(runs(smaller, kBytes / 1024));
  ASSERT_TRUE(memory_->Free(other));
  EXPECT_FALSE(runs(smaller, kBytes / 1024));
}

}  // namespace
}  // namespace gcnjit::image_lanes_tests
