// The host program takes memory away while kernels use it: that is a fault of the kernel at the
// right place, and the process lives on.
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <functional>
#include <future>
#include <random>
#include <thread>

#include "tests/shared_memory/fixture.h"

namespace gcnjit {
namespace {

class RevokedMemoryTest : public SharedMemoryTest {
 protected:
  using Action = std::function<void()>;

  // Runs a *_until kernel on `memory`; once it has been running for a while, does `then`, and stops
  // it if it has not ended by itself within `patience`.
  LaunchResult RunWhile(const char* kernel, uint64_t memory, std::optional<uint32_t> last_argument,
                        const Action& then, std::chrono::milliseconds patience, uint32_t items = 64,
                        unsigned threads = 1) {
    const HostPages flags(1);
    volatile uint32_t* const started = flags.As();
    volatile uint32_t* const stop = flags.As() + 64;
    Arguments arguments;
    arguments.Buffer(flags.address()).Buffer(flags.address() + 64 * 4).Buffer(memory);
    if (last_argument) arguments.Value(*last_argument);
    auto launch =
        std::async(std::launch::async, [&] { return Start(kernel, items, arguments, threads); });
    while (*started == 0) std::this_thread::yield();
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    then();
    launch.wait_for(patience);
    *stop = 1;
    auto result = launch.get();
    EXPECT_TRUE(result) << result.error().message;
    return result ? *result : LaunchResult{};
  }

  // The memory of lane n was at begin + n * 4, and goes away at `first_lane`: perhaps while the
  // instruction is at a later lane.
  void ExpectFault(const char* kernel, uint64_t begin, std::optional<uint32_t> last_argument,
                   const Action& then, FaultKind kind, int first_lane = 0) {
    const LaunchResult result = RunWhile(kernel, begin, last_argument, then, kLong);
    ASSERT_EQ(result.status, LaunchStatus::kFault);
    const FaultReport& fault = *result.fault;
    EXPECT_EQ(fault.kind, kind) << fault.Describe();
    EXPECT_GE(fault.lane, first_lane) << fault.Describe();
    EXPECT_EQ(fault.address, begin + static_cast<uint64_t>(fault.lane) * 4) << fault.Describe();
    EXPECT_EQ(fault.access_bytes, 4u);
    EXPECT_EQ(fault.exec, ~uint64_t{0});
    StillWorks();
  }

  void ExpectNoFault(const char* kernel, uint64_t memory, std::optional<uint32_t> last_argument,
                     const Action& then) {
    const LaunchResult result = RunWhile(kernel, memory, last_argument, then, kShort);
    EXPECT_EQ(result.status, LaunchStatus::kDone)
        << (result.fault ? result.fault->Describe() : "time-out");
  }

  void StillWorks() {
    const HostPages in(1), out(1);
    in.As()[5] = 5;
    Run("add_one", 64, Arguments().Buffer(out.address()).Buffer(in.address()));
    EXPECT_EQ(out.As()[5], 6u);
  }

