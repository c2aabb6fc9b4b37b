// Checks where memory is shared: what the host has mapped is the kernel's, allocations are still
// checked to the byte.
#include <numeric>

#include "tests/shared_memory/fixture.h"

namespace gcnjit {
namespace {

class CheckTest : public SharedMemoryTest {
 protected:
  // Of 64 work-items.
  std::vector<Finding> FindingsOf(const char* kernel, const Arguments& arguments) {
    LaunchConfig config;
    config.global.x = config.local.x = 64;
    config.check = kCheckAll;
    const auto result = Launch(*device_, *program_, kernel, config, arguments);
    EXPECT_TRUE(result) << result.error().message;
    return result ? result->findings : std::vector<Finding>();
  }
};

TEST_P(CheckTest, HostMemoryIsTheKernels) {
  std::vector<uint32_t> in(64), out(64);
  std::iota(in.begin(), in.end(), 7u);
  EXPECT_TRUE(
      FindingsOf("add_one", Arguments().Buffer(AddressOf(out.data())).Buffer(AddressOf(in.data())))
          .empty());
  for (uint32_t n = 0; n < 64; ++n) ASSERT_EQ(out[n], in[n] + 1);
  uint32_t counter = 0;
  EXPECT_TRUE(
      FindingsOf("count", Arguments().Buffer(AddressOf(&counter)).Buffer(AddressOf(out.data())))
          .empty());
  EXPECT_EQ(counter, 64u);
}

TEST_P(CheckTest, AllocationsEndWhereTheyEnd) {
  std::vector<uint32_t> in(64);
  const uint64_t out = *device_->Allocate(62 * 4);
  const auto findings = FindingsOf("add_one", Arguments().Buffer(out).Buffer(AddressOf(in.data())));
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].kind, FindingKind::kOutOfBounds);
  EXPECT_EQ(findings[0].address, out + 62 * 4);
  EXPECT_EQ(findings[0].count, 2u);
}

TEST_P(CheckTest, HostMemoryEndsToo) {
  const HostPages in(1), out(3);
  out.Unmap(1, 2);
  const auto findings = FindingsOf(
      "add_one", Arguments().Buffer(out.address() + kPage - 40 * 4).Buffer(in.address()));
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].kind, FindingKind::kOutOfBounds);
  EXPECT_EQ(findings[0].address, out.address() + kPage);
  EXPECT_NE(findings[0].place.find("the host's memory"), std::string::npos) << findings[0].place;
}

TEST_P(CheckTest, HostMemoryMayBeReadOnly) {
  const HostPages in(1), out(1, PROT_READ);
  for (const char* kernel : {"add_one", "count"}) {
    const auto findings =
        FindingsOf(kernel, Arguments().Buffer(out.address()).Buffer(in.address()));
    ASSERT_EQ(findings.size(), 1u) << kernel;
    EXPECT_EQ(findings[0].kind, FindingKind::kReadOnlyWrite);
  }
}

TEST_P(CheckTest, NullPointer) {
  const HostPages in(1);
  const auto findings = FindingsOf("add_one", Arguments().Buffer(0).Buffer(in.address()));
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].kind, FindingKind::kNullPointer);
}

INSTANTIATE_TEST_SUITE_P(All, CheckTest,
                         testing::Combine(testing::Values(Engine::kInterpreter),
                                          testing::Values("gfx700", "gfx803", "gfx900")),
                         EngineAndTargetName);

}  // namespace
}  // namespace gcnjit
