#include "frontend/code_object/load_budget.h"

#include <gtest/gtest.h>

#include <chrono>
#include <thread>

namespace gcnjit::frontend {
namespace {

TEST(LoadBudgetTest, MemoryEndsWithTheLastByte) {
  constexpr uint64_t kFileBytes = 1000;
  constexpr uint64_t kMost = LoadBudget::kFreeBytes + LoadBudget::kBytesPerFileByte * kFileBytes;
  LoadBudget budget(kFileBytes);
  EXPECT_TRUE(budget.Keep(kMost - 1));
  EXPECT_TRUE(budget.Keep(1));
  EXPECT_FALSE(budget.is_spent());
  EXPECT_FALSE(budget.Keep(1));
  EXPECT_TRUE(budget.is_spent());
  EXPECT_EQ(budget.error().code, ErrorCode::kInvalidCodeObject);
  EXPECT_NE(budget.error().message.find("bytes of memory"), std::string::npos);
}

TEST(LoadBudgetTest, StepsEndWithTheLastOne) {
  LoadBudget budget(1000);
  EXPECT_TRUE(budget.Look(LoadBudget::kFreeSteps + LoadBudget::kStepsPerFileByte * 1000));
  EXPECT_FALSE(budget.Look(1));
  EXPECT_EQ(budget.error().code, ErrorCode::kInvalidCodeObject);
  EXPECT_NE(budget.error().message.find("steps"), std::string::npos);
}

TEST(LoadBudgetTest, NumbersDoNotWrapAround) {
  LoadBudget budget(1000);
  EXPECT_FALSE(budget.Keep(UINT64_MAX));
  LoadBudget other(1000);
  EXPECT_FALSE(other.Look(UINT64_MAX));
}

TEST(LoadBudgetTest, OnceSpentItStaysSo) {
  LoadBudget budget(1000);
  EXPECT_FALSE(budget.Keep(UINT64_MAX));
  EXPECT_FALSE(budget.Keep(1));
  EXPECT_FALSE(budget.Look(1));
  EXPECT_NE(budget.error().message.find("bytes of memory"), std::string::npos)
      << "the first reason";
}

// What is unpacked for a while counts together with what is kept, until it is given back.
TEST(LoadBudgetTest, WhatIsLentComesBack) {
  constexpr uint64_t kFileBytes = 1000;
  constexpr uint64_t kMost =
      LoadBudget::kFreeUnpackedBytes + LoadBudget::kUnpackedPerFileByte * kFileBytes;
  LoadBudget budget(kFileBytes);
  EXPECT_TRUE(budget.Keep(1000));
  EXPECT_TRUE(budget.Lend(kMost - 1000));
  budget.TakeBack(kMost - 1000);
  EXPECT_TRUE(budget.Lend(kMost - 1001));
  EXPECT_TRUE(budget.Keep(1));
  EXPECT_FALSE(budget.Keep(1)) << "not while so much is lent";
  LoadBudget other(kFileBytes);
  EXPECT_FALSE(other.Lend(kMost + 1));
  EXPECT_NE(other.error().message.find("unpacks to more"), std::string::npos);
  other.TakeBack(kMost);
  EXPECT_FALSE(other.Lend(1)) << "once spent it stays so";
}

TEST(LoadBudgetTest, TimeIsLookedAt) {
  LoadBudget budget(1000, 0.001);
  std::this_thread::sleep_for(std::chrono::milliseconds(2));
  EXPECT_FALSE(budget.Look(1));
  EXPECT_EQ(budget.error().code, ErrorCode::kTimeout);
  EXPECT_NE(budget.error().message.find("0.001 s"), std::string::npos) << budget.error().message;
  EXPECT_FALSE(budget.Look(0));
}

// A file of few steps is in time too rarely to be noticed otherwise.
TEST(LoadBudgetTest, TimeIsLookedAtAgainAndAgain) {
  LoadBudget budget(1 << 20, 0.05);
  EXPECT_TRUE(budget.Look(1));
  std::this_thread::sleep_for(std::chrono::milliseconds(60));
  bool in_time = true;
  for (int n = 0; n < 100'000 && in_time; ++n) in_time = budget.Look(1);
  EXPECT_FALSE(in_time);
}

TEST(LoadBudgetTest, NoTimeIsNoLimit) {
  for (const double seconds : {0.0, 1e300}) {
    LoadBudget budget(1000, seconds);
    EXPECT_TRUE(budget.Look(100'000));
  }
}

}  // namespace
}  // namespace gcnjit::frontend