  static constexpr std::chrono::milliseconds kLong{20'000}, kShort{10};
};

constexpr uint32_t kLoad = 0, kStore = 1;
constexpr FaultKind kRead = FaultKind::kMemoryRead;
constexpr FaultKind kWrite = FaultKind::kMemoryWrite;

TEST_P(RevokedMemoryTest, AllLanes) {
  const HostPages read(1), written(1);
  ExpectFault(
      "use_until", read.address(), kLoad, [&] { read.Unmap(0, 1); }, kRead);
  ExpectFault(
      "use_until", written.address(), kStore, [&] { written.Unmap(0, 1); }, kWrite);
}

TEST_P(RevokedMemoryTest, SomeLanes) {
  const HostPages read(2), written(2);
  const uint64_t before = 25 * 4;
  ExpectFault(
      "use_until", read.address(1) - before, kLoad, [&] { read.Unmap(1, 1); }, kRead, 25);
  ExpectFault(
      "use_until", written.address(1) - before, kStore, [&] { written.Unmap(1, 1); }, kWrite, 25);
}

// Programs that wait for signals on one thread block them on the others.
TEST_P(RevokedMemoryTest, ThreadsMayBlockSignals) {
  sigset_t all, before, after;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  pthread_sigmask(SIG_SETMASK, nullptr, &all);  // without those that cannot be blocked
  const HostPages memory(1), gone(1);
  ExpectFault(
      "use_until", memory.address(), kLoad, [&] { memory.Unmap(0, 1); }, kRead);
  const LaunchResult result = RunWhile(
      "use_until", gone.address(), kLoad, [&] { gone.Unmap(0, 1); }, kLong, 6400, 2);
  EXPECT_EQ(result.status, LaunchStatus::kFault);
  Fault("add_one", 64, Arguments().Buffer(gone.address()).Buffer(gone.address()));
  pthread_sigmask(SIG_SETMASK, &before, &after);
  for (int signal = 1; signal < NSIG; ++signal) {
    EXPECT_EQ(sigismember(&after, signal), sigismember(&all, signal)) << signal;
  }
}

// Compiled code reads ahead in the rows of lanes; what faults is the access that the guest makes.
TEST_P(RevokedMemoryTest, RowsOfLanes) {
  constexpr uint32_t kWords = 40;
  constexpr uint64_t kLanes = 64, kBytes = kLanes * kWords * 4;  // 10 KiB
  for (const int page : {0, 1, 2}) {
    const HostPages memory(3);
    const uint64_t begin = memory.address(3) - kBytes;
    const LaunchResult result = RunWhile(
        "read_rows_until", begin, kWords, [&] { memory.Unmap(page, 1); }, kLong);
    ASSERT_EQ(result.status, LaunchStatus::kFault) << "page " << page;
    const FaultReport& fault = *result.fault;
    EXPECT_EQ(fault.kind, kRead) << fault.Describe();
    EXPECT_GE(fault.address, memory.address(page)) << fault.Describe();
    EXPECT_LT(fault.address, memory.address(page) + 4096) << fault.Describe();
    EXPECT_EQ((fault.address - begin) / (kWords * 4), static_cast<uint64_t>(fault.lane))
        << fault.Describe();
    StillWorks();
  }
}

TEST_P(RevokedMemoryTest, Atomics) {
  const HostPages memory(2);
  ExpectFault(
      "add_until", memory.address(1) - 41 * 4, {}, [&] { memory.Unmap(1, 1); }, kWrite, 41);
  // The last instruction was done once for each lane before that one.
  const uint32_t count = memory.As(1)[-41];
  EXPECT_GT(count, 0u);
  for (int n = 1; n <= 41; ++n) EXPECT_EQ(memory.As(1)[-n], count) << n;
}

TEST_P(RevokedMemoryTest, ScalarLoads) {
  const HostPages memory(1);
  const LaunchResult result = RunWhile(
      "read_scalar_until", memory.address() + 8, {}, [&] { memory.Unmap(0, 1); }, kLong);
  ASSERT_TRUE(result.fault);
  EXPECT_EQ(result.fault->kind, kRead);
  EXPECT_EQ(result.fault->address, memory.address() + 8);
  EXPECT_EQ(result.fault->lane, -1);
  EXPECT_NE(result.fault->instruction.find("s_load_dword"), std::string::npos);
  StillWorks();
}

// Of two pages, either one.
TEST_P(RevokedMemoryTest, ScalarLoadsOfTwoPages) {
  for (const int page : {0, 1}) {
    const HostPages memory(2);
    const LaunchResult result = RunWhile(
        "read_pair_until", memory.address(1) - 4, {}, [&] { memory.Unmap(page, 1); }, kLong);
    ASSERT_TRUE(result.fault) << "page " << page;
    EXPECT_EQ(result.fault->kind, kRead);
    EXPECT_EQ(result.fault->lane, -1);
    EXPECT_NE(result.fault->instruction.find("s_load_dwordx2"), std::string::npos);
    StillWorks();
  }
}

TEST_P(RevokedMemoryTest, WriteProtected) {
  const HostPages memory(1);
  const auto protect = [&] { memory.Protect(0, 1, PROT_READ); };
  ExpectNoFault("use_until", memory.address(), kLoad, protect);
  memory.Protect(0, 1, PROT_READ | PROT_WRITE);
  ExpectFault("use_until", memory.address(), kStore, protect, kWrite);
}

// SIGBUS: the mapping is still there, what it maps is not.
TEST_P(RevokedMemoryTest, TruncatedFile) {
  char name[] = "/tmp/gcnjit_shared_XXXXXX";
  const int file = mkstemp(name);
  ASSERT_GE(file, 0);
  unlink(name);
  void* const mapped = mmap(nullptr, 2 * kPage, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  const auto truncate = [&] { ASSERT_EQ(ftruncate(file, kPage), 0); };
  for (const uint32_t operation : {kLoad, kStore}) {
    ASSERT_EQ(ftruncate(file, 2 * kPage), 0);
    ExpectFault("use_until", AddressOf(mapped) + kPage - 11 * 4, operation, truncate,
                operation == kLoad ? kRead : kWrite, 11);
  }
  // Nor is it a fault if no active lane is there.
  ASSERT_EQ(ftruncate(file, 2 * kPage), 0);
  ExpectNoFault("read_some_until", AddressOf(mapped) + kPage - 11 * 4, 11, truncate);
  ASSERT_EQ(ftruncate(file, 2 * kPage), 0);
  ExpectNoFault("read_some2_until", AddressOf(mapped) + kPage - 11 * 8, 11, truncate);
  munmap(mapped, 2 * kPage);
  close(file);
}

// Compiled code may touch what no active lane accesses. That is not the kernel's fault.
TEST_P(RevokedMemoryTest, LanesThatAreNotActiveDoNotFault) {
  for (const uint32_t count : {1u, 7u, 19u, 36u, 63u}) {
    SCOPED_TRACE(count);
    const HostPages memory(2), pairs(2);
    ExpectNoFault("read_some_until", memory.address(1) - count * 4, count,
                  [&] { memory.Unmap(1, 1); });
    ExpectNoFault("read_some2_until", pairs.address(1) - count * 8, count,
                  [&] { pairs.Unmap(1, 1); });
  }
}

TEST_P(RevokedMemoryTest, BytesUpToTheEndDoNotFault) {
  const HostPages memory(2);
  ExpectNoFault("read_last_bytes_until", memory.address(1), {}, [&] { memory.Unmap(1, 1); });
}

// Memory that comes back is accessible again, to the same code.
TEST_P(RevokedMemoryTest, MappedAgain) {
  const HostPages memory(1);
  for (int round = 0; round < 3; ++round) {
    memory.Protect(0, 1, PROT_READ | PROT_WRITE);
    ExpectFault(
        "use_until", memory.address(), kStore, [&] { memory.Unmap(0, 1); }, kWrite);
  }
}

// Four groups at a time, two on each of two pages.
TEST_P(RevokedMemoryTest, ManyTimesOnSeveralThreads) {
  std::mt19937 random(1);
  int executed = 0;
  int failed = 0;
  for (; executed < 40; ++executed) {
    const HostPages memory(2);
    const size_t page = random() % 2;
    const bool atomic = random() % 3 == 0;
    const uint32_t operation = random() % 2;
    const LaunchResult result = RunWhile(
        atomic ? "add_until" : "use_until", memory.address(1) - 128 * 4,
        atomic ? std::nullopt : std::optional(operation), [&] { memory.Unmap(page, 1); }, kLong,
        4 * 64, 4);
    const FaultKind kind = !atomic && operation == kLoad ? kRead : kWrite;
    if (result.status != LaunchStatus::kFault || result.fault->kind != kind ||
        result.fault->address / kPage * kPage != memory.address(page)) {
      ++failed;
    }
  }
  std::printf("memory taken away from running kernels: %d executed, %d failed\n", executed, failed);
  EXPECT_EQ(failed, 0);
  StillWorks();
}

INSTANTIATE_TEST_SUITE_P(All, RevokedMemoryTest, kEnginesAndTargets, EngineAndTargetName);

}  // namespace
}  // namespace gcnjit
