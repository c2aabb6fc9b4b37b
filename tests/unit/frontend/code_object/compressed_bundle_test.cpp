// Compressed offload bundles of all versions and methods.
#include "frontend/code_object/compressed_bundle.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "frontend/code_object/bundle.h"
#include "gcnjit/device.h"
#include "gcnjit/program.h"
#include "runtime/program/loaded_program.h"
#include "tests/offload_bundles.h"
#include "tests/unit/code_object_files.h"
#include "tests/unit/frontend/code_object/hip_items.h"

namespace gcnjit {
namespace {

using frontend::ListBundle;
using frontend::SelectCodeObjects;
using File = std::vector<std::byte>;

using bundles::Bundle;
using bundles::Compress;
using bundles::kZlib;
using bundles::kZstd;
using bundles::Put;
using bundles::Squeeze;
using bundles::WithHeader;

File TwoTargets() {
  return Bundle({kHostItem, HipItem("gfx803", "loader_gfx803_v4.co"),
                 HipItem("gfx900", "loader_gfx900_v4.co")});
}

std::string MessageOf(const File& file) {
  auto device = *Device::Create();
  const auto program = Program::Load(device, file);
  return program.ok() ? "loaded" : program.error().message;
}

void ExpectRefused(const File& file, const char* words) {
  EXPECT_NE(MessageOf(file).find(words), std::string::npos) << MessageOf(file);
}

class CompressedBundleTest : public testing::TestWithParam<std::tuple<int, uint16_t>> {
 protected:
  const int version_ = std::get<0>(GetParam());
  const uint16_t method_ = std::get<1>(GetParam());
};

INSTANTIATE_TEST_SUITE_P(Formats, CompressedBundleTest,
                         testing::Combine(testing::Values(1, 2, 3), testing::Values(kZlib, kZstd)),
                         [](const auto& info) {
                           return "v" + std::to_string(std::get<0>(info.param)) +
                                  (std::get<1>(info.param) == kZlib ? "zlib" : "zstd");
                         });

TEST_P(CompressedBundleTest, EntriesAreListedChosenAndLoaded) {
  const File file = Compress(TwoTargets(), version_, method_);
  const auto entries = ListBundle(file);
  ASSERT_TRUE(entries.ok()) << entries.error().message;
  ASSERT_EQ(entries->size(), 2u);
  EXPECT_EQ((*entries)[1].id, "hipv4-amdgcn-amd-amdhsa--gfx900");
  EXPECT_EQ((*entries)[1].target, "gfx900");
  const auto chosen = SelectCodeObjects(file, "gfx900");
  ASSERT_TRUE(chosen.ok()) << chosen.error().message;
  ASSERT_EQ(chosen->size(), 1u);
  EXPECT_EQ((*chosen)[0].number, (*entries)[1].number);
  EXPECT_TRUE(std::ranges::equal((*chosen)[0].contents, ReadTestFile("loader_gfx900_v4.co")));
  auto device = *Device::Create();
  for (const char* target : {"", "gfx803", "gfx900"}) {
    const auto program = Program::Load(device, file, target);
    ASSERT_TRUE(program.ok()) << program.error().message;
    EXPECT_EQ(program->internal()->target(), *target == '\0' ? "gfx803" : target);
    EXPECT_TRUE(program->FindKernel("copy").ok());
  }
  const auto other = Program::Load(device, file, "gfx906");
  ASSERT_FALSE(other.ok());
  EXPECT_NE(other.error().message.find("gfx803"), std::string::npos) << "says what there is";
}

// The linker puts the bundles of a program's files one after the other; one may be plain.
TEST_P(CompressedBundleTest, SeveralInARow) {
  File file = Compress(TwoTargets(), version_, method_);
  file.resize((file.size() + 4095) / 4096 * 4096);
  Put(file, Bundle({HipItem("gfx900", "descriptor_v4.co")}));
  file.resize((file.size() + 4095) / 4096 * 4096);
  Put(file, Compress(Bundle({HipItem("gfx900", "half_described.co")}), 3, kZstd));
  const auto entries = ListBundle(file);
  ASSERT_TRUE(entries.ok()) << entries.error().message;
  ASSERT_EQ(entries->size(), 4u);
  EXPECT_EQ((*entries)[3].bundle, 2u);
  auto device = *Device::Create();
  const auto program = Program::Load(device, file, "gfx900");
  ASSERT_TRUE(program.ok()) << program.error().message;
  for (const char* kernel : {"copy", "probe", "described"}) {
    EXPECT_TRUE(program->FindKernel(kernel).ok()) << kernel;
  }
}

TEST_P(CompressedBundleTest, EveryTruncationIsRefused) {
  const File file = Compress(TwoTargets(), version_, method_);
  for (size_t size = 4; size < file.size(); size += size < 64 ? 1 : 13) {
    const File cut(file.begin(), file.begin() + static_cast<ptrdiff_t>(size));
    EXPECT_NE(MessageOf(cut), "loaded") << size;
  }
}

TEST_P(CompressedBundleTest, SizesMustBeTrue) {
  const File plain = TwoTargets();
  const File packed = Squeeze(plain, method_);
  for (const uint64_t wrong : {plain.size() - 1, plain.size() + 1, size_t{1}, size_t{0}}) {
    EXPECT_NE(MessageOf(WithHeader(packed, wrong, version_, method_)), "loaded") << wrong;
  }
  ExpectRefused(WithHeader(packed, 0xFFFFFFFF, version_, method_), "unpacks to more");
  ExpectRefused(Compress(ReadTestFile("loader_gfx900_v4.co"), version_, method_), "is no bundle");
  File other_method = Compress(plain, version_, method_);
  other_method[6] = std::byte{2};
  ExpectRefused(other_method, "method 2");
  other_method[6] = static_cast<std::byte>(1 - method_);
  ExpectRefused(other_method, "does not unpack");
}

// A bundle for many targets, which are much alike: within the limits, and a larger one is not.
TEST_P(CompressedBundleTest, TheBudgetLimitsWhatIsUnpacked) {
  for (const size_t mebibytes : {30, 80}) {
    bundles::Item large = HipItem("gfx1030", "loader_gfx1030.co");
    large.contents.resize(mebibytes << 20);
    const File file =
        Compress(Bundle({HipItem("gfx900", "loader_gfx900_v4.co"), large}), version_, method_);
    if (mebibytes == 30) {
      EXPECT_EQ(MessageOf(file), "loaded");
    } else {
      EXPECT_NE(MessageOf(file), "loaded");
    }
  }
}

TEST(CompressedBundleTest, UnknownVersions) {
  File file = Compress(TwoTargets(), 3, kZstd);
  for (const int version : {0, 4}) {
    file[4] = static_cast<std::byte>(version);
    ExpectRefused(file, "has version");
  }
}

// Magic within compressed bytes is no bundle's: here in a frame that decompressors skip
// (RFC 8878, "Skippable Frames").
TEST(CompressedBundleTest, MagicInsideIsNotLookedAt) {
  File packed;
  Put(packed, uint32_t{0x184D2A50});
  Put(packed, uint32_t{28});
  Put(packed, std::string_view("CCOB__CLANG_OFFLOAD_BUNDLE__"));
  Put(packed, Squeeze(TwoTargets(), kZstd));
  for (const int version : {2, 3}) {
    EXPECT_EQ(MessageOf(WithHeader(packed, TwoTargets().size(), version, kZstd)), "loaded");
  }
}

}  // namespace
}  // namespace gcnjit
