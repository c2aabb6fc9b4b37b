// Which groups run when some of them wait: GroupTurns, asked as host threads ask it.
#include "runtime/schedule/group_turns.h"

#include <gtest/gtest.h>

#include <vector>

namespace gcnjit::runtime {
namespace {

using Next = GroupTurns::Next;

class GroupTurnsTest : public testing::Test {
 protected:
  GroupTurns Turns(uint64_t total, uint64_t resident, unsigned workers = 1) {
    launch_.resident_groups = resident;
    return {launch_, *memory_, total, workers, /*waves_of_group=*/1, /*scratch_of_group=*/0};
  }
  static ResidentGroup Group(uint64_t number) {
    ResidentGroup group;
    group.number = number;
    return group;
  }
  // Worker 0 has group `number`, which waits. What it runs next; the group is kept.
  static uint64_t AfterWaiting(GroupTurns& turns, uint64_t number) {
    GroupTurns::Choice choice = turns.Choose(0, GroupTurns::Running{number, /*waits=*/true});
    if (choice.next == Next::kSame) return number;
    turns.Keep(Group(number));
    EXPECT_TRUE(choice.next == Next::kNew || choice.next == Next::kOther);
    return choice.next == Next::kNew ? choice.number : choice.group.number;
  }

  const std::shared_ptr<GuestMemory> memory_ = *GuestMemory::Reserve();
  LaunchState launch_;
};

TEST_F(GroupTurnsTest, AloneAGroupGoesOn) {
  GroupTurns turns = Turns(1, 100);
  turns.next() = 1;
  EXPECT_EQ(AfterWaiting(turns, 0), 0u);
  EXPECT_FALSE(turns.some_aside());
}

TEST_F(GroupTurnsTest, AllThatAreResidentBegin) {
  constexpr uint64_t kResident = 20;
  GroupTurns turns = Turns(100, kResident);
  turns.next() = 1;
  std::vector<int> turns_of(100);
  uint64_t number = 0;
  for (int n = 0; n < 400; ++n) {
    number = AfterWaiting(turns, number);
    ++turns_of[number];
  }
  for (uint64_t group = 0; group < 100; ++group) {
    EXPECT_EQ(turns_of[group] > 5, group < kResident) << group;
  }
  EXPECT_TRUE(turns.some_aside());
}

// As one ends, the next begins.
TEST_F(GroupTurnsTest, InTheirOrder) {
  GroupTurns turns = Turns(10, 3);
  turns.next() = 1;
  uint64_t number = 0;
  for (int n = 0; n < 30; ++n) number = AfterWaiting(turns, number);
  EXPECT_EQ(turns.next(), 3u);
  ++turns.done();
  GroupTurns::Choice choice = turns.Choose(0, std::nullopt);
  while (choice.next == Next::kOther) {
    turns.Keep(std::move(choice.group));
    choice = turns.Choose(0, std::nullopt);
  }
  EXPECT_EQ(choice.next, Next::kNew);
  EXPECT_EQ(choice.number, 3u);
}

// A thread had taken groups 0 to 9, others later ones, when it found the first one waiting.
TEST_F(GroupTurnsTest, WhatIsGivenBackComesFirst) {
  GroupTurns turns = Turns(1000, 4);
  turns.next() = 10;
  turns.GiveBack(1, 10);
  EXPECT_TRUE(turns.some_aside());
  uint64_t number = 0;
  std::vector<bool> began(1000);
  for (int n = 0; n < 30; ++n) {
    number = AfterWaiting(turns, number);
    began[number] = true;
  }
  EXPECT_TRUE(began[1] && began[2] && began[3]);
  EXPECT_FALSE(began[4] || began[10]);
  EXPECT_EQ(turns.next(), 10u);
}

// A later group that has begun keeps none before it from beginning.
TEST_F(GroupTurnsTest, LaterGroupsDoNotCount) {
  GroupTurns turns = Turns(1000, 4, /*workers=*/2);
  turns.next() = 20;  // 0 to 9 are taken by worker 0, 10 to 19 by worker 1
  turns.GiveBack(11, 20);
  EXPECT_EQ(turns.Choose(1, GroupTurns::Running{10, true}).next, Next::kSame);
  turns.GiveBack(1, 10);
  uint64_t number = 0;
  std::vector<bool> began(1000);
  for (int n = 0; n < 30; ++n) {
    number = AfterWaiting(turns, number);
    began[number] = true;
  }
  EXPECT_TRUE(began[1] && began[2] && began[3]);
  EXPECT_FALSE(began[4] || began[11] || began[20]);
}

TEST_F(GroupTurnsTest, EveryGroupHasItsScratch) {
  launch_.resident_groups = 100;
  launch_.scratch_total = 8 * 4096;
  launch_.scratch_base = *memory_->Allocate(4096, "scratch", GuestMemory::Access::kReadWrite, 4096,
                                            GuestMemory::Pages::kHugeIfLarge, 8 * 4096);
  GroupTurns turns(launch_, *memory_, 1000, 1, 1, 4096);
  turns.next() = 1;
  std::vector<bool> is_used(8);
  is_used[0] = true;
  uint64_t number = 0;
  for (int n = 0; n < 100; ++n) {
    GroupTurns::Choice choice = turns.Choose(0, GroupTurns::Running{number, true});
    ASSERT_NE(choice.next, Next::kSame);
    turns.Keep(Group(number));
    number = choice.next == Next::kNew ? choice.number : choice.group.number;
    if (choice.next != Next::kNew) continue;
    const uint64_t offset = choice.space.scratch_offset;
    ASSERT_LT(offset, 8u * 4096);
    EXPECT_FALSE(is_used[offset / 4096]);
    is_used[offset / 4096] = true;
    EXPECT_TRUE(memory_->Writable(launch_.scratch_base + offset, 64));
  }
  // No more than there is scratch for.
  EXPECT_EQ(turns.next(), 8u);
  EXPECT_FALSE(memory_->Writable(launch_.scratch_base + 8 * 4096, 1));
}

TEST_F(GroupTurnsTest, WhatIsLeft) {
  GroupTurns turns = Turns(10, 3);
  turns.next() = 1;
  uint64_t number = 0;
  for (int n = 0; n < 30; ++n) number = AfterWaiting(turns, number);
  turns.Stop(/*waits=*/true);
  const UnfinishedGroups left = turns.Unfinished();
  EXPECT_EQ(left.begun, 3u);
  EXPECT_EQ(left.resident, 3u);
  EXPECT_EQ(left.not_begun, 7u);
  EXPECT_EQ(left.total, 10u);
}

}  // namespace
}  // namespace gcnjit::runtime
