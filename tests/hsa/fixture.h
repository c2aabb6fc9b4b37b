// What the tests of the HSA library share: an initialised library, its agents and pools, and the
// steps from a file to a packet in a queue.
#pragma once

#include <gtest/gtest.h>
#include <hsa/amd_hsa_queue.h>
#include <hsa/amd_hsa_signal.h>
#include <hsa/hsa.h>
#include <hsa/hsa_ext_amd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>
#include <thread>
#include <vector>

namespace gcnjit::hsa_tests {

inline constexpr uint64_t kForever = UINT64_MAX;
inline constexpr uint64_t kLong = 20'000'000'000;  // ns: longer than anything here takes
inline constexpr uint64_t kShort = 20'000'000;

#define EXPECT_OK(call) EXPECT_EQ(call, HSA_STATUS_SUCCESS)
#define ASSERT_OK(call) ASSERT_EQ(call, HSA_STATUS_SUCCESS)

// Status codes of the AMD extension are an enumeration of their own.
inline hsa_status_t Amd(int code) { return static_cast<hsa_status_t>(code); }

inline std::vector<char> ReadFile(const char* path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

class HsaTest : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_OK(hsa_init());
    ASSERT_OK(hsa_iterate_agents(
        [](hsa_agent_t agent, void* data) {
          static_cast<HsaTest*>(data)->agents_.push_back(agent);
          return HSA_STATUS_SUCCESS;
        },
        this));
    ASSERT_GE(agents_.size(), 2u);
    cpu_ = agents_[0];
    gpu_ = agents_[1];
  }
  void TearDown() override { EXPECT_OK(hsa_shut_down()); }

  // The first pool of the agent that has exactly these flags.
  static hsa_amd_memory_pool_t PoolOf(hsa_agent_t agent, uint32_t flags) {
    struct Search {
      uint32_t flags;
      hsa_amd_memory_pool_t found = {0};
    } search = {flags};
    hsa_amd_agent_iterate_memory_pools(
        agent,
        [](hsa_amd_memory_pool_t pool, void* data) {
          auto& wanted = *static_cast<Search*>(data);
          hsa_amd_segment_t segment;
          uint32_t found = 0;
          hsa_amd_memory_pool_get_info(pool, HSA_AMD_MEMORY_POOL_INFO_SEGMENT, &segment);
          hsa_amd_memory_pool_get_info(pool, HSA_AMD_MEMORY_POOL_INFO_GLOBAL_FLAGS, &found);
          if (segment != HSA_AMD_SEGMENT_GLOBAL || found != wanted.flags) return HSA_STATUS_SUCCESS;
          wanted.found = pool;
          return HSA_STATUS_INFO_BREAK;
        },
        &search);
    return search.found;
  }
  static constexpr uint32_t kFine = HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_FINE_GRAINED;
  static constexpr uint32_t kCoarse = HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_COARSE_GRAINED;
  static constexpr uint32_t kKernarg = HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_KERNARG_INIT | kFine;

  template <typename T>
  T* Allocate(size_t count, uint32_t flags = kCoarse) {
    void* pointer = nullptr;
    EXPECT_OK(hsa_amd_memory_pool_allocate(PoolOf(gpu_, flags), count * sizeof(T), 0, &pointer));
    return static_cast<T*>(pointer);
  }

  static hsa_signal_t Signal(hsa_signal_value_t value) {
    hsa_signal_t signal = {0};
    EXPECT_OK(hsa_signal_create(value, 0, nullptr, &signal));
    return signal;
  }
  // Has the signal become 0 before much time is over?
  static bool Done(hsa_signal_t signal) {
    return hsa_signal_wait_scacquire(signal, HSA_SIGNAL_CONDITION_EQ, 0, kLong,
                                     HSA_WAIT_STATE_BLOCKED) == 0;
  }

  std::vector<hsa_agent_t> agents_;
  hsa_agent_t cpu_ = {0};
  hsa_agent_t gpu_ = {0};
};

