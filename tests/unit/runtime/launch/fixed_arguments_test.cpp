// Arguments that compiled code may load once for all waves.
#include "runtime/launch/fixed_arguments.h"

#include <gtest/gtest.h>

namespace gcnjit::runtime {
namespace {

class FixedArguments : public testing::Test {
 protected:
  static constexpr uint64_t kPage = GuestMemory::kPageBytes;

  std::shared_ptr<GuestMemory> memory_ = *GuestMemory::Reserve();
  const uint64_t pages_ = *memory_->Allocate(2 * kPage, "arguments");
};

TEST_F(FixedArguments, AreAllOrNone) {
  EXPECT_EQ(FixedArgumentBytes(*memory_, pages_, 0), 0u);
  EXPECT_EQ(FixedArgumentBytes(*memory_, pages_ + 16, 40), 40u);
  EXPECT_EQ(FixedArgumentBytes(*memory_, pages_, 2 * kPage), 2 * kPage);
  EXPECT_EQ(FixedArgumentBytes(*memory_, pages_ + 2 * kPage - 64, 64), 64u);
  EXPECT_EQ(FixedArgumentBytes(*memory_, pages_ + 2 * kPage - 64, 68), 0u);
  EXPECT_EQ(FixedArgumentBytes(*memory_, pages_ + kPage, 2 * kPage), 0u);
}

TEST_F(FixedArguments, AreNoneWhereNothingIs) {
  const int of_the_host = 0;
  for (const uint64_t address :
       {uint64_t{0}, uint64_t{16}, ~uint64_t{0} - 15, reinterpret_cast<uint64_t>(&of_the_host)}) {
    EXPECT_EQ(FixedArgumentBytes(*memory_, address, 4), 0u) << address;
  }
  ASSERT_TRUE(memory_->Protect(pages_ + kPage, kPage, GuestMemory::Access::kNone).ok());
  EXPECT_EQ(FixedArgumentBytes(*memory_, pages_, kPage), kPage);
  EXPECT_EQ(FixedArgumentBytes(*memory_, pages_ + kPage - 4, 8), 0u);
}

}  // namespace
}  // namespace gcnjit::runtime
