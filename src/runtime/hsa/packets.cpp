// What a queue does with each kind of packet.
#include <fmt/format.h>

#include <array>
#include <atomic>
#include <cstdio>
#include <cstring>
#include <vector>

#include "confined/loaded_lines.h"
#include "runtime/hsa/clock.h"
#include "runtime/hsa/executables.h"
#include "runtime/hsa/fault_handler.h"
#include "runtime/hsa/queue.h"
#include "runtime/hsa/queue_shared.h"
#include "runtime/hsa/recorder.h"
#include "runtime/hsa/runtime.h"
#include "runtime/hsa/signals.h"
#include "runtime/hsa/status.h"
#include "runtime/launch/aql_dispatch.h"
#include "runtime/state/aql_packet.h"

namespace gcnjit::hsa {
namespace {

template <typename Packet>
Packet Read(const std::byte* bytes) {
  Packet packet;
  static_assert(sizeof packet == 64);
  std::memcpy(&packet, bytes, sizeof packet);
  return packet;
}

// Why a packet was refused, for the person at the terminal: the callback gets a number only.
hsa_status_t Refuse(hsa_status_t status, const std::string& why) {
  std::fprintf(stderr, "gcnjit: a dispatch packet was refused: %s\n", why.c_str());
  return status;
}

// What ROCm's queues report of a dispatch that the hardware would not start.
hsa_status_t StatusOfRefusal(const Error& error) {
  switch (error.code) {
    case ErrorCode::kInvalidArgument: return HSA_STATUS_ERROR_INCOMPATIBLE_ARGUMENTS;
    case ErrorCode::kOutOfResources: return HSA_STATUS_ERROR_INVALID_ALLOCATION;
    default: return HSA_STATUS_ERROR_INVALID_CODE_OBJECT;
  }
}

// Once a process.
void NoteMissingLines(const std::string& why) {
  static std::atomic<bool> noted = false;
  if (noted.exchange(true)) return;
  std::fprintf(stderr, "gcnjit: no source lines are shown: %s\n", why.c_str());
}

// The process that reads them ends with what is returned: the host program may wait for all that
// it has started.
confined::LoadedLines LinesOf(const KernelObject& object, const Settings& settings) {
  std::vector<confined::LoadedFile> files;
  if (object.with_lines != nullptr) {
    for (const auto& image : object.program->images()) {
      files.push_back({*object.with_lines, image.base, image.bytes, image.load_bias});
    }
  }
  return {files, settings.program, NoteMissingLines};
}

// The signals that are not null among those of a barrier packet; false: one of them is none.
bool Dependencies(SignalPool& signals, const hsa_signal_t (&handles)[5],
                  std::vector<amd_signal_t*>& found) {
  for (const hsa_signal_t handle : handles) {
    if (handle.handle == 0) continue;
    amd_signal_t* const signal = signals.Find(handle);
    if (signal == nullptr) return false;
    found.push_back(signal);
  }
  return true;
}

}  // namespace

void Queue::CompletePacket(uint64_t start) {
  // All packets have it in the same place.
  const auto packet = Read<runtime::DispatchPacket>(shared_->packet);
  if (packet.completion_signal == 0) return;
  SignalPool& signals = runtime_.signals();
  signals.Complete(signals.Find({packet.completion_signal}), start, Now());
}

hsa_status_t Queue::Process(uint64_t index) {
  const auto packet = Read<runtime::DispatchPacket>(shared_->packet);
  switch (packet.header & 0xFF) {
    case HSA_PACKET_TYPE_KERNEL_DISPATCH: return Dispatch(index);
    case HSA_PACKET_TYPE_BARRIER_AND: return BarrierAnd();
    case HSA_PACKET_TYPE_BARRIER_OR: return BarrierOr();
    case HSA_PACKET_TYPE_VENDOR_SPECIFIC: return BarrierValue();
    default: return HSA_STATUS_ERROR_INVALID_PACKET_FORMAT;
  }
}

hsa_status_t Queue::Dispatch(uint64_t index) {
  const auto packet = Read<runtime::DispatchPacket>(shared_->packet);
  const KernelObject object = runtime_.executables().FindKernel(packet.kernel_object);
  if (object.kernel == nullptr) {
    return Refuse(
        HSA_STATUS_ERROR_INVALID_CODE_OBJECT,
        fmt::format("{:#x} is not the kernel object of a loaded kernel", packet.kernel_object));
  }
  LaunchConfig config;
  config.engine = runtime_.settings().engine;
  config.threads = runtime_.settings().threads;
  config.cache = runtime_.settings().cache.cache;
  config.check = runtime_.settings().checks;
  const uint64_t start = Now();
  auto result = runtime::RunDispatch(*object.program, *object.kernel,
                                     {reinterpret_cast<uint64_t>(shared_->packet),
                                      reinterpret_cast<uint64_t>(amd_), index, wave_sync_.get()},
                                     config);
  if (!result) return Refuse(StatusOfRefusal(result.error()), result.error().message);
  confined::LoadedLines lines = LinesOf(object, runtime_.settings());
  runtime_.recorder().Checked(*result, lines);
  if (result->status == LaunchStatus::kFault) {
    runtime_.faults().Report(*request_.agent, *result->fault, lines);
    return StatusOf(result->fault->kind);
  }
  const uint64_t items = uint64_t{packet.grid_size[0]} * packet.grid_size[1] * packet.grid_size[2];
  runtime_.recorder().Ran(
      {object.kernel->info->name, object.program.get(), request_.id, items, start, Now()},
      result->statistics);
  CompletePacket(start);
  return HSA_STATUS_SUCCESS;
}

hsa_status_t Queue::BarrierAnd() {
  const auto packet = Read<hsa_barrier_and_packet_t>(shared_->packet);
  SignalPool& signals = runtime_.signals();
  std::vector<amd_signal_t*> after;
  if (!Dependencies(signals, packet.dep_signal, after)) return HSA_STATUS_ERROR_INVALID_SIGNAL;
  const uint64_t start = Now();
  const auto stop = [this] { return stop_.load(); };
  for (amd_signal_t* signal : after) {
    const std::array<Condition, 1> zero = {{{signal, HSA_SIGNAL_CONDITION_EQ, 0, -1}}};
    if (!signals.WaitAny(zero, UINT64_MAX, false, stop)) return HSA_STATUS_SUCCESS;
  }
  CompletePacket(start);
  return HSA_STATUS_SUCCESS;
}

hsa_status_t Queue::BarrierOr() {
  const auto packet = Read<hsa_barrier_or_packet_t>(shared_->packet);
  SignalPool& signals = runtime_.signals();
  std::vector<amd_signal_t*> after;
  if (!Dependencies(signals, packet.dep_signal, after)) return HSA_STATUS_ERROR_INVALID_SIGNAL;
  const uint64_t start = Now();
  std::vector<Condition> zeros;
  for (amd_signal_t* signal : after) zeros.push_back({signal, HSA_SIGNAL_CONDITION_EQ, 0, -1});
  const auto stop = [this] { return stop_.load(); };
  if (!zeros.empty() && !signals.WaitAny(zeros, UINT64_MAX, false, stop)) return HSA_STATUS_SUCCESS;
  CompletePacket(start);
  return HSA_STATUS_SUCCESS;
}

hsa_status_t Queue::BarrierValue() {
  const auto packet = Read<hsa_amd_barrier_value_packet_t>(shared_->packet);
  if (packet.header.AmdFormat != HSA_AMD_PACKET_TYPE_BARRIER_VALUE) {
    return HSA_STATUS_ERROR_INVALID_PACKET_FORMAT;
  }
  const uint64_t start = Now();
  if (packet.signal.handle != 0) {
    SignalPool& signals = runtime_.signals();
    amd_signal_t* const signal = signals.Find(packet.signal);
    if (signal == nullptr) return HSA_STATUS_ERROR_INVALID_SIGNAL;
    const std::array<Condition, 1> wanted = {
        {{signal, static_cast<hsa_signal_condition_t>(packet.cond), packet.value, packet.mask}}};
    const auto stop = [this] { return stop_.load(); };
    if (!signals.WaitAny(wanted, UINT64_MAX, false, stop)) return HSA_STATUS_SUCCESS;
  }
  CompletePacket(start);
  return HSA_STATUS_SUCCESS;
}

}  // namespace gcnjit::hsa
