// A queue of AQL packets and the thread that works on it, one packet after another.
#pragma once

#include <hsa/amd_hsa_queue.h>
#include <hsa/hsa.h>

#include <atomic>
#include <cstdint>
#include <memory>

#include "gcnjit/error.h"
#include "runtime/hsa/agent.h"
#include "runtime/state/global_wave_sync.h"

namespace gcnjit::hsa {

class Runtime;

using QueueCallback = void (*)(hsa_status_t status, hsa_queue_t* source, void* data);

struct QueueRequest {
  const Agent* agent = nullptr;
  uint32_t packets = 0;  // a power of two
  hsa_queue_type32_t type = HSA_QUEUE_TYPE_MULTI;
  QueueCallback callback = nullptr;
  void* data = nullptr;
  uint64_t id = 0;
};

class Queue : public std::enable_shared_from_this<Queue> {
 public:
  static Result<std::shared_ptr<Queue>> Create(Runtime& runtime, const QueueRequest& request);
  ~Queue();
  Queue(const Queue&) = delete;
  Queue& operator=(const Queue&) = delete;

  hsa_queue_t* handle() { return &amd_->hsa_queue; }
  const Agent& agent() const { return *request_.agent; }
  hsa_signal_t doorbell() const { return amd_->hsa_queue.doorbell_signal; }

  // Starts the thread, which keeps the queue alive until it has stopped. An error: the host gives
  // none.
  Result<void> Start();
  // The thread stops after the packet it works on. Never waits.
  void Stop();
  // The host program has written packets.
  void Ring(int64_t index);
  int64_t last_ring() const;

 private:
  // What lies at the begin of the queue's guest memory; packets follow in memory of their own.
  struct Shared;

  Queue(Runtime& runtime, const QueueRequest& request);
  Result<void> Allocate();
  void Run();
  // Takes the next packet out of the ring if there is one, to shared_->packet.
  bool TakePacket(uint64_t index);
  // Tells the recorder which kernel the packet is for.
  void RecordBegin();
  // Until the doorbell has rung since rings_ was `rings`, or a moment is over.
  void WaitForDoorbell(uint32_t rings);

  // Each returns how the packet ended; an error ends the queue.
  hsa_status_t ProcessGuarded(uint64_t index) noexcept;
  hsa_status_t Process(uint64_t index);
  hsa_status_t Dispatch(uint64_t index);
  hsa_status_t BarrierAnd();
  hsa_status_t BarrierOr();
  hsa_status_t BarrierValue();
  void CompletePacket(uint64_t start);

  Runtime& runtime_;
  const QueueRequest request_;
  Shared* shared_ = nullptr;
  amd_queue_t* amd_ = nullptr;
  // Of all its dispatches: HIP initialises it by one for the next. Cooperative queues have one.
  std::unique_ptr<runtime::GlobalWaveSync> wave_sync_;
  std::atomic<bool> stop_ = false;
  std::atomic<uint32_t> rings_ = 0;  // a futex
  std::atomic<bool> sleeps_ = false;
};

}  // namespace gcnjit::hsa
