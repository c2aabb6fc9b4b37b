// Memory: allocations, copies, locked host memory, what is known of pointers.
#include <sys/mman.h>
#include <sys/resource.h>

#include <cstdlib>
#include <numeric>

#include "fixture.h"

namespace gcnjit::hsa_tests {
namespace {

class Memory : public HsaTest {};

TEST_F(Memory, AllocationsHaveLimits) {
  const hsa_amd_memory_pool_t pool = PoolOf(gpu_, kCoarse);
  void* pointer = nullptr;
  EXPECT_EQ(hsa_amd_memory_pool_allocate({77}, 64, 0, &pointer),
            Amd(HSA_STATUS_ERROR_INVALID_MEMORY_POOL));
  EXPECT_EQ(hsa_amd_memory_pool_allocate(pool, 0, 0, &pointer), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(hsa_amd_memory_pool_allocate(pool, 64, 0, nullptr), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(hsa_amd_memory_pool_allocate(pool, SIZE_MAX, 0, &pointer),
            HSA_STATUS_ERROR_INVALID_ALLOCATION);
  ASSERT_OK(hsa_amd_memory_pool_allocate(pool, 64, 0, &pointer));
  EXPECT_EQ(reinterpret_cast<uint64_t>(pointer) % 4096, 0u);
  EXPECT_OK(hsa_amd_agents_allow_access(1, &cpu_, nullptr, pointer));
  EXPECT_EQ(hsa_amd_memory_pool_free(static_cast<char*>(pointer) + 8),
            HSA_STATUS_ERROR_INVALID_ALLOCATION);
  EXPECT_OK(hsa_amd_memory_pool_free(pointer));
  EXPECT_EQ(hsa_amd_memory_pool_free(pointer), HSA_STATUS_ERROR_INVALID_ALLOCATION);
  EXPECT_OK(hsa_amd_memory_pool_free(nullptr));
}

TEST_F(Memory, CopiesWaitForTheirSignals) {
  std::vector<uint32_t> host(1 << 18);
  std::iota(host.begin(), host.end(), 1u);
  uint32_t* first = Allocate<uint32_t>(host.size());
  uint32_t* second = Allocate<uint32_t>(host.size());
  const hsa_signal_t go = Signal(1), copied = Signal(1), done = Signal(1);
  const size_t bytes = host.size() * sizeof(uint32_t);
  ASSERT_OK(hsa_amd_memory_async_copy(second, gpu_, first, gpu_, bytes, 1, &copied, done));
  ASSERT_OK(hsa_amd_memory_async_copy(first, gpu_, host.data(), cpu_, bytes, 1, &go, copied));
  EXPECT_EQ(
      hsa_signal_wait_scacquire(done, HSA_SIGNAL_CONDITION_EQ, 0, kShort, HSA_WAIT_STATE_BLOCKED),
      1);
  hsa_signal_store_screlease(go, 0);
  ASSERT_TRUE(Done(done));
  EXPECT_EQ(std::memcmp(second, host.data(), bytes), 0);
  hsa_amd_profiling_async_copy_time_t time;
  ASSERT_OK(hsa_amd_profiling_get_async_copy_time(copied, &time));
  EXPECT_GT(time.start, 0u);
  EXPECT_LE(time.start, time.end);
}

TEST_F(Memory, CopiesOfBoxes) {
  constexpr uint32_t kPitch = 64, kRows = 8, kLayers = 3;
  constexpr uint32_t kSlice = kPitch * kRows;
  auto* from = Allocate<uint8_t>(kSlice * kLayers);
  auto* to = Allocate<uint8_t>(kSlice * kLayers);
  for (uint32_t n = 0; n < kSlice * kLayers; ++n) from[n] = static_cast<uint8_t>(n * 7 + n / 64);
  const hsa_pitched_ptr_t source = {from, kPitch, kSlice}, target = {to, kPitch, kSlice};
  const hsa_dim3_t from_offset = {4, 1, 0}, to_offset = {8, 2, 1}, range = {12, 5, 2};
  const hsa_signal_t done = Signal(1);
  ASSERT_OK(hsa_amd_memory_async_copy_rect(&target, &to_offset, &source, &from_offset, &range, gpu_,
                                           hsaDeviceToDevice, 0, nullptr, done));
  ASSERT_TRUE(Done(done));
  for (uint32_t z = 0; z < kLayers; ++z) {
    for (uint32_t y = 0; y < kRows; ++y) {
      for (uint32_t x = 0; x < kPitch; ++x) {
        const bool inside = z >= 1 && y >= 2 && y < 7 && x >= 8 && x < 20;
        const uint8_t want =
            inside ? from[(z - 1) * kSlice + (y - 1) * kPitch + x - 4] : uint8_t{0};
        ASSERT_EQ(to[z * kSlice + y * kPitch + x], want) << x << " " << y << " " << z;
      }
    }
  }
}

TEST_F(Memory, WrongCopies) {
  uint32_t* memory = Allocate<uint32_t>(1024);
  uint32_t word = 1;
  const hsa_signal_t done = Signal(1);
  EXPECT_EQ(hsa_amd_memory_async_copy(memory, {5}, &word, cpu_, 4, 0, nullptr, done),
            HSA_STATUS_ERROR_INVALID_AGENT);
  EXPECT_EQ(hsa_amd_memory_async_copy(memory, gpu_, &word, cpu_, 4, 0, nullptr, {0}),
            HSA_STATUS_ERROR_INVALID_SIGNAL);
  EXPECT_EQ(hsa_amd_memory_async_copy(memory, gpu_, &word, cpu_, 4, 1, nullptr, done),
            HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(hsa_amd_memory_async_copy(nullptr, gpu_, &word, cpu_, 4, 0, nullptr, done),
            HSA_STATUS_ERROR_INVALID_ARGUMENT);
  // Past the end of the memory.
  std::vector<uint32_t> host(2048);
  EXPECT_EQ(hsa_amd_memory_async_copy(memory, gpu_, host.data(), cpu_, 8192, 0, nullptr, done),
            HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(hsa_amd_memory_async_copy(host.data(), cpu_, memory, gpu_, 8192, 0, nullptr, done),
            HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(hsa_memory_copy(memory, host.data(), 8192), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(hsa_memory_copy(host.data(), memory, 8192), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(hsa_amd_memory_fill(memory, 1, SIZE_MAX / 2), HSA_STATUS_ERROR_INVALID_ALLOCATION);
  EXPECT_EQ(hsa_signal_load_relaxed(done), 1);
}

// Whose first and last byte are far from each other, so far that the distance has no number.
TEST_F(Memory, WrongCopiesOfBoxes) {
  constexpr size_t kPitch = 64, kSlice = 512, kHalf = SIZE_MAX / 2 + 1;
  auto* memory = Allocate<uint8_t>(2 * kSlice);
  std::vector<uint8_t> host(2 * kSlice, 1);
  const hsa_signal_t done = Signal(1);
  const hsa_pitched_ptr_t source = {host.data(), kPitch, kSlice};
  const hsa_dim3_t none = {0, 0, 0};
  const auto copy = [&](const hsa_pitched_ptr_t& to, const hsa_dim3_t& offset,
                        const hsa_dim3_t& range) {
    return hsa_amd_memory_async_copy_rect(&to, &offset, &source, &none, &range, gpu_,
                                          hsaHostToDevice, 0, nullptr, done);
  };
  EXPECT_EQ(copy({memory, kPitch, kSlice}, none, {64, 8, 20}), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(copy({memory, kPitch, kSlice}, {0, 0, 20}, {64, 1, 1}),
            HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(copy({memory, kPitch, kHalf}, none, {64, 1, 3}), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(copy({memory, kHalf, kSlice}, none, {64, 3, 1}), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(copy({memory, kHalf, kHalf}, none, {64, 2, 2}), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(hsa_signal_load_relaxed(done), 1);
  // Nothing to copy: done at once, whatever else is said.
  EXPECT_OK(copy({memory, kHalf, kHalf}, {1, 1, 1}, {0, 3, 3}));
  EXPECT_TRUE(Done(done));
  EXPECT_EQ(memory[0], 0);
}

TEST_F(Memory, Fill) {
  uint32_t* memory = Allocate<uint32_t>(1000);
  ASSERT_OK(hsa_amd_memory_fill(memory, 0xABCD1234, 999));
  EXPECT_EQ(memory[998], 0xABCD1234);
  EXPECT_EQ(memory[999], 0u);
}

TEST_F(Memory, PointerInfo) {
  char* memory = Allocate<char>(5000);
  hsa_amd_pointer_info_t info = {};
  info.size = sizeof info;
  uint32_t count = 0;
  hsa_agent_t* agents = nullptr;
  ASSERT_OK(hsa_amd_pointer_info(memory + 4999, &info, std::malloc, &count, &agents));
  EXPECT_EQ(info.type, HSA_EXT_POINTER_TYPE_HSA);
  EXPECT_EQ(info.agentBaseAddress, memory);
  EXPECT_EQ(info.hostBaseAddress, memory);
  EXPECT_EQ(info.sizeInBytes, 8192u);
  EXPECT_EQ(info.agentOwner.handle, gpu_.handle);
  EXPECT_EQ(info.global_flags, kCoarse);
  EXPECT_EQ(count, agents_.size());
  std::free(agents);
  EXPECT_OK(hsa_amd_pointer_info_set_userdata(memory, &info));
  ASSERT_OK(hsa_amd_pointer_info(memory, &info, nullptr, nullptr, nullptr));
  EXPECT_EQ(info.userData, &info);
  int local = 0;
  ASSERT_OK(hsa_amd_pointer_info(&local, &info, nullptr, nullptr, nullptr));
  EXPECT_EQ(info.type, HSA_EXT_POINTER_TYPE_UNKNOWN);
  EXPECT_EQ(hsa_amd_pointer_info_set_userdata(&local, nullptr), HSA_STATUS_ERROR_INVALID_ARGUMENT);
}

TEST_F(Memory, FreeingTellsWhoWantsToKnow) {
  char* memory = Allocate<char>(100);
  static void* told;
  told = nullptr;
  const auto callback = [](void* pointer, void*) { told = pointer; };
  ASSERT_OK(hsa_amd_register_deallocation_callback(memory + 8, callback, nullptr));
  EXPECT_OK(hsa_amd_memory_pool_free(memory));
  EXPECT_EQ(told, memory + 8);
  EXPECT_EQ(hsa_amd_register_deallocation_callback(memory, callback, nullptr),
            HSA_STATUS_ERROR_INVALID_ALLOCATION);
}

TEST_F(Memory, LockedMemoryHasTwoAddresses) {
  std::vector<uint32_t> host(5000);
  std::iota(host.begin(), host.end(), 0u);
  void* at = nullptr;
  ASSERT_OK(hsa_amd_memory_lock_to_pool(host.data(), host.size() * 4, &gpu_, 1, PoolOf(cpu_, kFine),
                                        0, &at));
  EXPECT_NE(at, host.data());
  auto* alias = static_cast<uint32_t*>(at);
  EXPECT_EQ(alias[4999], 4999u);
  alias[17] = 1;
  EXPECT_EQ(host[17], 1u);
  host[18] = 2;
  EXPECT_EQ(alias[18], 2u);
  hsa_amd_pointer_info_t info = {};
  info.size = sizeof info;
  ASSERT_OK(hsa_amd_pointer_info(alias + 100, &info, nullptr, nullptr, nullptr));
  EXPECT_EQ(info.type, HSA_EXT_POINTER_TYPE_LOCKED);
  EXPECT_EQ(info.hostBaseAddress, host.data());
  EXPECT_EQ(info.agentBaseAddress, at);
  EXPECT_OK(hsa_amd_memory_unlock(host.data()));
  EXPECT_EQ(hsa_amd_memory_unlock(host.data()), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(host[17], 1u);
  EXPECT_EQ(host[4999], 4999u);
  // On this thread's own stack, and again.
  uint32_t local[3000];
  std::iota(local, local + 3000, 5u);
  for (int round = 0; round < 3; ++round) {
    ASSERT_OK(hsa_amd_memory_lock(local, sizeof local, nullptr, 0, &at));
    EXPECT_EQ(static_cast<uint32_t*>(at)[2999], 3004u);
    EXPECT_OK(hsa_amd_memory_unlock(local));
  }
}

// Memory is no file.
TEST_F(Memory, LockingNeedsNoLargeFiles) {
  rlimit before = {};
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
  const rlimit none = {0, before.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &none), 0);
  std::vector<uint32_t> host(50'000, 5);
  void* at = nullptr;
  EXPECT_OK(hsa_amd_memory_lock(host.data(), host.size() * 4, &gpu_, 1, &at));
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &before), 0);
  ASSERT_NE(at, nullptr);
  static_cast<uint32_t*>(at)[49'999] = 6;
  EXPECT_EQ(host[49'999], 6u);
  EXPECT_EQ(host[0], 5u);
  EXPECT_OK(hsa_amd_memory_unlock(host.data()));
}

// Neighbours on the heap share pages, and a buffer may be locked as a part before it is as a whole.
TEST_F(Memory, LockedRangesMayOverlap) {
  constexpr size_t kWords = 20 * 1024, kSplit = 1500;  // 4096 bytes are 1024 words
  // A page of the host program's own between, which cannot be written.
  void* const mapped =
      mmap(nullptr, kWords * 4, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(mapped, MAP_FAILED);
  auto* host = static_cast<uint32_t*>(mapped);
  std::iota(host, host + kWords, 0u);
  ASSERT_EQ(mprotect(host + 5 * 1024, 4096, PROT_READ), 0);
  const auto lock = [&](size_t first, size_t count) {
    void* at = nullptr;
    EXPECT_OK(hsa_amd_memory_lock_to_pool(host + first, count * 4, &gpu_, 1, PoolOf(cpu_, kFine), 0,
                                          &at));
    return static_cast<uint32_t*>(at);
  };
  uint32_t* const low = lock(0, kSplit);
  uint32_t* const high = lock(kSplit, 10 * 1024);
  uint32_t* const all = lock(100, kWords - 100) - 100;
  ASSERT_NE(low, nullptr);
  ASSERT_NE(high, nullptr);
  for (size_t n = 100; n < kWords; ++n) ASSERT_EQ(all[n], n);
  for (size_t n = 0; n < 10 * 1024; ++n) ASSERT_EQ(high[n], kSplit + n);
  // Each one's writes are seen by all.
  host[kSplit - 1] = 1;
  EXPECT_EQ(low[kSplit - 1], 1u);
  EXPECT_EQ(all[kSplit - 1], 1u);
  low[kSplit - 2] = 2;
  EXPECT_EQ(host[kSplit - 2], 2u);
  high[3] = 3;
  EXPECT_EQ(host[kSplit + 3], 3u);
  EXPECT_EQ(all[kSplit + 3], 3u);
  all[kWords - 1] = 4;
  EXPECT_EQ(host[kWords - 1], 4u);
  EXPECT_EQ(host[5 * 1024], 5 * 1024u);
  EXPECT_OK(hsa_amd_memory_unlock(host));
  EXPECT_OK(hsa_amd_memory_unlock(host + kSplit));
  EXPECT_OK(hsa_amd_memory_unlock(host + 100));
  munmap(mapped, kWords * 4);
}

// Of pools that are not fine-grained the address is the host's. HIP locks a range like that while
// it is also locked with another address, which must last.
TEST_F(Memory, LockedTwice) {
  std::vector<uint32_t> host(3000, 5);
  void *alias = nullptr, *same = nullptr;
  ASSERT_OK(hsa_amd_memory_lock(host.data(), 12000, nullptr, 0, &alias));
  ASSERT_OK(
      hsa_amd_memory_lock_to_pool(host.data(), 12000, nullptr, 0, PoolOf(cpu_, kCoarse), 0, &same));
  EXPECT_EQ(same, host.data());
  const auto type_of_alias = [alias] {
    hsa_amd_pointer_info_t info = {};
    info.size = sizeof info;
    EXPECT_OK(hsa_amd_pointer_info(alias, &info, nullptr, nullptr, nullptr));
    return info.type;
  };
  EXPECT_OK(hsa_amd_memory_unlock(host.data()));
  ASSERT_EQ(type_of_alias(), HSA_EXT_POINTER_TYPE_LOCKED);
  static_cast<uint32_t*>(alias)[7] = 6;
  EXPECT_EQ(host[7], 6u);
  EXPECT_OK(hsa_amd_memory_unlock(host.data()));
  EXPECT_EQ(type_of_alias(), HSA_EXT_POINTER_TYPE_UNKNOWN);
}

TEST_F(Memory, WrongLocks) {
  void* at = nullptr;
  std::vector<char> host(100);
  EXPECT_EQ(hsa_amd_memory_lock(nullptr, 4, nullptr, 0, &at), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(hsa_amd_memory_lock(host.data(), 0, nullptr, 0, &at),
            HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(hsa_amd_memory_lock(host.data(), 100, nullptr, 0, nullptr),
            HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(hsa_amd_memory_lock(reinterpret_cast<void*>(0x1000), 100, nullptr, 0, &at),
            HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(
      hsa_amd_memory_lock_to_pool(host.data(), 100, nullptr, 0, PoolOf(gpu_, kCoarse), 0, &at),
      Amd(HSA_STATUS_ERROR_INVALID_MEMORY_POOL));
  EXPECT_EQ(at, nullptr);
}

}  // namespace
}  // namespace gcnjit::hsa_tests
