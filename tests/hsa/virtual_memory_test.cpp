// Virtual memory: addresses, handles, mappings, rights, and handles in other processes.
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "fixture.h"
#include "runtime/hsa/newer_api.h"

namespace gcnjit::hsa_tests {
namespace {

using hsa::VmemAccess;
using hsa::VmemHandle;

constexpr uint64_t kPage = 4096;

class VirtualMemory : public KernelTest {
 protected:
  char* Reserve(uint64_t bytes) {
    void* va = nullptr;
    EXPECT_OK(hsa::VmemAddressReserve(&va, bytes, 0, 0));
    return static_cast<char*>(va);
  }
  VmemHandle Create(uint64_t bytes) {
    VmemHandle handle = {0};
    EXPECT_OK(
        hsa::VmemHandleCreate(PoolOf(gpu_, kCoarse), bytes, hsa::kMemoryTypePinned, 0, &handle));
    return handle;
  }
  void Allow(void* va, uint64_t bytes, int permissions = HSA_ACCESS_PERMISSION_RW) {
    const VmemAccess access = {static_cast<hsa_access_permission_t>(permissions), gpu_};
    EXPECT_OK(hsa::VmemSetAccess(va, bytes, &access, 1));
  }
  hsa_amd_pointer_info_t Info(const void* pointer) {
    hsa_amd_pointer_info_t info = {};
    info.size = sizeof info;
    EXPECT_OK(hsa_amd_pointer_info(pointer, &info, nullptr, nullptr, nullptr));
    return info;
  }
  // Runs a kernel that adds 1 to each of so many words.
  void AddOne(void* words, uint32_t count) {
    const hsa_signal_t done = Signal(1);
    Submit(queue_, Packet("add_one", {Address(words)}, count, 64, done));
    ASSERT_TRUE(Done(done));
    EXPECT_OK(hsa_signal_destroy(done));
  }
};

TEST_F(VirtualMemory, GrowsAsAPoolOfMemoryDoes) {
  // A large reservation, filled piece by piece; what lies across two pieces is one.
  constexpr uint64_t kPiece = 64 * kPage;
  char* const va = Reserve(uint64_t{32} << 30);
  for (uint64_t n = 0; n < 3; ++n) {
    const VmemHandle handle = Create(kPiece);
    ASSERT_OK(hsa::VmemMap(va + n * kPiece, kPiece, 0, handle, 0));
    ASSERT_OK(hsa::VmemHandleRelease(handle));
    Allow(va + n * kPiece, kPiece);
  }
  auto* const words = reinterpret_cast<uint32_t*>(va + kPiece / 2);
  const uint32_t count = 2 * kPiece / sizeof(uint32_t);
  std::vector<uint32_t> host(count, 41);
  ASSERT_OK(hsa_memory_copy(words, host.data(), 2 * kPiece));
  AddOne(words, count);
  ASSERT_OK(hsa_memory_copy(host.data(), words, 2 * kPiece));
  EXPECT_EQ(std::count(host.begin(), host.end(), 42u), count);
  EXPECT_EQ(hsa_memory_copy(host.data(), va + 2 * kPiece, 2 * kPiece),
            HSA_STATUS_ERROR_INVALID_ARGUMENT);
  for (uint64_t n = 0; n < 3; ++n) EXPECT_OK(hsa::VmemUnmap(va + n * kPiece, kPiece));
  EXPECT_OK(hsa::VmemAddressFree(va, uint64_t{32} << 30));
}

TEST_F(VirtualMemory, TwoMappingsOfAHandleAreOneMemory) {
  const VmemHandle handle = Create(4 * kPage);
  char* const first = Reserve(4 * kPage);
  char* const second = Reserve(4 * kPage);
  for (char* const va : {first, second}) {
    ASSERT_OK(hsa::VmemMap(va, 4 * kPage, 0, handle, 0));
    Allow(va, 4 * kPage);
  }
  std::memset(first, 0, 4 * kPage);
  AddOne(first, 1024);
  AddOne(second, 1024);
  EXPECT_EQ(*reinterpret_cast<uint32_t*>(first + 4092), 2u);
  EXPECT_EQ(std::memcmp(first, second, 4 * kPage), 0);
  // A handle that is mapped can be had back, after it has been released too.
  EXPECT_OK(hsa::VmemHandleRelease(handle));
  EXPECT_EQ(hsa::VmemHandleRelease(handle), HSA_STATUS_ERROR_INVALID_ALLOCATION);
  VmemHandle again = {0};
  EXPECT_EQ(hsa::VmemRetain(&again, second + kPage), HSA_STATUS_ERROR_INVALID_ALLOCATION);
  ASSERT_OK(hsa::VmemRetain(&again, second));
  EXPECT_EQ(again.handle, handle.handle);
  hsa_amd_memory_pool_t pool = {0};
  uint32_t type = 77;
  ASSERT_OK(hsa::VmemProperties(again, &pool, &type));
  EXPECT_EQ(pool.handle, PoolOf(gpu_, kCoarse).handle);
  EXPECT_EQ(type, hsa::kMemoryTypePinned);
  EXPECT_OK(hsa::VmemUnmap(first, 4 * kPage));
  EXPECT_OK(hsa::VmemUnmap(second, 4 * kPage));
  ASSERT_OK(hsa::VmemMap(first, 4 * kPage, 0, again, 0));
  EXPECT_OK(hsa::VmemHandleRelease(again));
  Allow(first, 4 * kPage);
  EXPECT_EQ(*reinterpret_cast<uint32_t*>(first), 2u);
  EXPECT_OK(hsa::VmemUnmap(first, 4 * kPage));
  EXPECT_EQ(hsa::VmemProperties(again, &pool, &type), HSA_STATUS_ERROR_INVALID_ALLOCATION);
  EXPECT_OK(hsa::VmemAddressFree(first, 4 * kPage));
  EXPECT_OK(hsa::VmemAddressFree(second, 4 * kPage));
}

TEST_F(VirtualMemory, WhatIsKnownOfAPointer) {
  char* const va = Reserve(8 * kPage);
  hsa_amd_pointer_info_t info = Info(va + kPage);
  EXPECT_EQ(static_cast<int>(info.type), hsa::kPointerTypeReserved);
  EXPECT_EQ(info.agentBaseAddress, va);
  EXPECT_EQ(info.sizeInBytes, 8 * kPage);
  const VmemHandle handle = Create(2 * kPage);
  ASSERT_OK(hsa::VmemMap(va + 4 * kPage, 2 * kPage, 0, handle, 0));
  info = Info(va + 5 * kPage + 7);
  EXPECT_EQ(static_cast<int>(info.type), hsa::kPointerTypeVmem);
  EXPECT_EQ(info.agentBaseAddress, va + 4 * kPage);
  EXPECT_EQ(info.hostBaseAddress, va + 4 * kPage);
  EXPECT_EQ(info.sizeInBytes, 2 * kPage);
  EXPECT_EQ(info.agentOwner.handle, gpu_.handle);
  EXPECT_EQ(info.global_flags, kCoarse);
  EXPECT_OK(hsa::VmemUnmap(va + 4 * kPage, 2 * kPage));
  EXPECT_OK(hsa::VmemHandleRelease(handle));
  EXPECT_OK(hsa::VmemAddressFree(va, 8 * kPage));
  EXPECT_EQ(Info(va).type, HSA_EXT_POINTER_TYPE_UNKNOWN);
}

TEST_F(VirtualMemory, RightsAreKeptByAgent) {
  char* const va = Reserve(4 * kPage);
  const VmemHandle handle = Create(kPage);
  for (int n = 0; n < 3; ++n) ASSERT_OK(hsa::VmemMap(va + n * kPage, kPage, 0, handle, 0));
  hsa_access_permission_t permissions = HSA_ACCESS_PERMISSION_RW;
  ASSERT_OK(hsa::VmemGetAccess(va + 5, &permissions, gpu_));
  EXPECT_EQ(static_cast<int>(permissions), 0);
  uint32_t word = 1;
  EXPECT_EQ(hsa_memory_copy(va, &word, 4), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  Allow(va, 2 * kPage, HSA_ACCESS_PERMISSION_RO);
  EXPECT_EQ(hsa_memory_copy(va, &word, 4), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_OK(hsa_memory_copy(&word, va + kPage, 4));
  EXPECT_EQ(hsa_memory_copy(&word, va + 2 * kPage, 4), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  const VmemAccess both[] = {{HSA_ACCESS_PERMISSION_RW, cpu_}, {HSA_ACCESS_PERMISSION_RW, gpu_}};
  ASSERT_OK(hsa::VmemSetAccess(va, kPage, both, 2));
  ASSERT_OK(hsa::VmemGetAccess(va, &permissions, gpu_));
  EXPECT_EQ(permissions, HSA_ACCESS_PERMISSION_RW);
  ASSERT_OK(hsa::VmemGetAccess(va + kPage, &permissions, gpu_));
  EXPECT_EQ(permissions, HSA_ACCESS_PERMISSION_RO);
  EXPECT_OK(hsa_memory_copy(va, &word, 4));
  EXPECT_EQ(hsa::VmemGetAccess(va, &permissions, cpu_), HSA_STATUS_ERROR_INVALID_AGENT);
  EXPECT_EQ(hsa::VmemGetAccess(va + 3 * kPage, &permissions, gpu_),
            HSA_STATUS_ERROR_INVALID_ALLOCATION);
  // To all that follows without a gap.
  ASSERT_OK(hsa_amd_agents_allow_access(1, &gpu_, nullptr, va + kPage));
  ASSERT_OK(hsa::VmemGetAccess(va + 2 * kPage, &permissions, gpu_));
  EXPECT_EQ(permissions, HSA_ACCESS_PERMISSION_RW);
  EXPECT_EQ(hsa_amd_agents_allow_access(1, &gpu_, nullptr, va + 3 * kPage),
            HSA_STATUS_ERROR_INVALID_ALLOCATION);
}

// A kernel that goes where nothing is mapped, or it may not.
class VirtualMemoryFaults : public VirtualMemory, public testing::WithParamInterface<int> {};

TEST_P(VirtualMemoryFaults, AreReported) {
  static std::atomic<uint64_t> faulted;
  faulted = 0;
  char* const va = Reserve(4 * kPage);
  const VmemHandle handle = Create(kPage);
  ASSERT_OK(hsa::VmemMap(va, kPage, 0, handle, 0));
  uint64_t at = Address(va);
  switch (GetParam()) {
    case 0: at += kPage; break;                                 // nothing is mapped
    case 1: break;                                              // no access was set
    case 2: Allow(va, kPage, HSA_ACCESS_PERMISSION_RO); break;  // it writes
    case 3:                                                     // rights taken back
      Allow(va, kPage);
      Allow(va, kPage, hsa::kAccessNone);
      break;
    case 4:  // unmapped
      Allow(va, kPage);
      AddOne(va, 64);
      ASSERT_OK(hsa::VmemUnmap(va, kPage));
      break;
    case 5: {  // the host's only
      const VmemAccess access = {HSA_ACCESS_PERMISSION_RW, cpu_};
      ASSERT_OK(hsa::VmemSetAccess(va, kPage, &access, 1));
      *va = 1;
      break;
    }
    default: FAIL();
  }
  ASSERT_OK(hsa_amd_register_system_event_handler(
      [](const hsa_amd_event_t* event, void*) {
        faulted = event->memory_fault.virtual_address;
        return HSA_STATUS_SUCCESS;
      },
      nullptr));
  Submit(queue_, Packet("add_one", {at}, 64, 64, Signal(1)));
  EXPECT_EQ(Failure(), HSA_STATUS_ERROR_MEMORY_FAULT);
  EXPECT_EQ(faulted, at);
}

INSTANTIATE_TEST_SUITE_P(Kinds, VirtualMemoryFaults, testing::Range(0, 6));

TEST_F(VirtualMemory, WrongArguments) {
  void* va = nullptr;
  EXPECT_EQ(hsa::VmemAddressReserve(nullptr, kPage, 0, 0), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(hsa::VmemAddressReserve(&va, 0, 0, 0), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  for (const size_t bytes : {size_t{1}, kPage + 1, size_t{1} << 63, SIZE_MAX, SIZE_MAX - 4095}) {
    EXPECT_EQ(hsa::VmemAddressReserve(&va, bytes, 0, 0), HSA_STATUS_ERROR_OUT_OF_RESOURCES);
  }
  EXPECT_EQ(hsa::VmemAddressReserveAlign(&va, kPage, 0, 24, 0), HSA_STATUS_ERROR_OUT_OF_RESOURCES);
  ASSERT_OK(hsa::VmemAddressReserveAlign(&va, kPage, 0, 1 << 24, 0));
  EXPECT_EQ(Address(va) % (1 << 24), 0u);

  const hsa_amd_memory_pool_t pool = PoolOf(gpu_, kCoarse);
  VmemHandle handle = {0};
  EXPECT_EQ(hsa::VmemHandleCreate({7}, kPage, 0, 0, &handle), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(hsa::VmemHandleCreate(pool, kPage, 2, 0, &handle), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(hsa::VmemHandleCreate(pool, kPage, 0, 0, nullptr), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  for (const size_t bytes : {size_t{0}, kPage - 1, SIZE_MAX}) {
    EXPECT_EQ(hsa::VmemHandleCreate(pool, bytes, 0, 0, &handle), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  }
  EXPECT_EQ(hsa::VmemHandleCreate(pool, SIZE_MAX - 4095, 0, 0, &handle),
            HSA_STATUS_ERROR_INVALID_ALLOCATION);
  for (const uint64_t none : {uint64_t{0}, uint64_t{1} << 40, UINT64_MAX}) {
    EXPECT_EQ(hsa::VmemHandleRelease({none}), HSA_STATUS_ERROR_INVALID_ALLOCATION);
    EXPECT_EQ(hsa::VmemMap(va, kPage, 0, {none}, 0), HSA_STATUS_ERROR_INVALID_ARGUMENT);
    int file = 5;
    EXPECT_EQ(hsa::VmemExport(&file, {none}, 0), HSA_STATUS_ERROR_INVALID_ALLOCATION);
    EXPECT_EQ(file, -1);
  }

  handle = Create(2 * kPage);
  char* const at = Reserve(4 * kPage);
  char* const other = Allocate<char>(4 * kPage);
  const auto map = [&](void* to, size_t bytes, size_t offset) {
    return hsa::VmemMap(to, bytes, offset, handle, 0);
  };
  EXPECT_EQ(map(nullptr, kPage, 0), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  for (const size_t bytes : {size_t{0}, size_t{1}, 3 * kPage, SIZE_MAX, SIZE_MAX - 4095}) {
    EXPECT_EQ(map(at, bytes, 0), HSA_STATUS_ERROR_INVALID_ARGUMENT) << bytes;
  }
  for (const size_t offset : {size_t{1}, kPage, 2 * kPage, SIZE_MAX, SIZE_MAX - 4095}) {
    EXPECT_EQ(map(at, 2 * kPage, offset), HSA_STATUS_ERROR_INVALID_ARGUMENT) << offset;
  }
  for (char* const to : {at + 3 * kPage, at + 4 * kPage, at - kPage, at + 1, other}) {
    EXPECT_EQ(map(to, 2 * kPage, 0), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  }
  ASSERT_OK(map(at, 2 * kPage, 0));
  EXPECT_EQ(map(at + kPage, 2 * kPage, 0), HSA_STATUS_ERROR_INVALID_ARGUMENT);

  const VmemAccess access = {HSA_ACCESS_PERMISSION_RW, gpu_};
  const VmemAccess stranger = {HSA_ACCESS_PERMISSION_RW, {3}};
  VmemAccess odd = access;
  constexpr int kNone = 4;
  std::memcpy(&odd.permissions, &kNone, sizeof kNone);
  EXPECT_EQ(hsa::VmemSetAccess(at, kPage, nullptr, 1), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(hsa::VmemSetAccess(at, kPage, &access, 0), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(hsa::VmemSetAccess(at, kPage, &stranger, 1), HSA_STATUS_ERROR_INVALID_AGENT);
  EXPECT_EQ(hsa::VmemSetAccess(at, kPage, &odd, 1), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(hsa::VmemSetAccess(at, SIZE_MAX, &access, 1), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(hsa::VmemSetAccess(other, kPage, &access, 1), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(hsa::VmemSetAccess(at + kPage, kPage, &access, 1), HSA_STATUS_ERROR_INVALID_ALLOCATION);
  EXPECT_EQ(hsa::VmemSetAccess(at, 4 * kPage, &access, 1), HSA_STATUS_ERROR_INVALID_ALLOCATION);

  EXPECT_EQ(hsa::VmemAddressFree(at, 4 * kPage), HSA_STATUS_ERROR_RESOURCE_FREE);
  EXPECT_EQ(hsa::VmemAddressFree(at + kPage, kPage), HSA_STATUS_ERROR_INVALID_ALLOCATION);
  EXPECT_EQ(hsa::VmemAddressFree(at, 2 * kPage), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(hsa::VmemAddressFree(other, 4 * kPage), HSA_STATUS_ERROR_INVALID_ALLOCATION);
  EXPECT_EQ(hsa_amd_memory_pool_free(at), HSA_STATUS_ERROR_INVALID_ALLOCATION);
  EXPECT_EQ(hsa::VmemUnmap(at, kPage), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(hsa::VmemUnmap(at + kPage, kPage), HSA_STATUS_ERROR_INVALID_ALLOCATION);
  EXPECT_OK(hsa::VmemUnmap(at, 2 * kPage));
  EXPECT_EQ(hsa::VmemUnmap(at, 2 * kPage), HSA_STATUS_ERROR_INVALID_ALLOCATION);
  EXPECT_OK(hsa::VmemAddressFree(at, 4 * kPage));
  EXPECT_EQ(hsa::VmemAddressFree(at, 4 * kPage), HSA_STATUS_ERROR_INVALID_ALLOCATION);
}

TEST_F(VirtualMemory, HandlesGoThroughDescriptors) {
  const VmemHandle handle = Create(2 * kPage);
  int file = -1;
  ASSERT_OK(hsa::VmemExport(&file, handle, 0));
  ASSERT_GE(file, 0);
  VmemHandle again = {0};
  ASSERT_OK(hsa::VmemImport(file, &again));
  EXPECT_EQ(again.handle, handle.handle) << "it is the same memory";
  EXPECT_OK(hsa::VmemHandleRelease(handle));
  EXPECT_OK(hsa::VmemHandleRelease(handle));
  EXPECT_EQ(hsa::VmemHandleRelease(handle), HSA_STATUS_ERROR_INVALID_ALLOCATION);
  // The descriptor holds the memory.
  ASSERT_OK(hsa::VmemImport(file, &again));
  hsa_amd_memory_pool_t pool = {0};
  uint32_t type = 77;
  ASSERT_OK(hsa::VmemProperties(again, &pool, &type));
  EXPECT_EQ(pool.handle, PoolOf(gpu_, kCoarse).handle);
  close(file);
  EXPECT_OK(hsa::VmemHandleRelease(again));

  EXPECT_EQ(hsa::VmemImport(-1, &again), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(hsa::VmemImport(1 << 20, &again), HSA_STATUS_ERROR_INCOMPATIBLE_ARGUMENTS);
  const int other = memfd_create("other", 0);
  EXPECT_EQ(hsa::VmemImport(other, &again), HSA_STATUS_ERROR_INCOMPATIBLE_ARGUMENTS);
  EXPECT_EQ(hsa::VmemImport(other, nullptr), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  close(other);
}

}  // namespace
}  // namespace gcnjit::hsa_tests
