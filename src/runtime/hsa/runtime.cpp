#include "runtime/hsa/runtime.h"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <future>
#include <utility>
#include <vector>

#include "runtime/host/host_thread.h"
#include "runtime/host/physical_memory.h"
#include "runtime/hsa/allocations.h"
#include "runtime/hsa/async_handlers.h"
#include "runtime/hsa/code_objects.h"
#include "runtime/hsa/copy_engine.h"
#include "runtime/hsa/ending_signals.h"
#include "runtime/hsa/executables.h"
#include "runtime/hsa/fault_handler.h"
#include "runtime/hsa/images.h"
#include "runtime/hsa/ipc.h"
#include "runtime/hsa/queue_table.h"
#include "runtime/hsa/recorder.h"
#include "runtime/hsa/signal_groups.h"
#include "runtime/hsa/signals.h"
#include "runtime/hsa/soft_queues.h"
#include "runtime/hsa/svm_attributes.h"
#include "runtime/hsa/virtual_memory.h"

namespace gcnjit::hsa {
namespace {

std::mutex g_mutex;  // guards the two below
Runtime* g_runtime = nullptr;
uint32_t g_count = 0;
std::atomic<Runtime*> g_open = nullptr;

void AddPool(Agent& agent, hsa_amd_segment_t segment, uint32_t flags, uint64_t bytes) {
  agent.pools.push_back({&agent, segment, flags, bytes});
}

// HIP goes on where its queue, its copies or its handlers have no thread, and its programs find
// zeros for results. So it is told at once that there is no device.
Result<void> CheckThreads() {
  constexpr int kNeeded = 3;
  std::promise<void> all_run;
  const std::shared_future<void> wait = all_run.get_future().share();
  std::vector<runtime::HostThread> threads;
  threads.reserve(kNeeded);
  Result<void> checked;
  for (int n = 0; n < kNeeded && checked; ++n) {
    auto thread = runtime::HostThread::Start([wait] { wait.wait(); });
    if (thread) {
      threads.push_back(std::move(*thread));
    } else {
      checked = thread.error();
    }
  }
  all_run.set_value();
  return checked;
}

// Host programs end without hsa_shut_down.
Result<void> ReportAtTheEnd(Runtime& runtime) {
  if (!runtime.recorder().HasReport()) return {};
  static Runtime* reported;
  reported = &runtime;
  std::atexit([] { reported->WriteReports(false); });
  return ReportAtEndingSignals([] { reported->WriteReports(true); });
}

}  // namespace

Runtime::Runtime(Settings settings, std::shared_ptr<runtime::GuestMemory> memory)
    : settings_(std::move(settings)),
      process_(::getpid()),
      memory_(std::move(memory)),
      signals_(std::make_unique<SignalPool>(*memory_)),
      allocations_(std::make_unique<AllocationTable>(*memory_)),
      virtual_memory_(std::make_unique<VirtualMemory>(*memory_)),
      images_(std::make_unique<ImageTable>(*memory_)),
      ipc_(std::make_unique<IpcServer>()),
      async_handlers_(std::make_unique<AsyncHandlers>(*signals_)),
      recorder_(std::make_unique<Recorder>(settings_)),
      faults_(std::make_unique<FaultHandler>()),
      copies_(std::make_unique<CopyEngine>(*signals_, *recorder_)),
      code_objects_(std::make_unique<CodeObjectTable>()),
      executables_(std::make_unique<ExecutableTable>(!settings_.program.empty())),
      queues_(std::make_unique<QueueTable>()),
      signal_groups_(std::make_unique<SignalGroups>()),
      soft_queues_(std::make_unique<SoftQueues>()),
      svm_(std::make_unique<SvmAttributes>()) {
  constexpr uint32_t kFine = HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_FINE_GRAINED;
  constexpr uint32_t kCoarse = HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_COARSE_GRAINED;
  constexpr uint32_t kKernarg = HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_KERNARG_INIT;
  const uint64_t bytes = std::min(runtime::PhysicalBytes(), runtime::GuestMemory::kRangeBytes);

  Agent& cpu = agents_.emplace_back();
  AddPool(cpu, HSA_AMD_SEGMENT_GLOBAL, kFine, bytes);
  AddPool(cpu, HSA_AMD_SEGMENT_GLOBAL, kFine | kKernarg, bytes);
  AddPool(cpu, HSA_AMD_SEGMENT_GLOBAL, kCoarse, bytes);
  for (const std::string& device : settings_.devices) {
    Agent& gpu = agents_.emplace_back();
    gpu.gpu = FindGpuModel(device);
    gpu.node = static_cast<uint32_t>(agents_.size() - 1);
    AddPool(gpu, HSA_AMD_SEGMENT_GLOBAL, kCoarse, bytes);
    AddPool(gpu, HSA_AMD_SEGMENT_GLOBAL, kFine, bytes);
    AddPool(gpu, HSA_AMD_SEGMENT_GROUP, 0, kGroupSegmentBytes);
  }
}

Result<Runtime*> Runtime::Make() {
  auto settings = ReadSettings();
  if (!settings) return settings.error();
  if (const auto checked = CheckThreads(); !checked) return checked.error();
  auto memory = runtime::GuestMemory::Reserve(MemoryMode::kShared);
  if (!memory) return memory.error();
  // So that kernels that use freed memory are found out.
  constexpr uint64_t kQuarantine = uint64_t{256} << 20;
  if (settings->checks != kCheckNothing) (*memory)->SetQuarantine(kQuarantine);
  return new Runtime(std::move(*settings), std::move(*memory));
}

hsa_status_t Runtime::Init() {
  const std::scoped_lock lock(g_mutex);
  if (g_count == UINT32_MAX) return HSA_STATUS_ERROR_REFCOUNT_OVERFLOW;
  if (g_runtime == nullptr) {
    const auto made = Make();
    if (!made) {
      std::fprintf(stderr, "gcnjit: %s\n", made.error().message.c_str());
      return HSA_STATUS_ERROR;
    }
    if (const auto listens = ReportAtTheEnd(**made); !listens) {
      std::fprintf(stderr, "gcnjit: %s\n", listens.error().message.c_str());
      return HSA_STATUS_ERROR;
    }
    g_runtime = *made;
  }
  ++g_count;
  g_open = g_runtime;
  return HSA_STATUS_SUCCESS;
}

hsa_status_t Runtime::ShutDown() {
  const std::scoped_lock lock(g_mutex);
  if (g_count == 0) return HSA_STATUS_ERROR_NOT_INITIALIZED;
  if (--g_count != 0) return HSA_STATUS_SUCCESS;
  g_runtime->faults().Clear();
  g_open = nullptr;
  return HSA_STATUS_SUCCESS;
}

void Runtime::WriteReports(bool is_by_signal) {
  if (::getpid() != process_) return;  // forked off
  recorder_->Write(is_by_signal);
}

Runtime* Runtime::Open() { return g_open.load(std::memory_order_acquire); }

const Agent* Runtime::Find(hsa_agent_t handle) const {
  for (const Agent& agent : agents_) {
    if (agent.handle().handle == handle.handle) return &agent;
  }
  return nullptr;
}

const Agent* Runtime::FindGpu(hsa_agent_t handle) const {
  const Agent* agent = Find(handle);
  return agent != nullptr && agent->gpu != nullptr ? agent : nullptr;
}

const Pool* Runtime::Find(hsa_amd_memory_pool_t handle) const {
  for (const Agent& agent : agents_) {
    for (const Pool& pool : agent.pools) {
      if (reinterpret_cast<uint64_t>(&pool) == handle.handle) return &pool;
    }
  }
  return nullptr;
}

const GpuModel* Runtime::Find(hsa_isa_t handle) const {
  for (const Agent& agent : agents_) {
    if (agent.gpu != nullptr && agent.isa().handle == handle.handle) return agent.gpu;
  }
  return nullptr;
}

}  // namespace gcnjit::hsa

extern "C" hsa_status_t hsa_init() { return gcnjit::hsa::Runtime::Init(); }
extern "C" hsa_status_t hsa_shut_down() { return gcnjit::hsa::Runtime::ShutDown(); }
