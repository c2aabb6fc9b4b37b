// When the list of the host's mappings is read (host_memory.h): for what is not known to be mapped,
// and never again for what is, nor for LDS and scratch, which flat accesses may go to.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <thread>

#include "backend_x64/host/features.h"
#include "runtime/memory/guest_memory.h"
#include "runtime/memory/host_memory.h"
#include "tests/shared_memory/fixture.h"

namespace gcnjit {
namespace {

class SnapshotTest : public SharedMemoryTest {
 protected:
  void TearDown() override {
    ::unsetenv("GCNJIT_FORCE_ISA");
    SharedMemoryTest::TearDown();
  }
  // Calls test() for each engine that the parameter stands for.
  template <typename Test>
  void ForEachIsa(const Test& test) {
    if (std::get<0>(GetParam()) == Engine::kInterpreter) return test();
    for (const auto isa : {backend::HostIsa::kAvx2, backend::HostIsa::kAvx512}) {
      if (!backend::HostHas(isa)) continue;
      const std::string name(backend::NameOf(isa));
      SCOPED_TRACE(name);
      ::setenv("GCNJIT_FORCE_ISA", name.c_str(), /*overwrite=*/1);
      SetUp();  // a program's code is of one kind
      test();
    }
  }
  uint64_t Snapshots() const { return device_->memory()->host()->generation(); }
};

TEST_P(SnapshotTest, NoneForMemoryThatStaysMapped) {
  constexpr uint32_t kItems = 256;
  constexpr uint32_t kRounds = 60;
  constexpr uint32_t kWays = 8;
  ForEachIsa([&] {
    const uint64_t out = *device_->Allocate(kItems * 4);
    std::vector<uint32_t> on_heap(kItems);
    std::vector<uint64_t> pointers(kItems);
    for (uint32_t n = 0; n < kItems; ++n) pointers[n] = AddressOf(&on_heap[n]);
    std::vector<uint32_t> where(kItems);
    // All lanes in one kind of memory, and each kind as that of the first lane among others.
    for (uint32_t way = 0; way < kWays; ++way) {
      SCOPED_TRACE(way);
      for (uint32_t n = 0; n < kItems; ++n) where[n] = way < 4 ? way : (way + n) % 4;
      const auto run = [&] {
        std::fill(on_heap.begin(), on_heap.end(), 5);
        const auto bytes = device_->Data(out, kItems * 4);
        const auto* const values = reinterpret_cast<const uint32_t*>(bytes.data());
        std::fill_n(reinterpret_cast<uint32_t*>(bytes.data()), kItems, 5);
        Run("count_anywhere", kItems,
            Arguments()
                .Buffer(out)
                .Buffer(AddressOf(pointers.data()))
                .Buffer(AddressOf(where.data()))
                .Value(kRounds));
        for (uint32_t n = 0; n < kItems; ++n) ASSERT_EQ(values[n], 5 + kRounds) << n;
      };
      run();
      const uint64_t before = Snapshots();
      run();
      EXPECT_EQ(Snapshots(), before);
    }
  });
}

// The program maps memory while a kernel runs that has asked for other memory before, takes it away
// and maps it again.
TEST_P(SnapshotTest, OneForMemoryMappedMeanwhile) {
  ForEachIsa([&] {
    std::atomic<uint32_t> started = 0;
    std::atomic<uint64_t> pointer = 0;
    std::vector<uint32_t> out(64);
    std::vector<uint32_t> first(64, 1);
    pointer = AddressOf(first.data());
    std::atomic<bool> has_ended = false;
    const auto comes = [&](uint32_t value) {
      for (int n = 0; n < 20'000; ++n) {
        const bool all = std::all_of(out.begin(), out.end(), [&](uint32_t& of) {
          return std::atomic_ref(of).load() == value;
        });
        if (all) return true;
        if (has_ended) return false;
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
      }
      return false;
    };
    std::thread host([&] {
      EXPECT_TRUE(comes(1));
      constexpr size_t kApart = 1 << 20;
      auto* const place = static_cast<std::byte*>(
          mmap(nullptr, kApart, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
      for (uint32_t value = 2; value < 10; ++value) {
        // Another page each time, and the first one again and again.
        for (std::byte* const page : {place + value * 2 * kPage, place}) {
          mmap(page, kPage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
          std::fill_n(reinterpret_cast<uint32_t*>(page), 64, value * 10 + (page == place));
          pointer = AddressOf(page);
          EXPECT_TRUE(comes(value * 10 + (page == place)));
        }
        pointer = AddressOf(first.data());
        EXPECT_TRUE(comes(1));
        mmap(place, kPage, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
      }
      munmap(place, kApart);
      pointer = 1;
    });
    Run("follow_until", 64,
        Arguments()
            .Buffer(AddressOf(&started))
            .Buffer(AddressOf(&pointer))
            .Buffer(AddressOf(out.data())));
    has_ended = true;
    host.join();
  });
}

// What was there before, and is not any more, is a fault, and may be mapped again.
TEST_P(SnapshotTest, UnmappedMemoryIsAFault) {
  ForEachIsa([&] {
    const HostPages page(1);
    std::vector<uint64_t> pointers(64, page.address());
    std::vector<uint32_t> where(64, 3);
    const uint64_t out = *device_->Allocate(64 * 4);
    const auto arguments = Arguments()
                               .Buffer(out)
                               .Buffer(AddressOf(pointers.data()))
                               .Buffer(AddressOf(where.data()))
                               .Value(3u);
    for (int round = 0; round < 3; ++round) {
      Run("count_anywhere", 64, arguments);
      page.Unmap(0, 1);
      for (int n = 0; n < 2; ++n) {
        const FaultReport fault = Fault("count_anywhere", 64, arguments);
        EXPECT_EQ(fault.kind, FaultKind::kMemoryRead) << fault.Describe();
        EXPECT_EQ(fault.address, page.address()) << fault.Describe();
        EXPECT_EQ(fault.lane, 0) << fault.Describe();
      }
      page.Protect(0, 1, PROT_READ | PROT_WRITE);
    }
  });
}

INSTANTIATE_TEST_SUITE_P(All, SnapshotTest, kEnginesAndTargets, EngineAndTargetName);

}  // namespace
}  // namespace gcnjit
