// Queues: kernels, barriers, order, and progress of kernels that wait for others.
#include <bit>
#include <numeric>

#include "fixture.h"

namespace gcnjit::hsa_tests {
namespace {

class Queues : public KernelTest {
 protected:
  hsa_barrier_and_packet_t Barrier(hsa_packet_type_t type, std::vector<hsa_signal_t> after,
                                   hsa_signal_t completion) {
    hsa_barrier_and_packet_t packet = {};
    packet.header = static_cast<uint16_t>(type | 1 << HSA_PACKET_HEADER_BARRIER);
    std::copy(after.begin(), after.end(), packet.dep_signal);
    packet.completion_signal = completion;
    return packet;
  }
  static bool StaysUndone(hsa_signal_t signal) {
    return hsa_signal_wait_scacquire(signal, HSA_SIGNAL_CONDITION_EQ, 0, kShort,
                                     HSA_WAIT_STATE_BLOCKED) != 0;
  }
};

TEST_F(Queues, RunKernels) {
  constexpr uint32_t kItems = 10'000;
  uint32_t* values = Allocate<uint32_t>(kItems + 1);
  std::iota(values, values + kItems + 1, 0u);
  const hsa_signal_t done = Signal(1);
  Submit(queue_, Packet("add_one", {Address(values)}, kItems, 256, done));
  ASSERT_TRUE(Done(done));
  for (uint32_t n = 0; n < kItems; ++n) ASSERT_EQ(values[n], n + 1);
  EXPECT_EQ(values[kItems], kItems);
  hsa_amd_profiling_dispatch_time_t time;
  ASSERT_OK(hsa_amd_profiling_get_dispatch_time(gpu_, done, &time));
  EXPECT_GT(time.start, 0u);
  EXPECT_LT(time.start, time.end);
}

TEST_F(Queues, KernelsUseMemoryOfTheHost) {
  std::vector<uint32_t> values(1000, 5);
  const hsa_signal_t done = Signal(1);
  Submit(queue_, Packet("add_one", {Address(values.data())}, 1000, 64, done));
  ASSERT_TRUE(Done(done));
  EXPECT_EQ(values, std::vector<uint32_t>(1000, 6));
}

TEST_F(Queues, KernelsSeePacketAndQueue) {
  uint64_t* out = Allocate<uint64_t>(6);
  const hsa_signal_t done = Signal(1);
  const auto packet = Packet("look", {Address(out)}, 3, 1, done);
  Submit(queue_, packet);
  ASSERT_TRUE(Done(done));
  EXPECT_EQ(out[0], packet.header | uint64_t{packet.setup} << 16);
  EXPECT_EQ(out[1], 3u);
  EXPECT_EQ(out[2], done.handle & 0xFFFFFFFF);
  EXPECT_EQ(out[3], Address(queue_));
  EXPECT_EQ(out[4], 0x00010000u);
  EXPECT_EQ(out[5], 0x00020000u);
}

// Also where the last of them have one work-item.
TEST_F(Queues, KernelsSeeHowManyDimensionsThereAre) {
  uint64_t* out = Allocate<uint64_t>(6);
  for (uint16_t dimensions = 1; dimensions <= 3; ++dimensions) {
    const hsa_signal_t done = Signal(1);
    auto packet = Packet("look", {Address(out)}, 3, 1, done);
    packet.setup = dimensions;
    Submit(queue_, packet);
    ASSERT_TRUE(Done(done));
    EXPECT_EQ(out[0] >> 16, dimensions);
  }
}

// Packets of all kinds count, in each queue from 0 on, and go on beyond the queue's size.
TEST_F(Queues, KernelsSeeTheirDispatchId) {
  constexpr uint64_t kNone = UINT64_MAX;
  uint64_t* ids = Allocate<uint64_t>(4);
  std::fill_n(ids, 4, kNone);
  const hsa_signal_t done = Signal(4);
  hsa_queue_t* const small = MakeQueue(64);
  Submit(queue_, Packet("look_at_id", {Address(ids)}, 1, 1, done));
  Submit(queue_, Barrier(HSA_PACKET_TYPE_BARRIER_AND, {}, {0}));
  Submit(queue_, Packet("look_at_id", {Address(ids + 1)}, 1, 1, done));
  Submit(small, Packet("look_at_id", {Address(ids + 2)}, 1, 1, done));
  for (int n = 0; n < 70; ++n) Submit(small, Barrier(HSA_PACKET_TYPE_BARRIER_AND, {}, {0}));
  Submit(small, Packet("look_at_id", {Address(ids + 3)}, 1, 1, done));
  ASSERT_TRUE(Done(done));
  EXPECT_EQ(std::vector<uint64_t>(ids, ids + 4), (std::vector<uint64_t>{0, 2, 0, 71}));
  EXPECT_OK(hsa_queue_destroy(small));
}

// What the packet asks for is rounded up to blocks of 512 bytes (runtime/state/lds_size.h); beyond,
// stores are dropped and loads give 0.
TEST_F(Queues, DynamicLds) {
  constexpr uint32_t kItems = 200;
  uint32_t* values = Allocate<uint32_t>(kItems);
  for (const uint32_t bytes : {800u, 1024u, 513u, 512u, 508u, 4u, 0u}) {
    std::iota(values, values + kItems, 0u);
    const hsa_signal_t done = Signal(1);
    auto packet = Packet("reverse_in_lds", {Address(values), 0}, kItems, kItems, done);
    packet.group_segment_size = bytes;
    Submit(queue_, packet);
    ASSERT_TRUE(Done(done));
    const uint32_t there = (bytes + 511) / 512 * 128;
    for (uint32_t n = 0; n < kItems; ++n) {
      const uint32_t from = kItems - 1 - n;
      ASSERT_EQ(values[n], from < there ? from : 0) << bytes << " bytes, work-item " << n;
    }
  }
}

TEST_F(Queues, GoRoundManyTimes) {
  constexpr uint32_t kPackets = 1000, kProducers = 3;
  uint32_t* total = Allocate<uint32_t>(1);
  const hsa_signal_t left = Signal(kPackets * kProducers);
  const auto packet = Packet("count", {Address(total)}, 1, 1, left);
  std::vector<std::thread> producers;
  for (uint32_t n = 0; n < kProducers; ++n) {
    producers.emplace_back([&] {
      for (uint32_t k = 0; k < kPackets; ++k) Submit(queue_, packet);
    });
  }
  for (std::thread& producer : producers) producer.join();
  ASSERT_TRUE(Done(left));
  EXPECT_EQ(*total, kPackets * kProducers);
  EXPECT_EQ(hsa_queue_load_read_index_relaxed(queue_), uint64_t{kPackets} * kProducers);
  EXPECT_EQ(hsa_queue_load_write_index_relaxed(queue_), uint64_t{kPackets} * kProducers);
  uint64_t address = 0;
  ASSERT_OK(hsa_executable_symbol_get_info(Symbol("counter"),
                                           HSA_EXECUTABLE_SYMBOL_INFO_VARIABLE_ADDRESS, &address));
  EXPECT_EQ(*reinterpret_cast<uint32_t*>(address), 7 + kPackets * kProducers);
}

TEST_F(Queues, BarrierAndWaitsForAll) {
  const hsa_signal_t first = Signal(1), second = Signal(1), done = Signal(1);
  Submit(queue_, Barrier(HSA_PACKET_TYPE_BARRIER_AND, {first, {0}, second}, done));
  EXPECT_TRUE(StaysUndone(done));
  hsa_signal_store_screlease(second, 0);
  EXPECT_TRUE(StaysUndone(done));
  hsa_signal_store_screlease(first, 0);
  EXPECT_TRUE(Done(done));
}

TEST_F(Queues, BarrierOrWaitsForOne) {
  const hsa_signal_t first = Signal(1), second = Signal(1), done = Signal(1);
  Submit(queue_, Barrier(HSA_PACKET_TYPE_BARRIER_OR, {first, second}, done));
  EXPECT_TRUE(StaysUndone(done));
  hsa_signal_store_screlease(second, 0);
  EXPECT_TRUE(Done(done));
}

TEST_F(Queues, BarrierValue) {
  const hsa_signal_t signal = Signal(0x10), done = Signal(1);
  hsa_amd_barrier_value_packet_t packet = {};
  packet.header.header = HSA_PACKET_TYPE_VENDOR_SPECIFIC;
  packet.header.AmdFormat = HSA_AMD_PACKET_TYPE_BARRIER_VALUE;
  packet.signal = signal;
  packet.value = 3;
  packet.mask = 0xF;
  packet.cond = HSA_SIGNAL_CONDITION_GTE;
  packet.completion_signal = done;
  Submit(queue_, packet);
  EXPECT_TRUE(StaysUndone(done));
  hsa_signal_store_screlease(signal, 0x14);
  EXPECT_TRUE(Done(done));
}

TEST_F(Queues, KernelsMayWaitForTheHost) {
  uint32_t* words = Allocate<uint32_t>(2, kFine);
  const hsa_signal_t done = Signal(1);
  Submit(queue_, Packet("wait_for", {Address(words), Address(words + 1)}, 1, 1, done));
  EXPECT_TRUE(StaysUndone(done));
  __atomic_store_n(words, 41u, __ATOMIC_RELEASE);
  ASSERT_TRUE(Done(done));
  EXPECT_EQ(words[1], 42u);
}

TEST_F(Queues, KernelsMayWaitForOtherQueues) {
  constexpr int kQueues = 4;
  uint32_t* words = Allocate<uint32_t>(kQueues + 1);
  const hsa_signal_t done = Signal(kQueues);
  std::vector<hsa_queue_t*> queues;
  // Each waits for the next; nothing waits for the last one.
  for (int n = 0; n < kQueues; ++n) {
    queues.push_back(MakeQueue());
    Submit(queues.back(),
           Packet("wait_for", {Address(words + n + 1), Address(words + n)}, 1, 1, done));
  }
  EXPECT_TRUE(StaysUndone(done));
  const hsa_signal_t set = Signal(1);
  Submit(queue_, Packet("set", {Address(words + kQueues), 10}, 1, 1, set));
  ASSERT_TRUE(Done(done));
  EXPECT_TRUE(Done(set));
  EXPECT_EQ(words[0], 10u + kQueues);
  for (hsa_queue_t* queue : queues) EXPECT_OK(hsa_queue_destroy(queue));
}

TEST_F(Queues, PrioritiesAndMasks) {
  EXPECT_OK(hsa_amd_queue_set_priority(queue_, HSA_AMD_QUEUE_PRIORITY_LOW));
  EXPECT_EQ(hsa_amd_queue_set_priority(queue_, static_cast<hsa_amd_queue_priority_t>(3)),
            HSA_STATUS_ERROR_INVALID_ARGUMENT);
  uint32_t mask[4] = {1, 1, 1, 1};
  EXPECT_OK(hsa_amd_queue_cu_set_mask(queue_, 64, mask));
  EXPECT_EQ(hsa_amd_queue_cu_set_mask(queue_, 33, mask), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(hsa_amd_queue_cu_set_mask(queue_, 32, nullptr), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  // All of the device's 64 compute units, whatever was asked for; the rest of the array is not
  // touched.
  EXPECT_OK(hsa_amd_queue_cu_get_mask(queue_, 96, mask));
  EXPECT_EQ(std::vector<uint32_t>(mask, mask + 4),
            (std::vector<uint32_t>{UINT32_MAX, UINT32_MAX, 0, 1}));
  EXPECT_EQ(hsa_amd_queue_cu_get_mask(queue_, 0, mask), HSA_STATUS_ERROR_INVALID_ARGUMENT);
}

// A queue for cooperative launches: one dispatch says how many groups wait for each other in the
// next one.
TEST_F(Queues, CooperativeQueuesSyncTheGrid) {
  constexpr uint32_t kGroups = 70;
  bool cooperative = false;
  ASSERT_OK(hsa_agent_get_info(
      gpu_, std::bit_cast<hsa_agent_info_t>(uint32_t{HSA_AMD_AGENT_INFO_COOPERATIVE_QUEUES}),
      &cooperative));
  EXPECT_TRUE(cooperative);
  hsa_queue_t* queue = nullptr;
  ASSERT_OK(hsa_queue_create(gpu_, 64, HSA_QUEUE_TYPE_COOPERATIVE, nullptr, nullptr, 0, 0, &queue));
  EXPECT_EQ(queue->type, static_cast<hsa_queue_type32_t>(HSA_QUEUE_TYPE_COOPERATIVE));
  for (const uint32_t groups : {1u, 2u, kGroups}) {
    uint32_t* values = Allocate<uint32_t>(2 * kGroups);
    const hsa_signal_t done = Signal(2);
    Submit(queue, Packet("begin_sync", {groups - 1}, 64, 64, done));
    Submit(queue, Packet("sync_grid", {Address(values), groups}, groups * 64, 64, done));
    ASSERT_TRUE(Done(done));
    for (uint32_t n = 0; n < groups; ++n) {
      EXPECT_EQ(values[groups + n], groups - n) << n << " of " << groups;
    }
  }
  EXPECT_OK(hsa_queue_destroy(queue));
}

TEST_F(Queues, WrongRequests) {
  hsa_queue_t* queue = nullptr;
  const auto create = [&](hsa_agent_t agent, uint32_t size, hsa_queue_type32_t type) {
    return hsa_queue_create(agent, size, type, nullptr, nullptr, 0, 0, &queue);
  };
  EXPECT_EQ(create({3}, 64, HSA_QUEUE_TYPE_MULTI), HSA_STATUS_ERROR_INVALID_AGENT);
  EXPECT_EQ(create(cpu_, 64, HSA_QUEUE_TYPE_MULTI), HSA_STATUS_ERROR_INVALID_QUEUE_CREATION);
  EXPECT_EQ(create(gpu_, 0, HSA_QUEUE_TYPE_MULTI), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(create(gpu_, 100, HSA_QUEUE_TYPE_MULTI), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(create(gpu_, 1 << 20, HSA_QUEUE_TYPE_MULTI), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(create(gpu_, 64, 7), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(hsa_queue_destroy(nullptr), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  hsa_queue_t other = {};
  EXPECT_EQ(hsa_queue_destroy(&other), HSA_STATUS_ERROR_INVALID_QUEUE);
}

}  // namespace
}  // namespace gcnjit::hsa_tests
