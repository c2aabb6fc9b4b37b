// Objects of host threads (runtime/host/per_thread.h).
#include "runtime/host/per_thread.h"

#include <gtest/gtest.h>

#include <atomic>
#include <new>
#include <thread>

namespace gcnjit::runtime {
namespace {

struct Counted {
  static inline std::atomic<int> alive = 0;
  int value = 0;
  Counted() { ++alive; }
  ~Counted() { --alive; }
};

struct Refused {
  static inline int attempts = 0;
  Refused() {
    if (++attempts == 1) throw std::bad_alloc();
  }
};

TEST(PerThreadTest, EachThreadHasItsOwnUntilItEnds) {
  using Object = PerThread<Counted>;
  Object::Current().value = 1;
  EXPECT_EQ(&Object::Current(), &Object::Current());
  EXPECT_EQ(Counted::alive, 1);
  std::thread([] {
    EXPECT_EQ(Object::Current().value, 0);
    Object::Current().value = 2;
    EXPECT_EQ(Counted::alive, 2);
  }).join();
  EXPECT_EQ(Counted::alive, 1);
  EXPECT_EQ(Object::Current().value, 1);
}

TEST(PerThreadTest, AThreadThatDoesNotAskHasNone) {
  struct Unused : Counted {};
  const int before = Counted::alive;
  std::thread([] {}).join();
  EXPECT_EQ(Counted::alive, before);
  EXPECT_EQ(PerThread<Unused>::Current().value, 0);
  EXPECT_EQ(Counted::alive, before + 1);
}

TEST(PerThreadTest, AnObjectThatCannotBeMadeIsMadeTheNextTime) {
  EXPECT_THROW(PerThread<Refused>::Current(), std::bad_alloc);
  PerThread<Refused>::Current();
  PerThread<Refused>::Current();
  EXPECT_EQ(Refused::attempts, 2);
}

}  // namespace
}  // namespace gcnjit::runtime
