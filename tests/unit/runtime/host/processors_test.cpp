#include "runtime/host/processors.h"

#include <gtest/gtest.h>
#include <sched.h>
#include <unistd.h>

#include <thread>

namespace gcnjit {
namespace {

class ProcessorsTest : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(sched_getaffinity(getpid(), sizeof before_, &before_), 0);
    CPU_ZERO(&one_);
    for (int n = 0; n < CPU_SETSIZE && CPU_COUNT(&one_) == 0; ++n) {
      if (CPU_ISSET(n, &before_)) CPU_SET(n, &one_);
    }
  }
  void TearDown() override { sched_setaffinity(getpid(), sizeof before_, &before_); }

  cpu_set_t before_;
  cpu_set_t one_;
};

TEST_F(ProcessorsTest, AreThoseThatTheProcessMayUse) {
  EXPECT_EQ(runtime::UsableProcessors(), static_cast<unsigned>(CPU_COUNT(&before_)));
  ASSERT_EQ(sched_setaffinity(getpid(), sizeof one_, &one_), 0);
  EXPECT_EQ(runtime::UsableProcessors(), 1u);
}

TEST_F(ProcessorsTest, ABoundThreadDoesNotCount) {
  unsigned found = 0;
  std::thread([&] {
    ASSERT_EQ(sched_setaffinity(0, sizeof one_, &one_), 0);
    found = runtime::UsableProcessors();
  }).join();
  EXPECT_EQ(found, static_cast<unsigned>(CPU_COUNT(&before_)));
}

}  // namespace
}  // namespace gcnjit
