#include "runtime/launch/hostcall_service.h"

#include <algorithm>
#include <bit>
#include <chrono>
#include <cstddef>
#include <cstring>
#include <span>
#include <thread>

#include "runtime/state/residency.h"

namespace gcnjit::runtime {
namespace {

// A wave does not look whether there is a free packet: there must be one for each that can be
// resident.
constexpr uint64_t kPackets = 4096;  // a power of two
static_assert(kPackets >= uint64_t{kMostWavesOfSimd} * kSimdsOfComputeUnit * kComputeUnits);
constexpr uint64_t kLanesOfPacket = 64;

struct Header {
  uint64_t next;
  uint64_t active;  // lanes
  uint32_t service;
  uint32_t control;
};
struct Payload {
  uint64_t numbers[kLanesOfPacket][8];
};
// A packet is named by its number plus kPackets times a tag, which is never 0.
struct Buffer {
  uint64_t headers;  // guest addresses
  uint64_t payloads;
  uint64_t doorbell;  // an HSA signal
  uint64_t free;      // stacks
  uint64_t ready;
  uint64_t mask;  // of a packet's number
};
// amd_signal_t. Without an event mailbox, adding to its value is all that a kernel does.
struct Signal {
  int64_t kind;
  int64_t value;
  uint64_t event_mailbox;
  uint64_t rest[5];
};
struct HostcallMemory {
  Buffer buffer;
  alignas(64) Signal doorbell;
  Header headers[kPackets];
  Payload payloads[kPackets];
};

}  // namespace

bool CallsHost(const KernelInfo& kernel) {
  return std::ranges::any_of(kernel.arguments, [](const ArgumentInfo& argument) {
    return argument.value_kind == "hidden_hostcall_buffer";
  });
}

Result<std::unique_ptr<HostcallService>> HostcallService::Start(
    LaunchMemory& memory, std::function<void(std::string_view)> print) {
  const auto base =
      memory.Allocate(sizeof(HostcallMemory), "hostcall buffer", GuestMemory::Access::kReadWrite);
  if (!base) return base.error();
  auto* const layout = reinterpret_cast<HostcallMemory*>(*base);
  layout->buffer = {*base + offsetof(HostcallMemory, headers),
                    *base + offsetof(HostcallMemory, payloads),
                    *base + offsetof(HostcallMemory, doorbell),
                    kPackets + kPackets - 1,
                    0,
                    kPackets - 1};
  layout->doorbell.kind = 1;  // AMD_SIGNAL_KIND_USER
  for (uint64_t n = 1; n < kPackets; ++n) layout->headers[n].next = kPackets + n - 1;
  std::unique_ptr<HostcallService> service(new HostcallService(*base, std::move(print)));
  auto thread = HostThread::Start([raw = service.get()] { raw->Serve(); });
  if (!thread) return thread.error();
  service->thread_.emplace(std::move(*thread));
  return service;
}

std::string HostcallService::Stop() {
  stop_.store(true, std::memory_order_relaxed);
  thread_.reset();
  return messages_.loss();
}

void HostcallService::Serve() {
  constexpr int kBusyTurns = 1000;  // a message takes several calls
  for (int idle = 0; !stop_.load(std::memory_order_relaxed); ++idle) {
    if (TakeReady()) {
      idle = 0;
    } else if (idle < kBusyTurns) {
      std::this_thread::yield();
    } else {
      std::this_thread::sleep_for(std::chrono::microseconds(100));
    }
  }
  TakeReady();
}

// False: there is none.
bool HostcallService::TakeReady() {
  auto* const layout = reinterpret_cast<HostcallMemory*>(base_);
  uint64_t packet = std::atomic_ref(layout->buffer.ready).exchange(0, std::memory_order_acquire);
  if (packet == 0) return false;
  // A kernel that makes a ring of them does not keep us.
  for (uint64_t n = 0; n < kPackets && packet != 0; ++n) {
    const uint64_t next =
        std::atomic_ref(layout->headers[packet % kPackets].next).load(std::memory_order_relaxed);
    Answer(packet % kPackets);
    packet = next;
  }
  return true;
}

void HostcallService::Answer(uint64_t packet) {
  auto* const layout = reinterpret_cast<HostcallMemory*>(base_);
  Header& header = layout->headers[packet];
  const uint32_t service = header.service;
  for (uint64_t lanes = header.active; lanes != 0; lanes &= lanes - 1) {
    uint64_t* const numbers = layout->payloads[packet].numbers[std::countr_zero(lanes)];
    uint64_t copy[8];  // the kernel may change them meanwhile
    std::memcpy(copy, numbers, sizeof copy);
    messages_.Take(service, std::span<uint64_t, 8>(copy));
    std::memcpy(numbers, copy, 2 * sizeof copy[0]);
  }
  std::atomic_ref(header.control).fetch_and(~uint32_t{1}, std::memory_order_release);
}

}  // namespace gcnjit::runtime
