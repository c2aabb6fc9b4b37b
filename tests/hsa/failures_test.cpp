// Packets that no hardware would run, and kernels that fault: what the host program is told.
#include "fixture.h"

namespace gcnjit::hsa_tests {
namespace {

class Failures : public KernelTest {
 protected:
  void SetUp() override {
    KernelTest::SetUp();
    packet_ = Packet("add_one", {Address(Allocate<uint32_t>(64))}, 64, 64, Signal(1));
  }
  hsa_kernel_dispatch_packet_t packet_;
};

TEST_F(Failures, NoKernelObject) {
  packet_.kernel_object = 0;
  Submit(queue_, packet_);
  EXPECT_EQ(Failure(), HSA_STATUS_ERROR_INVALID_CODE_OBJECT);
}

TEST_F(Failures, KernelOfADestroyedExecutable) {
  ASSERT_OK(hsa_executable_destroy(executable_));
  ASSERT_OK(hsa_executable_create_alt(HSA_PROFILE_BASE, HSA_DEFAULT_FLOAT_ROUNDING_MODE_NEAR,
                                      nullptr, &executable_));
  Submit(queue_, packet_);
  EXPECT_EQ(Failure(), HSA_STATUS_ERROR_INVALID_CODE_OBJECT);
}

TEST_F(Failures, NoDimensions) {
  packet_.setup = 0;
  Submit(queue_, packet_);
  EXPECT_EQ(Failure(), HSA_STATUS_ERROR_INCOMPATIBLE_ARGUMENTS);
}

TEST_F(Failures, EmptyGrid) {
  packet_.grid_size_x = 0;
  Submit(queue_, packet_);
  EXPECT_EQ(Failure(), HSA_STATUS_ERROR_INCOMPATIBLE_ARGUMENTS);
}

TEST_F(Failures, GroupTooLarge) {
  packet_.workgroup_size_x = 4096;
  Submit(queue_, packet_);
  EXPECT_EQ(Failure(), HSA_STATUS_ERROR_INCOMPATIBLE_ARGUMENTS);
}

TEST_F(Failures, TooMuchLds) {
  packet_.group_segment_size = 1 << 20;
  Submit(queue_, packet_);
  EXPECT_EQ(Failure(), HSA_STATUS_ERROR_INVALID_ALLOCATION);
}

TEST_F(Failures, TooMuchScratch) {
  packet_.private_segment_size = UINT32_MAX;
  Submit(queue_, packet_);
  EXPECT_EQ(Failure(), HSA_STATUS_ERROR_INVALID_ALLOCATION);
}

TEST_F(Failures, UnknownPacket) {
  packet_.header = 77;
  Submit(queue_, packet_);
  EXPECT_EQ(Failure(), HSA_STATUS_ERROR_INVALID_PACKET_FORMAT);
}

TEST_F(Failures, BarrierForNoSignal) {
  hsa_barrier_and_packet_t packet = {};
  packet.header = HSA_PACKET_TYPE_BARRIER_AND;
  packet.dep_signal[0] = {64};
  Submit(queue_, packet);
  EXPECT_EQ(Failure(), HSA_STATUS_ERROR_INVALID_SIGNAL);
}

TEST_F(Failures, CompletionSignalThatIsNone) {
  packet_.completion_signal = {0xDEADBEEF00};
  Submit(queue_, packet_);
  const hsa_signal_t done = Signal(1);
  packet_.completion_signal = done;
  Submit(queue_, packet_);
  EXPECT_TRUE(Done(done));
}

TEST_F(Failures, IllegalInstruction) {
  Submit(queue_, Packet("run_no_code", {}, 64, 64, Signal(1)));
  EXPECT_EQ(Failure(), HSA_STATUS_ERROR_ILLEGAL_INSTRUCTION);
}

TEST_F(Failures, MisalignedAtomic) {
  const uint64_t memory = Address(Allocate<uint32_t>(2));
  Submit(queue_, Packet("count", {memory + 1}, 64, 64, Signal(1)));
  EXPECT_EQ(Failure(), HSA_STATUS_ERROR_MEMORY_APERTURE_VIOLATION);
}

TEST_F(Failures, Trap) {
  auto* words = Allocate<uint32_t>(2, kFine);
  words[0] = 1;
  Submit(queue_, Packet("wait_and_trap", {Address(words), Address(words + 1)}, 1, 1, Signal(1)));
  EXPECT_EQ(Failure(), HSA_STATUS_ERROR_EXCEPTION);
}

// Only in a queue for cooperative launches (queues_test.cpp).
TEST_F(Failures, NoSyncOfTheGridInOtherQueues) {
  uint32_t* values = Allocate<uint32_t>(4);
  testing::internal::CaptureStderr();
  Submit(queue_, Packet("sync_grid", {Address(values), 2}, 128, 64, Signal(1)));
  EXPECT_EQ(Failure(), HSA_STATUS_ERROR_ILLEGAL_INSTRUCTION);
  const std::string report = testing::internal::GetCapturedStderr();
  EXPECT_NE(report.find("unsupported instruction in kernel 'sync_grid'"), std::string::npos)
      << report;
  EXPECT_NE(report.find("only queues for cooperative launches have it"), std::string::npos)
      << report;
}

TEST_F(Failures, OtherQueuesGoOn) {
  hsa_queue_t* other = MakeQueue();
  Submit(queue_, Packet("run_no_code", {}, 64, 64, Signal(1)));
  EXPECT_EQ(Failure(), HSA_STATUS_ERROR_ILLEGAL_INSTRUCTION);
  Submit(other, packet_);
  EXPECT_TRUE(Done(packet_.completion_signal));
  EXPECT_OK(hsa_queue_destroy(other));
}

// Its data may be gone, as this test's is when it has ended.
TEST_F(Failures, NoCallbackForAQueueThatWasDestroyed) {
  auto* words = Allocate<uint32_t>(2, kFine);
  hsa_queue_t* queue = MakeQueue();
  Submit(queue, Packet("wait_and_trap", {Address(words), Address(words + 1)}, 1, 1, Signal(1)));
  while (hsa_queue_load_read_index_scacquire(queue) == 0) std::this_thread::yield();
  EXPECT_OK(hsa_queue_destroy(queue));
  __atomic_store_n(words, 1u, __ATOMIC_RELEASE);
  while (__atomic_load_n(words + 1, __ATOMIC_ACQUIRE) == 0) std::this_thread::yield();
  std::this_thread::sleep_for(std::chrono::milliseconds(200));
  EXPECT_EQ(failed_, 0);
}

TEST_F(Failures, MemoryFaultsGoToTheEventHandler) {
  static std::atomic<uint64_t> address;
  address = 0;
  ASSERT_OK(hsa_amd_register_system_event_handler(
      [](const hsa_amd_event_t* event, void*) {
        EXPECT_EQ(event->event_type, HSA_AMD_GPU_MEMORY_FAULT_EVENT);
        EXPECT_EQ(event->memory_fault.fault_reason_mask, HSA_AMD_MEMORY_FAULT_PAGE_NOT_PRESENT);
        address = event->memory_fault.virtual_address;
        return HSA_STATUS_SUCCESS;
      },
      nullptr));
  uint32_t* memory = Allocate<uint32_t>(1024);
  Submit(queue_, Packet("write_far", {Address(memory), 2048}, 1, 1, Signal(1)));
  EXPECT_EQ(Failure(), HSA_STATUS_ERROR_MEMORY_FAULT);
  EXPECT_EQ(address, Address(memory + 2048));
}

// An event handler lives as long as the initialised library; a second one that takes the event
// would hide the first.
TEST_F(Failures, EventHandlersEndWithTheLibrary) {
  static std::atomic<int> told;
  told = 0;
  ASSERT_OK(hsa_amd_register_system_event_handler(
      [](const hsa_amd_event_t*, void*) {
        ++told;
        return HSA_STATUS_SUCCESS;
      },
      nullptr));
  TearDown();
  SetUp();
  ASSERT_OK(hsa_amd_register_system_event_handler(
      [](const hsa_amd_event_t*, void*) { return HSA_STATUS_SUCCESS; }, nullptr));
  uint32_t* memory = Allocate<uint32_t>(1024);
  Submit(queue_, Packet("write_far", {Address(memory), 2048}, 1, 1, Signal(1)));
  EXPECT_EQ(Failure(), HSA_STATUS_ERROR_MEMORY_FAULT);
  EXPECT_EQ(told, 0);
}

using FailuresDeathTest = Failures;

TEST_F(FailuresDeathTest, MemoryFaultsEndTheProcess) {
  // The queue's thread does not exist in a forked process, so all is done there anew.
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_DEATH(
      {
        Submit(queue_, Packet("write_far", {0, 0}, 1, 1, Signal(1)));
        Failure();
      },
      "Memory access fault by GPU node-1 .* on address [(]nil[)]. Reason: .*\n"
      "memory write fault in kernel 'write_far' (.|\n)*null pointer");
}

}  // namespace
}  // namespace gcnjit::hsa_tests
