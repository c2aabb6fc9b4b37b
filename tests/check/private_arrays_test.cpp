// Overruns of private arrays are found on every target, however the compiler reaches scratch:
// width x kind of access x optimisation x index. Before gfx9 the hardware drops most of them
// without a word: the range check of scratch's buffer resource does (LLVM AMDGPUUsage, "Private
// Segment Buffer"; buffer_resource.h).
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "gcnjit/gcnjit.h"

namespace gcnjit::check_tests {
namespace {

constexpr int kElements = 16;

std::vector<std::byte> ReadObject(const std::string& target, const std::string& level) {
  std::ifstream file(GCNJIT_CHECK_OBJECTS "/private_arrays." + target + "." + level + ".co",
                     std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(file), {}};
  const auto* begin = reinterpret_cast<const std::byte*>(bytes.data());
  return {begin, begin + bytes.size()};
}

class PrivateArraysTest : public testing::TestWithParam<const char*> {
 protected:
  LaunchResult Run(const Program& program, const std::string& kernel, int index) {
    LaunchConfig config;
    config.global.x = config.local.x = 64;
    config.check = kCheckAll;
    auto result = Launch(device_, program, kernel, config, Arguments().Buffer(out_).Value(index));
    EXPECT_TRUE(result) << result.error().message;
    return result ? std::move(*result) : LaunchResult();
  }

  void CheckKernel(const Program& program, const KernelInfo& kernel) {
    const int bytes = std::stoi(kernel.name.substr(kernel.name.rfind('_') + 1));
    for (const int index : {0, kElements - 1}) {
      const LaunchResult result = Run(program, kernel.name, index);
      EXPECT_EQ(static_cast<int>(result.status), static_cast<int>(LaunchStatus::kDone)) << index;
      EXPECT_TRUE(result.findings.empty()) << index << ": " << result.findings[0].Describe();
    }
    // The array lies anywhere in the work-item's scratch: such indices are beyond it for certain.
    const int beyond = (static_cast<int>(kernel.private_segment_size) + bytes - 1) / bytes;
    for (const int index : {beyond, beyond + 300, 1 << 20, 1 << 26, -beyond - 1, -(1 << 20)}) {
      const LaunchResult result = Run(program, kernel.name, index);
      const auto found = std::find_if(
          result.findings.begin(), result.findings.end(),
          [](const Finding& finding) { return finding.kind == FindingKind::kScratchOutOfBounds; });
      ASSERT_NE(found, result.findings.end()) << "nothing for index " << index << " of "
                                              << kernel.private_segment_size << " bytes of scratch";
      EXPECT_EQ(found->site.lane, 0);
      // Private memory is a work-item's own: compilers make a load and a store of an atomic.
      const bool loads = !kernel.name.starts_with("store") && !kernel.name.starts_with("generic");
      EXPECT_EQ(found->site.access, loads ? "read" : "write");
      EXPECT_NE(found->detail.find("a work-item has"), std::string::npos) << found->Describe();
      ++overruns_;
    }
  }

  Device device_ = *Device::Create();
  uint64_t out_ = *device_.Allocate(64 * 16);
  int overruns_ = 0;
};

TEST_P(PrivateArraysTest, OverrunsAreFound) {
  const std::string target = GetParam();
  for (const std::string level : {"O0", "O1", "O2"}) {
    const auto program = Program::Load(device_, ReadObject(target, level));
    ASSERT_TRUE(program) << program.error().message;
    ASSERT_EQ(program->Kernels().size(), target.starts_with("gfx6") ? 11u : 16u);
    for (const KernelInfo& kernel : program->Kernels()) {
      SCOPED_TRACE(target + " " + level + " " + kernel.name);
      CheckKernel(*program, kernel);
      if (HasFatalFailure()) return;
    }
  }
  RecordProperty("overruns", overruns_);
}

INSTANTIATE_TEST_SUITE_P(Targets, PrivateArraysTest,
                         testing::Values("gfx600", "gfx701", "gfx803", "gfx900", "gfx906"),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace gcnjit::check_tests
