// Host threads that help with a launch (runtime/schedule/worker_pool.h). Hosts that give none:
// tests/robustness/exhaustion_test.cpp.
#include "runtime/schedule/worker_pool.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <mutex>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace gcnjit::runtime {
namespace {

// Run with other threads from the beginning.
void RunTogether(unsigned count, const std::function<void(unsigned)>& work) {
  WorkerPool::Instance().Run(count, [&](unsigned number, WorkerPool::Job& job) {
    if (number == 0) job.Invite();
    work(number);
  });
}

// False: it has not become true in a long time.
bool Comes(const std::function<bool()>& condition) {
  for (int n = 0; n < 20'000; ++n) {
    if (condition()) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return false;
}

TEST(WorkerPoolTest, CallsAreNumberedOneByOne) {
  for (const unsigned count : {1u, 2u, 3u, 8u, 1u}) {
    for (int round = 0; round < 300; ++round) {
      std::mutex mutex;
      std::set<unsigned> numbers;
      RunTogether(count, [&](unsigned number) {
        const std::scoped_lock lock(mutex);
        EXPECT_TRUE(numbers.insert(number).second);
      });
      // Threads that come too late are not needed.
      ASSERT_FALSE(numbers.empty());
      EXPECT_EQ(*numbers.begin(), 0u);
      EXPECT_EQ(*numbers.rbegin(), numbers.size() - 1);
      EXPECT_LE(numbers.size(), count);
    }
  }
}

TEST(WorkerPoolTest, CallsRunAtTheSameTime) {
  constexpr unsigned kCount = 5;
  std::atomic<unsigned> running = 0;
  RunTogether(kCount, [&](unsigned) {
    ++running;
    EXPECT_TRUE(Comes([&] { return running == kCount; }));
  });
}

TEST(WorkerPoolTest, OthersComeWhenTheyAreInvited) {
  RunTogether(2, [](unsigned) {});
  for (int round = 0; round < 20; ++round) {
    std::atomic<bool> invited = false;
    std::atomic<int> too_early = 0;
    std::atomic<bool> came = false;
    WorkerPool::Instance().Run(2, [&](unsigned number, WorkerPool::Job& job) {
      if (number != 0) {
        if (!invited) ++too_early;
        came = true;
        return;
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
      invited = true;
      job.Invite();
      job.Invite();
      EXPECT_TRUE(Comes([&] { return came.load(); }));
    });
    EXPECT_EQ(too_early, 0);
  }
}

TEST(WorkerPoolTest, NoThreadComesUninvited) {
  for (int round = 0; round < 100; ++round) {
    int calls = 0;
    WorkerPool::Instance().Run(4, [&](unsigned number, WorkerPool::Job&) {
      EXPECT_EQ(number, 0u);
      ++calls;
    });
    EXPECT_EQ(calls, 1);
  }
  EXPECT_THROW(WorkerPool::Instance().Run(
                   4, [](unsigned, WorkerPool::Job&) { throw std::runtime_error("of 0"); }),
               std::runtime_error);
}

TEST(WorkerPoolTest, ReturnsWhenAllCallsHave) {
  for (int round = 0; round < 20; ++round) {
    std::atomic<bool> begun = false, ended = false;
    RunTogether(2, [&](unsigned number) {
      if (number == 0) {
        EXPECT_TRUE(Comes([&] { return begun.load(); }));
        return;
      }
      begun = true;
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
      ended = true;
    });
    EXPECT_TRUE(ended);
  }
}

TEST(WorkerPoolTest, ThrowsWhatACallHasThrown) {
  for (const unsigned failing : {0u, 1u}) {
    std::atomic<int> running = 0;
    try {
      RunTogether(2, [&](unsigned number) {
        ++running;
        // Neither ends before the other one runs, or it might not have to.
        EXPECT_TRUE(Comes([&] { return running == 2; }));
        if (number == failing) throw std::runtime_error("of " + std::to_string(number));
      });
      ADD_FAILURE() << "nothing was thrown";
    } catch (const std::runtime_error& error) {
      EXPECT_EQ(error.what(), "of " + std::to_string(failing));
    }
  }
}

// Launches of several host threads share the pool, and none waits for another one's calls.
TEST(WorkerPoolTest, SeveralThreadsUseIt) {
  std::atomic<bool> released = false;
  std::atomic<int> holding = 0;
  std::thread holder([&] {
    RunTogether(4, [&](unsigned) {
      ++holding;
      EXPECT_TRUE(Comes([&] { return released.load(); }));
    });
  });
  EXPECT_TRUE(Comes([&] { return holding == 4; }));
  std::vector<std::thread> threads;
  std::atomic<int> done = 0;
  for (int n = 0; n < 3; ++n) {
    threads.emplace_back([&] {
      for (int round = 0; round < 100; ++round) RunTogether(3, [](unsigned) {});
      ++done;
    });
  }
  EXPECT_TRUE(Comes([&] { return done == 3; }));
  released = true;
  for (std::thread& thread : threads) thread.join();
  holder.join();
}

TEST(WorkerPoolTest, AForkedProcessHasThreadsOfItsOwn) {
  const auto both_run = [] {
    std::atomic<int> running = 0;
    bool met = true;
    RunTogether(2, [&](unsigned number) {
      ++running;
      const bool here = Comes([&] { return running == 2; });
      if (number == 0) met = here;
    });
    return met;
  };
  ASSERT_TRUE(both_run());
  const pid_t child = ::fork();
  if (child == 0) {
    ::alarm(60);
    ::_exit(both_run() ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_TRUE(both_run());
}

}  // namespace
}  // namespace gcnjit::runtime
