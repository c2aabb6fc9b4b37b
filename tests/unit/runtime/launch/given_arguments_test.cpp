// Arguments of kernels without metadata, and segments that are given as bytes.
#include "runtime/launch/given_arguments.h"

#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <vector>

#include "runtime/launch/kernarg.h"

namespace gcnjit::runtime {
namespace {

std::vector<uint32_t> Offsets(const Arguments& arguments) {
  std::vector<uint32_t> offsets;
  for (const ArgumentInfo& info : ArgumentsAsGiven(arguments)) offsets.push_back(info.offset);
  return offsets;
}

KernelInfo Bare() {
  KernelInfo kernel;
  kernel.name = "k";
  kernel.has_metadata = false;
  return kernel;
}

// As C lays out a struct of them.
TEST(GivenArgumentsTest, EachAtItsAlignment) {
  struct {
    uint8_t a;
    uint64_t buffer;
    uint16_t b;
    uint32_t lds;
    uint8_t c;
    double d;
    alignas(16) float e[4];
    uint8_t f[3];
    uint32_t g[3];
  } s;
  const auto at = [&](const auto& field) {
    return static_cast<uint32_t>(reinterpret_cast<const char*>(&field) -
                                 reinterpret_cast<const char*>(&s));
  };
  const auto arguments = Arguments()
                             .Value(uint8_t{1})
                             .Buffer(0x1000)
                             .Value(uint16_t{2})
                             .Local(64)
                             .Value(uint8_t{3})
                             .Value(1.0)
                             .Value(std::array<float, 4>{})
                             .Value(std::array<uint8_t, 3>{})
                             .Value(std::array<uint32_t, 3>{});
  EXPECT_EQ(Offsets(arguments),
            (std::vector<uint32_t>{at(s.a), at(s.buffer), at(s.b), at(s.lds), at(s.c), at(s.d),
                                   at(s.e), at(s.f), at(s.g)}));
  EXPECT_EQ(GivenKernargBytes(Bare(), arguments), at(s.g) + sizeof s.g);
  // Longer ones, of which no type is known, are aligned to 16 at most.
  EXPECT_EQ(Offsets(Arguments().Value(uint8_t{1}).Value(std::array<uint8_t, 64>{})),
            (std::vector<uint32_t>{0, 16}));
}

TEST(GivenArgumentsTest, TheSegmentHasThemAndTheRestIsZeros) {
  const auto arguments = Arguments().Value(uint32_t{7}).Buffer(0x123456789ABC).Local(100);
  KernelInfo kernel = Bare();
  kernel.group_segment_size = 12;
  const auto segment = BuildKernarg(kernel, LaunchConfig(), arguments, 40, {});
  ASSERT_TRUE(segment.ok()) << segment.error().message;
  ASSERT_EQ(segment->bytes.size(), 40u) << "as many as the descriptor says";
  struct {
    uint32_t value;
    uint32_t gap;
    uint64_t buffer;
    uint32_t lds;
    uint32_t rest[5];
  } found;
  std::memcpy(&found, segment->bytes.data(), sizeof found);
  EXPECT_EQ(found.value, 7u);
  EXPECT_EQ(found.gap, 0u);
  EXPECT_EQ(found.buffer, 0x123456789ABCu);
  EXPECT_EQ(found.lds, 16u);  // after the kernel's own 12 bytes
  for (const uint32_t word : found.rest) EXPECT_EQ(word, 0u);
  EXPECT_EQ(segment->dynamic_lds_bytes, 104u);
  const auto longer = BuildKernarg(kernel, LaunchConfig(), arguments, 8, {});
  EXPECT_EQ(longer->bytes.size(), 20u);
}

TEST(GivenArgumentsTest, BytesAreTheWholeSegment) {
  const std::vector<std::byte> bytes(24, std::byte{0xAB});
  // A kernel of two arguments, one of them hidden.
  KernelInfo described;
  described.name = "k";
  described.kernarg_segment_size = 16;
  described.arguments.resize(2);
  described.arguments[0].size = 8;
  described.arguments[1].kind = ArgumentKind::kHidden;
  described.arguments[1].value_kind = "hidden_global_offset_x";
  described.arguments[1].offset = described.arguments[1].size = 8;
  for (const KernelInfo& kernel : {Bare(), described}) {
    const auto segment = BuildKernarg(kernel, LaunchConfig(), Arguments().Segment(bytes), 0, {});
    ASSERT_TRUE(segment.ok()) << segment.error().message;
    EXPECT_EQ(segment->bytes, bytes) << "hidden arguments are not filled in";
    // Others are written over it.
    const auto both =
        BuildKernarg(kernel, LaunchConfig(), Arguments().Value(uint64_t{5}).Segment(bytes), 0, {});
    ASSERT_TRUE(both.ok()) << both.error().message;
    EXPECT_EQ(both->bytes[0], std::byte{5});
    EXPECT_EQ(both->bytes[7], std::byte{0});
    EXPECT_EQ(both->bytes[8], std::byte{0xAB});
  }
  const auto two = Arguments().Value(uint64_t{5}).Value(uint64_t{6}).Segment(bytes);
  EXPECT_FALSE(BuildKernarg(described, LaunchConfig(), two, 0, {}).ok());
}

TEST(GivenArgumentsTest, TooManyAreRefused) {
  const std::vector<std::byte> large((1 << 20) + 1);
  EXPECT_FALSE(BuildKernarg(Bare(), LaunchConfig(), Arguments().Bytes(large), 0, {}).ok());
  EXPECT_FALSE(BuildKernarg(Bare(), LaunchConfig(), Arguments().Segment(large), 0, {}).ok());
  Arguments many;
  for (int n = 0; n < 5; ++n) many.Bytes(std::span(large).first(1 << 18));
  EXPECT_FALSE(BuildKernarg(Bare(), LaunchConfig(), many, 0, {}).ok());
}

}  // namespace
}  // namespace gcnjit::runtime
