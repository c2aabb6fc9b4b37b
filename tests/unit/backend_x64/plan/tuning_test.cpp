#include "backend_x64/plan/tuning.h"

#include <gtest/gtest.h>

namespace gcnjit::backend {
namespace {

TEST(Tunings, EachProcessorHasOne) {
  for (const Tuning& tuning : Tunings()) EXPECT_EQ(FindTuning(tuning.name), &tuning);
  EXPECT_EQ(FindTuning("no such processor"), nullptr);
  EXPECT_EQ(Tunings().front().first_family, 0) << "the row of all others";
  EXPECT_EQ(FindTuning(HostTuning().name), &HostTuning());
}

}  // namespace
}  // namespace gcnjit::backend
