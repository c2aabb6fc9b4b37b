// Kernels that work on memory of the host process: heap, stack, mapped files, in any mix with the
// device's own allocations.
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <memory>
#include <numeric>
#include <thread>

#include "tests/shared_memory/fixture.h"

namespace gcnjit {
namespace {

using AccessTest = SharedMemoryTest;

std::vector<uint32_t> Numbers(size_t count) {
  std::vector<uint32_t> numbers(count);
  std::iota(numbers.begin(), numbers.end(), 7u);
  return numbers;
}

TEST_P(AccessTest, HeapIsReadAndWritten) {
  constexpr uint32_t kItems = 10'000 / 64 * 64;
  const std::vector<uint32_t> in = Numbers(kItems);
  std::vector<uint32_t> out(kItems);
  Run("add_one", kItems, Arguments().Buffer(AddressOf(out.data())).Buffer(AddressOf(in.data())), 2);
  for (uint32_t n = 0; n < kItems; ++n) ASSERT_EQ(out[n], in[n] + 1) << n;
}

TEST_P(AccessTest, StackIsReadAndWritten) {
  uint32_t in[256];
  uint32_t out[256] = {};
  std::iota(std::begin(in), std::end(in), 1u);
  Run("add_one4", 64, Arguments().Buffer(AddressOf(out)).Buffer(AddressOf(in)));
  for (int n = 0; n < 256; ++n) ASSERT_EQ(out[n], in[n] + 1) << n;
}

TEST_P(AccessTest, BytesAtAnyAddress) {
  std::vector<uint8_t> in(5000);
  std::iota(in.begin(), in.end(), uint8_t{3});
  std::vector<uint8_t> out(5000);
  Run("add_one_bytes", 4096,
      Arguments().Buffer(AddressOf(out.data() + 5)).Buffer(AddressOf(in.data() + 3)));
  for (int n = 0; n < 4096; ++n) ASSERT_EQ(out[n + 5], static_cast<uint8_t>(in[n + 3] + 1)) << n;
  EXPECT_EQ(out[4], 0);
  EXPECT_EQ(out[4101], 0);
}

TEST_P(AccessTest, ScatteredAccesses) {
  constexpr uint32_t kItems = 4096;
  const std::vector<uint32_t> in = Numbers(kItems);
  std::vector<uint32_t> order(kItems);
  for (uint32_t n = 0; n < kItems; ++n) order[n] = n * 1237 % kItems;
  std::vector<uint32_t> out(kItems);
  Run("permute", kItems,
      Arguments()
          .Buffer(AddressOf(out.data()))
          .Buffer(AddressOf(in.data()))
          .Buffer(AddressOf(order.data())));
  for (uint32_t n = 0; n < kItems; ++n) ASSERT_EQ(out[n], in[n] * 3) << n;
}

// Lanes of one wave in the heap, on the stack, in a file and in an allocation of the device.
TEST_P(AccessTest, LanesInDifferentMemories) {
  const uint64_t own = *device_->Allocate(kPage);
  static const uint32_t kConstant = 77;
  auto on_heap = std::make_unique<uint32_t>(55);
  uint32_t on_stack = 66;
  std::memset(device_->Data(own, 4).data(), 0x11, 4);
  const uint64_t pointers[4] = {own, AddressOf(&kConstant), AddressOf(on_heap.get()),
                                AddressOf(&on_stack)};
  std::vector<uint64_t> of_item(256);
  for (size_t n = 0; n < of_item.size(); ++n) of_item[n] = pointers[n * 7 / 3 % 4];
  std::vector<uint32_t> out(of_item.size());
  Run("follow", 256, Arguments().Buffer(AddressOf(out.data())).Buffer(AddressOf(of_item.data())));
  constexpr uint32_t kWanted[4] = {0x11111111, 77, 55, 66};
  for (size_t n = 0; n < out.size(); ++n) ASSERT_EQ(out[n], kWanted[n * 7 / 3 % 4]) << n;
}

TEST_P(AccessTest, OneAddressForAllLanes) {
  std::vector<uint32_t> out(128);
  const uint32_t value = 1000;
  Run("broadcast", 128, Arguments().Buffer(AddressOf(out.data())).Buffer(AddressOf(&value)));
  for (uint32_t n = 0; n < 128; ++n) ASSERT_EQ(out[n], 1000 + n);
  const std::vector<uint32_t> in = Numbers(16);
  Run("sum16", 128, Arguments().Buffer(AddressOf(out.data())).Buffer(AddressOf(in.data())));
  for (const uint32_t sum : out) ASSERT_EQ(sum, std::accumulate(in.begin(), in.end(), 0u));
}

TEST_P(AccessTest, AtomicsAreAtomicAlsoWithTheHost) {
  constexpr uint32_t kItems = 64 * 200;
  alignas(8) std::atomic<uint32_t> counter = 0;
  std::vector<uint32_t> order(kItems);
  std::atomic<bool> go_on = true;
  uint32_t by_host = 0;
  std::thread host([&] {
    while (go_on) {
      counter.fetch_add(1);
      ++by_host;
    }
  });
  Run("count", kItems, Arguments().Buffer(AddressOf(&counter)).Buffer(AddressOf(order.data())), 3);
  go_on = false;
  host.join();
  EXPECT_EQ(counter.load(), kItems + by_host);
  std::sort(order.begin(), order.end());
  EXPECT_EQ(std::adjacent_find(order.begin(), order.end()), order.end());
  std::vector<uint64_t> cells(128, 5);
  Run("exchange_long", 128, Arguments().Buffer(AddressOf(cells.data())));
  EXPECT_EQ(cells[0], 5u);
  for (uint64_t n = 1; n < 128; ++n) ASSERT_EQ(cells[n], n << 33);
}

// What is mapped after the device was created, and after other launches, is found too.
TEST_P(AccessTest, MemoryMappedLater) {
  for (int round = 0; round < 5; ++round) {
    const HostPages in(16), out(16);
    in.As()[16 * 1024 - 1] = 41;
    Run("add_one", 16 * 1024, Arguments().Buffer(out.address()).Buffer(in.address()));
    EXPECT_EQ(out.As()[16 * 1024 - 1], 42u);
    EXPECT_EQ(out.As()[0], 1u);
  }
}

TEST_P(AccessTest, MemoryThatBecomesWritable) {
  const HostPages in(1), out(1, PROT_READ);
  const Arguments arguments = Arguments().Buffer(out.address()).Buffer(in.address());
  EXPECT_EQ(Fault("add_one", 64, arguments).kind, FaultKind::kMemoryWrite);
  out.Protect(0, 1, PROT_READ | PROT_WRITE);
  Run("add_one", 64, arguments);
  EXPECT_EQ(out.As()[63], 1u);
}

TEST_P(AccessTest, MappedFile) {
  char name[] = "/tmp/gcnjit_shared_XXXXXX";
  const int file = mkstemp(name);
  ASSERT_GE(file, 0);
  unlink(name);
  const std::vector<uint32_t> in = Numbers(2048);
  ASSERT_EQ(write(file, in.data(), 8192), 8192);
  void* const mapped = mmap(nullptr, 8192, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  ASSERT_NE(mapped, MAP_FAILED);
  Run("add_one", 2048, Arguments().Buffer(AddressOf(mapped)).Buffer(AddressOf(mapped)));
  std::vector<uint32_t> out(2048);
  ASSERT_EQ(pread(file, out.data(), 8192, 0), 8192);
  for (size_t n = 0; n < out.size(); ++n) ASSERT_EQ(out[n], in[n] + 1);
  munmap(mapped, 8192);
  close(file);
}

// Stack that the host program has not touched yet, as an array that a kernel fills.
TEST_P(AccessTest, StackThatHasYetToGrow) {
  volatile char here = 0;
  const uint64_t below = (AddressOf(const_cast<char*>(&here)) - (2 << 20)) & ~uint64_t{255};
  const std::vector<uint32_t> in = Numbers(64);
  Run("add_one", 64, Arguments().Buffer(below).Buffer(AddressOf(in.data())));
  EXPECT_EQ(*reinterpret_cast<uint32_t*>(below), in[0] + 1);
}

// ---- What stays forbidden

TEST_P(AccessTest, NullPointer) {
  std::vector<uint32_t> out(64);
  const FaultReport fault =
      Fault("add_one", 64, Arguments().Buffer(AddressOf(out.data())).Buffer(0));
  EXPECT_EQ(fault.kind, FaultKind::kMemoryRead);
  EXPECT_EQ(fault.address, 0u);
  EXPECT_EQ(fault.lane, 0);
  EXPECT_NE(fault.nearest.find("null pointer"), std::string::npos) << fault.nearest;
}

TEST_P(AccessTest, PastTheEndOfAMapping) {
  const HostPages in(1), out(3);
  out.Unmap(1, 2);
  const FaultReport fault =
      Fault("add_one", 64, Arguments().Buffer(out.address() + kPage - 40 * 4).Buffer(in.address()));
  EXPECT_EQ(fault.kind, FaultKind::kMemoryWrite);
  EXPECT_EQ(fault.address, out.address() + kPage);
  EXPECT_EQ(fault.lane, 40);
  EXPECT_EQ(fault.access_bytes, 4u);
  EXPECT_NE(fault.nearest.find("the host's memory"), std::string::npos) << fault.nearest;
}

TEST_P(AccessTest, ReadOnlyMemoryIsNotWritten) {
  static const uint32_t kConstants[64] = {1, 2, 3};
  const FaultReport fault =
      Fault("add_one", 64, Arguments().Buffer(AddressOf(kConstants)).Buffer(AddressOf(kConstants)));
  EXPECT_EQ(fault.kind, FaultKind::kMemoryWrite);
  EXPECT_EQ(fault.address, AddressOf(kConstants));
  EXPECT_EQ(kConstants[1], 2u);
}

TEST_P(AccessTest, AtomicsOnReadOnlyMemory) {
  const HostPages counter(1, PROT_READ), order(1);
  const FaultReport fault =
      Fault("count", 64, Arguments().Buffer(counter.address()).Buffer(order.address()));
  EXPECT_EQ(fault.kind, FaultKind::kMemoryWrite);
  EXPECT_EQ(fault.address, counter.address());
}

// The gaps between allocations are not the host's memory, whatever lies there.
TEST_P(AccessTest, TheDevicesOwnRangeStaysGuarded) {
  const uint64_t buffer = *device_->Allocate(kPage);
  std::vector<uint32_t> out(64);
  const FaultReport fault =
      Fault("add_one", 64, Arguments().Buffer(AddressOf(out.data())).Buffer(buffer + kPage));
  EXPECT_EQ(fault.kind, FaultKind::kMemoryRead);
  EXPECT_EQ(fault.address, buffer + kPage);
  EXPECT_NE(fault.nearest.find("'buffer'"), std::string::npos) << fault.nearest;
  ASSERT_TRUE(device_->Free(buffer));
  EXPECT_EQ(Fault("add_one", 64, Arguments().Buffer(AddressOf(out.data())).Buffer(buffer)).address,
            buffer);
}

// A device that is contained does not get at anything of the host's.
TEST_P(AccessTest, ContainedDevicesSeeNothingOfTheHost) {
  Device contained = *Device::Create();
  auto program = Program::Load(contained, ReadKernels(std::get<1>(GetParam())));
  ASSERT_TRUE(program);
  const uint64_t out = *contained.Allocate(kPage);
  const HostPages in(1);
  LaunchConfig config;
  config.global.x = config.local.x = 64;
  config.engine = std::get<0>(GetParam());
  config.compile_first = true;
  const auto result =
      Launch(contained, *program, "add_one", config, Arguments().Buffer(out).Buffer(in.address()));
  ASSERT_TRUE(result && result->fault);
  EXPECT_EQ(result->fault->kind, FaultKind::kMemoryRead);
  EXPECT_EQ(result->fault->address, in.address());
}

INSTANTIATE_TEST_SUITE_P(All, AccessTest, kEnginesAndTargets, EngineAndTargetName);

}  // namespace
}  // namespace gcnjit