// With the test kernels loaded, and queues.
class KernelTest : public HsaTest {
 protected:
  void SetUp() override {
    HsaTest::SetUp();
    const std::vector<char> file = ReadFile(GCNJIT_HSA_KERNELS);
    hsa_code_object_reader_t reader;
    ASSERT_OK(hsa_code_object_reader_create_from_memory(file.data(), file.size(), &reader));
    ASSERT_OK(hsa_executable_create_alt(HSA_PROFILE_BASE, HSA_DEFAULT_FLOAT_ROUNDING_MODE_NEAR,
                                        nullptr, &executable_));
    ASSERT_OK(hsa_executable_load_agent_code_object(executable_, gpu_, reader, nullptr, nullptr));
    ASSERT_OK(hsa_code_object_reader_destroy(reader));
    ASSERT_OK(hsa_executable_freeze(executable_, nullptr));
    queue_ = MakeQueue();
  }
  void TearDown() override {
    EXPECT_OK(hsa_queue_destroy(queue_));
    EXPECT_OK(hsa_executable_destroy(executable_));
    HsaTest::TearDown();
  }

  // The status that queues have reported.
  static void Failed(hsa_status_t status, hsa_queue_t*, void* data) {
    *static_cast<std::atomic<int>*>(data) = status;
  }
  hsa_queue_t* MakeQueue(uint32_t packets = 64) {
    hsa_queue_t* queue = nullptr;
    EXPECT_OK(hsa_queue_create(gpu_, packets, HSA_QUEUE_TYPE_MULTI, Failed, &failed_, UINT32_MAX,
                               UINT32_MAX, &queue));
    return queue;
  }
  // Waits for a queue to fail.
  int Failure() {
    const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (failed_ == 0 && std::chrono::steady_clock::now() < until) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    return failed_;
  }

  hsa_executable_symbol_t Symbol(const char* name) {
    hsa_executable_symbol_t symbol = {0};
    EXPECT_OK(hsa_executable_get_symbol_by_name(executable_, name, &gpu_, &symbol)) << name;
    return symbol;
  }
  uint64_t KernelObject(const std::string& name) {
    uint64_t object = 0;
    EXPECT_OK(hsa_executable_symbol_get_info(Symbol((name + ".kd").c_str()),
                                             HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_OBJECT, &object));
    return object;
  }

  // A packet for a kernel with these arguments, of 8 bytes each.
  hsa_kernel_dispatch_packet_t Packet(const std::string& kernel,
                                      const std::vector<uint64_t>& arguments, uint32_t items,
                                      uint16_t group, hsa_signal_t completion) {
    hsa_kernel_dispatch_packet_t packet = {};
    packet.header = HSA_PACKET_TYPE_KERNEL_DISPATCH;
    packet.setup = 1;
    packet.workgroup_size_x = group;
    packet.workgroup_size_y = packet.workgroup_size_z = 1;
    packet.grid_size_x = items;
    packet.grid_size_y = packet.grid_size_z = 1;
    packet.kernel_object = KernelObject(kernel);
    packet.completion_signal = completion;
    EXPECT_OK(
        hsa_amd_memory_pool_allocate(PoolOf(cpu_, kKernarg), 4096, 0, &packet.kernarg_address));
    std::copy(arguments.begin(), arguments.end(), static_cast<uint64_t*>(packet.kernarg_address));
    return packet;
  }

  // As a host program does it: the rest of the packet first, its header last, then the bell.
  template <typename T>
  static void Submit(hsa_queue_t* queue, const T& packet) {
    static_assert(sizeof packet == 64);
    const uint64_t index = hsa_queue_add_write_index_screlease(queue, 1);
    while (index - hsa_queue_load_read_index_scacquire(queue) >= queue->size) {
      std::this_thread::yield();
    }
    char* slot = static_cast<char*>(queue->base_address) + index % queue->size * sizeof packet;
    const char* bytes = reinterpret_cast<const char*>(&packet);
    std::memcpy(slot + 4, bytes + 4, sizeof packet - 4);
    uint32_t first;
    std::memcpy(&first, bytes, sizeof first);
    __atomic_store_n(reinterpret_cast<uint32_t*>(slot), first, __ATOMIC_RELEASE);
    hsa_signal_store_screlease(queue->doorbell_signal, static_cast<hsa_signal_value_t>(index));
  }

  static uint64_t Address(const void* pointer) { return reinterpret_cast<uint64_t>(pointer); }

  hsa_executable_t executable_ = {0};
  hsa_queue_t* queue_ = nullptr;
  std::atomic<int> failed_ = 0;
};

}  // namespace gcnjit::hsa_tests
