#include "runtime/hsa/queue.h"

#include <fmt/format.h>
#include <immintrin.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstddef>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <exception>
#include <new>

#include "runtime/host/host_thread.h"
#include "runtime/hsa/executables.h"
#include "runtime/hsa/queue_shared.h"
#include "runtime/hsa/recorder.h"
#include "runtime/hsa/runtime.h"
#include "runtime/hsa/signals.h"
#include "runtime/state/aql_packet.h"
#include "runtime/state/wave_state.h"

namespace gcnjit::hsa {
namespace {

static_assert(offsetof(amd_queue_t, group_segment_aperture_base_hi) ==
              runtime::kQueueGroupApertureOffset);
static_assert(offsetof(amd_queue_t, private_segment_aperture_base_hi) ==
              runtime::kQueuePrivateApertureOffset);

constexpr uint32_t kPacketBytes = 64;

}  // namespace

Queue::Queue(Runtime& runtime, const QueueRequest& request) : runtime_(runtime), request_(request) {
  if (request.type == HSA_QUEUE_TYPE_COOPERATIVE) {
    wave_sync_ = std::make_unique<runtime::GlobalWaveSync>();
  }
}

Queue::~Queue() {
  if (shared_ == nullptr) return;
  if (amd_signal_t* signal = runtime_.signals().Find(doorbell())) {
    runtime_.signals().Destroy(*signal);
  }
  (void)runtime_.memory().Free(reinterpret_cast<uint64_t>(shared_->queue.hsa_queue.base_address));
  (void)runtime_.memory().Free(reinterpret_cast<uint64_t>(shared_));
}

Result<std::shared_ptr<Queue>> Queue::Create(Runtime& runtime, const QueueRequest& request) {
  std::shared_ptr<Queue> queue(new Queue(runtime, request));
  if (auto result = queue->Allocate(); !result) return result.error();
  return queue;
}

Result<void> Queue::Allocate() {
  const auto shared = runtime_.memory().Allocate(sizeof(Shared), "AQL queue");
  if (!shared) return shared.error();
  const auto ring =
      runtime_.memory().Allocate(uint64_t{request_.packets} * kPacketBytes, "AQL packets");
  if (!ring) {
    (void)runtime_.memory().Free(*shared);
    return ring.error();
  }
  shared_ = new (reinterpret_cast<void*>(*shared)) Shared{};
  amd_ = &shared_->queue;
  const hsa_signal_t doorbell = runtime_.signals().Create(AMD_SIGNAL_KIND_DOORBELL, 0);
  hsa_queue_t& queue = amd_->hsa_queue;
  queue.type = request_.type;
  queue.features = HSA_QUEUE_FEATURE_KERNEL_DISPATCH;
  queue.base_address = reinterpret_cast<void*>(*ring);
  queue.doorbell_signal = doorbell;
  queue.size = request_.packets;
  queue.id = request_.id;
  amd_signal_t* const signal = runtime_.signals().Find(doorbell);
  if (signal == nullptr) return Error{ErrorCode::kOutOfResources, "no room for a doorbell"};
  signal->hardware_doorbell_ptr = &shared_->doorbell;
  // Its type differs from release to release.
  signal->queue_ptr = reinterpret_cast<decltype(signal->queue_ptr)>(amd_);
  shared_->doorbell = UINT64_MAX;  // nothing has been written yet
  amd_->group_segment_aperture_base_hi = static_cast<uint32_t>(kSharedAperture >> 32);
  amd_->private_segment_aperture_base_hi = static_cast<uint32_t>(kPrivateAperture >> 32);
  amd_->read_dispatch_id_field_base_byte_offset = offsetof(amd_queue_t, read_dispatch_id);
  amd_->queue_properties = AMD_QUEUE_PROPERTIES_IS_PTR64;
  for (uint32_t n = 0; n < request_.packets; ++n) {
    auto* const header = reinterpret_cast<uint16_t*>(*ring + uint64_t{n} * kPacketBytes);
    *header = HSA_PACKET_TYPE_INVALID;
  }
  return {};
}

Result<void> Queue::Start() {
  auto thread = runtime::HostThread::Start([self = shared_from_this()] { self->Run(); });
  if (!thread) return thread.error();
  thread->Detach();
  return {};
}

void Queue::Stop() {
  stop_ = true;
  // It may wait for a signal that a packet depends on.
  runtime_.signals().WakeAll();
  Ring(last_ring());
}

int64_t Queue::last_ring() const {
  return static_cast<int64_t>(
      std::atomic_ref<uint64_t>(const_cast<uint64_t&>(shared_->doorbell)).load());
}

void Queue::Ring(int64_t index) {
  std::atomic_ref<uint64_t>(const_cast<uint64_t&>(shared_->doorbell))
      .store(static_cast<uint64_t>(index), std::memory_order_release);
  rings_.fetch_add(1, std::memory_order_seq_cst);
  if (sleeps_.load(std::memory_order_seq_cst)) {
    syscall(SYS_futex, &rings_, FUTEX_WAKE_PRIVATE, 1, nullptr, nullptr, 0);
  }
}

bool Queue::TakePacket(uint64_t index) {
  const uint64_t written = std::atomic_ref<uint64_t>(const_cast<uint64_t&>(amd_->write_dispatch_id))
                               .load(std::memory_order_acquire);
  if (index >= written) return false;
  auto* const slot = static_cast<std::byte*>(amd_->hsa_queue.base_address) +
                     index % request_.packets * kPacketBytes;
  const std::atomic_ref<uint16_t> header(*reinterpret_cast<uint16_t*>(slot));
  if ((header.load(std::memory_order_acquire) & 0xFF) == HSA_PACKET_TYPE_INVALID) return false;
  std::memcpy(shared_->packet, slot, kPacketBytes);
  header.store(HSA_PACKET_TYPE_INVALID, std::memory_order_release);
  // The packet's place is free from here on: what the kernel sees is the copy.
  std::atomic_ref<uint64_t>(const_cast<uint64_t&>(amd_->read_dispatch_id))
      .store(index + 1, std::memory_order_release);
  return true;
}

void Queue::WaitForDoorbell(uint32_t rings) {
  // A kernel may write packets too, and rings no bell that the host hears.
  constexpr timespec kPoll = {0, 5'000'000};
  constexpr int kSpins = 500;
  for (int spin = 0; spin < kSpins; ++spin) {
    if (rings_.load(std::memory_order_relaxed) != rings) return;
    _mm_pause();
  }
  sleeps_.store(true, std::memory_order_seq_cst);
  syscall(SYS_futex, &rings_, FUTEX_WAIT_PRIVATE, rings, &kPoll, nullptr, 0);
  sleeps_.store(false, std::memory_order_seq_cst);
}

void Queue::RecordBegin() {
  if (!runtime_.recorder().TellsUnfinished()) return;
  runtime::DispatchPacket packet;
  std::memcpy(&packet, shared_->packet, sizeof packet);
  if ((packet.header & 0xFF) != HSA_PACKET_TYPE_KERNEL_DISPATCH) return;
  const KernelObject object = runtime_.executables().FindKernel(packet.kernel_object);
  if (object.kernel == nullptr) return;
  runtime_.recorder().Began(request_.id, object.kernel->info->name);
}

hsa_status_t Queue::ProcessGuarded(uint64_t index) noexcept {
  try {
    RecordBegin();
    return Process(index);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "gcnjit: the queue ends: %s\n", error.what());
    return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
  }
}

void Queue::Run() {
  uint64_t index = 0;
  while (!stop_) {
    // Before it looks for a packet: one that comes after that rings again.
    const uint32_t rings = rings_.load(std::memory_order_seq_cst);
    if (!TakePacket(index)) {
      WaitForDoorbell(rings);
      continue;
    }
    const hsa_status_t status = ProcessGuarded(index);
    runtime_.recorder().Ended(request_.id);
    ++index;
    if (status == HSA_STATUS_SUCCESS) continue;
    // No callback for what ends a queue that has been destroyed: its data may be gone.
    const bool was_stopped = stop_.exchange(true);
    if (was_stopped || request_.callback == nullptr) continue;
    request_.callback(status, handle(), request_.data);
  }
}

}  // namespace gcnjit::hsa
