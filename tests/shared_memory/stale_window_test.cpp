// Memory goes away between two launches. Compiled code of the second one still takes it for
// accessible, is interrupted, and must report what the interpreter reports; each kind of access is
// made by code of its own.
#include <signal.h>

#include <array>
#include <functional>

#include "tests/shared_memory/fixture.h"

namespace gcnjit {
namespace {

int signals_seen = 0;
struct sigaction handler_below;

// A handler on top of ours, to see that there are signals at all.
void CountAndHandOn(int signal, siginfo_t* info, void* context) {
  ++signals_seen;
  handler_below.sa_sigaction(signal, info, context);
}

class StaleWindowTest : public SharedMemoryTest {
 protected:
  void SetUp() override {
    SharedMemoryTest::SetUp();
    struct sigaction action = {};
    action.sa_sigaction = CountAndHandOn;
    action.sa_flags = SA_SIGINFO;
    ASSERT_EQ(sigaction(SIGSEGV, &action, &handler_below), 0);
  }
  void TearDown() override {
    sigaction(SIGSEGV, &handler_below, nullptr);
    SharedMemoryTest::TearDown();
  }

  // Runs twice, the second time without a page of `pages`, and expects a fault at its lane `lane`.
  void RunAndRevoke(const char* kernel, const Arguments& arguments, const HostPages& pages,
                    size_t page, FaultKind kind, uint64_t address, int lane, uint32_t bytes) {
    SCOPED_TRACE(kernel);
    Run(kernel, 64, arguments);
    pages.Unmap(page, 1);
    signals_seen = 0;
    const FaultReport fault = Fault(kernel, 64, arguments);
    EXPECT_EQ(fault.kind, kind) << fault.Describe();
    EXPECT_EQ(fault.address, address) << fault.Describe();
    EXPECT_EQ(fault.lane, lane) << fault.Describe();
    EXPECT_EQ(fault.access_bytes, bytes) << fault.Describe();
    EXPECT_EQ(fault.exec, ~uint64_t{0}) << fault.Describe();
    EXPECT_GT(signals_seen, 0) << "the access was refused before it was tried";
    pages.Protect(page, 1, PROT_READ | PROT_WRITE);
    Run(kernel, 64, arguments);
  }
};

constexpr FaultKind kStaleRead = FaultKind::kMemoryRead;
constexpr FaultKind kStaleWrite = FaultKind::kMemoryWrite;

// Lanes from this one on are on the page that goes away.
constexpr int kFirstLane = 21;

// The address of lane 0.
uint64_t Begin(const HostPages& pages, uint64_t bytes) {
  return pages.address(1) - kFirstLane * bytes;
}

TEST_P(StaleWindowTest, ConsecutiveElements) {
  constexpr std::pair<const char*, uint32_t> kKernels[] = {
      {"add_one_bytes", 1}, {"add_one", 4}, {"add_one4", 16}};
  for (const auto& [kernel, bytes] : kKernels) {
    const HostPages in(2), out(2);
    const Arguments arguments = Arguments().Buffer(Begin(out, bytes)).Buffer(Begin(in, bytes));
    RunAndRevoke(kernel, arguments, in, 1, kStaleRead, in.address(1), kFirstLane, bytes);
    RunAndRevoke(kernel, arguments, out, 1, kStaleWrite, out.address(1), kFirstLane, bytes);
    RunAndRevoke(kernel, arguments, in, 0, kStaleRead, Begin(in, bytes), 0, bytes);
    RunAndRevoke(kernel, arguments, out, 0, kStaleWrite, Begin(out, bytes), 0, bytes);
  }
}

// Of a group whose first wave has seen to it that all have their elements there.
TEST_P(StaleWindowTest, ElementsOfOtherWaves) {
  local_ = 256;
  for (const uint64_t first : {21u, 64u, 70u, 128u, 250u}) {
    SCOPED_TRACE(first);
    const HostPages in(2), out(2);
    const Arguments arguments =
        Arguments().Buffer(out.address(1) - first * 4).Buffer(in.address(1) - first * 4);
    for (const HostPages* const pages : {&in, &out}) {
      Run("add_one", 256, arguments);
      Run("add_one", 256, arguments);
      pages->Unmap(1, 1);
      signals_seen = 0;
      const FaultReport fault = Fault("add_one", 256, arguments);
      EXPECT_EQ(fault.kind, pages == &in ? kStaleRead : kStaleWrite) << fault.Describe();
      EXPECT_EQ(fault.address, pages->address(1)) << fault.Describe();
      EXPECT_EQ(fault.wave, first / 64) << fault.Describe();
      EXPECT_EQ(fault.lane, static_cast<int>(first % 64)) << fault.Describe();
      EXPECT_EQ(fault.work_item[0], first) << fault.Describe();
      EXPECT_GT(signals_seen, 0) << "the access was refused before it was tried";
      pages->Protect(1, 1, PROT_READ | PROT_WRITE);
    }
  }
}

// Of a plane, whose windows are looked at for all rows at once.
TEST_P(StaleWindowTest, ElementsOfRows) {
  local_ = rows_ = 16;
  constexpr uint32_t kPitch = 40;
  for (const uint32_t row : {1u, 2u, 6u, 15u}) {
    SCOPED_TRACE(row);
    const HostPages in(2), out(2);
    const uint64_t before = uint64_t{row} * kPitch * 4;
    const Arguments arguments =
        Arguments().Buffer(out.address(1) - before).Buffer(in.address(1) - before).Value(kPitch);
    for (const HostPages* const pages : {&in, &out}) {
      Run("add_one_row", 16, arguments);
      Run("add_one_row", 16, arguments);
      pages->Unmap(1, 1);
      signals_seen = 0;
      const FaultReport fault = Fault("add_one_row", 16, arguments);
      EXPECT_EQ(fault.kind, pages == &in ? kStaleRead : kStaleWrite) << fault.Describe();
      EXPECT_EQ(fault.address, pages->address(1)) << fault.Describe();
      EXPECT_EQ(fault.wave, row / 4) << fault.Describe();
      EXPECT_EQ(fault.lane, static_cast<int>(row % 4 * 16)) << fault.Describe();
      EXPECT_GT(signals_seen, 0) << "the access was refused before it was tried";
      pages->Protect(1, 1, PROT_READ | PROT_WRITE);
    }
  }
}

// Of a loop in which one lane is left, which goes on by itself.
TEST_P(StaleWindowTest, ElementsOfAStraggler) {
  const HostPages in(2), out(1), trips(1);
  for (uint32_t n = 0; n < 64; ++n) trips.As()[n] = n == kFirstLane ? 100 : n % 3;
  const Arguments arguments =
      Arguments().Buffer(out.address()).Buffer(in.address()).Buffer(trips.address());
  Run("sum_apart", 64, arguments);
  in.Unmap(1, 1);
  signals_seen = 0;
  const FaultReport fault = Fault("sum_apart", 64, arguments);
  uint64_t first = in.address() + kFirstLane * 16;
  while (first < in.address(1)) first += 13 * sizeof(uint32_t);
  EXPECT_EQ(fault.kind, kStaleRead) << fault.Describe();
  EXPECT_EQ(fault.address, first) << fault.Describe();
  EXPECT_EQ(fault.lane, kFirstLane) << fault.Describe();
  EXPECT_EQ(fault.exec, uint64_t{1} << kFirstLane) << fault.Describe();
  EXPECT_GT(signals_seen, 0) << "the access was refused before it was tried";
  in.Protect(1, 1, PROT_READ | PROT_WRITE);
  Run("sum_apart", 64, arguments);
}

TEST_P(StaleWindowTest, ScatteredElements) {
  const HostPages in(2), out(2), order(1);
  // Element 1024 + n is on the second page.
  for (uint32_t n = 0; n < 64; ++n) {
    order.As()[n] = n * 29 % 64 * 8 + (n >= kFirstLane && n % 2 == 1 ? 1024 : 0);
  }
  const uint64_t offset = order.As()[kFirstLane] * uint64_t{4};
  const Arguments arguments =
      Arguments().Buffer(out.address()).Buffer(in.address()).Buffer(order.address());
  constexpr std::pair<const char*, uint32_t> kKernels[] = {{"permute_bytes", 1},
                                                           {"permute_words", 2},
                                                           {"permute", 4},
                                                           {"permute_pairs", 8},
                                                           {"permute_quads", 16}};
  for (const auto& [kernel, bytes] : kKernels) {
    RunAndRevoke(kernel, arguments, in, 1, kStaleRead, in.address() + offset, kFirstLane, bytes);
    RunAndRevoke(kernel, arguments, out, 1, kStaleWrite, out.address() + offset, kFirstLane, bytes);
  }
}

TEST_P(StaleWindowTest, Pointers) {
  const HostPages memory(2), pointers(1), out(1);
  for (uint64_t n = 0; n < 64; ++n) {
    pointers.As<uint64_t>()[n] = memory.address(n < kFirstLane ? 0 : 1) + n * 48;
  }
  const Arguments arguments = Arguments().Buffer(out.address()).Buffer(pointers.address());
  RunAndRevoke("follow", arguments, memory, 1, kStaleRead, memory.address(1) + kFirstLane * 48,
               kFirstLane, 4);
}

TEST_P(StaleWindowTest, OneAddress) {
  const HostPages memory(1), out(1);
  const Arguments arguments = Arguments().Buffer(out.address()).Buffer(memory.address() + 44);
  RunAndRevoke("broadcast", arguments, memory, 0, kStaleRead, memory.address() + 44, 0, 4);
}

TEST_P(StaleWindowTest, ScalarLoads) {
  const HostPages memory(1), out(1);
  const Arguments arguments = Arguments().Buffer(out.address()).Buffer(memory.address());
  RunAndRevoke("sum16", arguments, memory, 0, kStaleRead, memory.address(), -1, 64);
}

TEST_P(StaleWindowTest, Atomics) {
  const HostPages counter(1), order(1), cells(2);
  RunAndRevoke("count", Arguments().Buffer(counter.address()).Buffer(order.address()), counter, 0,
               kStaleWrite, counter.address(), 0, 4);
  RunAndRevoke("exchange_long", Arguments().Buffer(Begin(cells, 8)), cells, 1, kStaleWrite,
               cells.address(1), kFirstLane, 8);
}

INSTANTIATE_TEST_SUITE_P(All, StaleWindowTest, kEnginesAndTargets, EngineAndTargetName);

}  // namespace
}  // namespace gcnjit
