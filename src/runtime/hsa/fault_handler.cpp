#include "runtime/hsa/fault_handler.h"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include "runtime/hsa/recorder.h"
#include "runtime/hsa/status.h"

namespace gcnjit::hsa {
namespace {

bool IsMemoryFault(const FaultReport& fault) {
  return fault.kind == FaultKind::kMemoryRead || fault.kind == FaultKind::kMemoryWrite ||
         fault.kind == FaultKind::kInstructionFetch;
}

// All that the hardware says of the address.
uint64_t PageOf(uint64_t address) {
  constexpr uint64_t kPage = 4096;
  return address / kPage * kPage;
}

}  // namespace

void FaultHandler::Add(hsa_amd_system_event_callback_t callback, void* argument) {
  const std::scoped_lock lock(mutex_);
  handlers_.push_back({callback, argument});
}

void FaultHandler::Clear() {
  const std::scoped_lock lock(mutex_);
  handlers_.clear();
}

bool FaultHandler::Handled(const Agent& agent, const FaultReport& fault) {
  std::vector<Handler> handlers;
  {
    const std::scoped_lock lock(mutex_);
    handlers = handlers_;
  }
  hsa_amd_event_t event = {};
  event.event_type = HSA_AMD_GPU_MEMORY_FAULT_EVENT;
  event.memory_fault.agent = agent.handle();
  event.memory_fault.virtual_address = PageOf(fault.address);
  event.memory_fault.fault_reason_mask = HSA_AMD_MEMORY_FAULT_PAGE_NOT_PRESENT;
  return std::ranges::any_of(handlers, [&](const Handler& handler) {
    return handler.callback(&event, handler.argument) == HSA_STATUS_SUCCESS;
  });
}

void FaultHandler::Report(const Agent& agent, FaultReport& fault, confined::LoadedLines& lines) {
  const bool is_memory_fault = IsMemoryFault(fault);
  if (is_memory_fault && Handled(agent, fault)) return;
  AddSource(fault, lines);
  std::fflush(stdout);
  if (is_memory_fault) {
    std::fprintf(stderr,
                 "Memory access fault by GPU node-%u (Agent handle: %p) on address %p. Reason: "
                 "Page not present or supervisor privilege.\n",
                 agent.node, static_cast<const void*>(&agent),
                 reinterpret_cast<const void*>(PageOf(fault.address)));
  }
  std::fputs(fault.Describe().c_str(), stderr);
  std::fflush(stderr);
  if (!is_memory_fault) return;
  // The host program cannot go on, and nothing but a core dump shows what it was doing.
  if (Runtime* runtime = Runtime::Open(); runtime != nullptr) runtime->WriteReports(true);
  std::abort();
}

}  // namespace gcnjit::hsa

using namespace gcnjit::hsa;

extern "C" hsa_status_t hsa_amd_register_system_event_handler(
    hsa_amd_system_event_callback_t callback, void* data) {
  return Guarded([&](Runtime& runtime) {
    if (callback == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    runtime.faults().Add(callback, data);
    return HSA_STATUS_SUCCESS;
  });
}
