// Entry points: attributes of shared virtual memory, and memory that is to move.
#include <new>
#include <utility>

#include "runtime/hsa/copy_engine.h"
#include "runtime/hsa/status.h"
#include "runtime/hsa/svm_attributes.h"

using namespace gcnjit::hsa;

extern "C" hsa_status_t hsa_amd_svm_attributes_set(void* pointer, size_t size,
                                                   hsa_amd_svm_attribute_pair_t* pairs,
                                                   size_t count) {
  return Guarded([&](Runtime& runtime) {
    if (pairs == nullptr && count != 0) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    return runtime.svm().Set(runtime, reinterpret_cast<uint64_t>(pointer), size, {pairs, count});
  });
}

extern "C" hsa_status_t hsa_amd_svm_attributes_get(void* pointer, size_t size,
                                                   hsa_amd_svm_attribute_pair_t* pairs,
                                                   size_t count) {
  return Guarded([&](Runtime& runtime) {
    if (pairs == nullptr && count != 0) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    return runtime.svm().Get(runtime, reinterpret_cast<uint64_t>(pointer), size, {pairs, count});
  });
}

// There is nowhere to fetch it to. What can be noticed is the order: after the signals, and before
// the completion.
extern "C" hsa_status_t hsa_amd_svm_prefetch_async(void* pointer, size_t size, hsa_agent_t handle,
                                                   uint32_t count, const hsa_signal_t* after,
                                                   hsa_signal_t completion) {
  return Guarded([&](Runtime& runtime) {
    const Agent* const agent = runtime.Find(handle);
    if (agent == nullptr) return HSA_STATUS_ERROR_INVALID_AGENT;
    if (count != 0 && after == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    CopyEngine::Job job;
    for (uint32_t n = 0; n < count; ++n) {
      amd_signal_t* const signal = runtime.signals().Find(after[n]);
      if (signal == nullptr) return HSA_STATUS_ERROR_INVALID_SIGNAL;
      job.after.push_back(signal);
    }
    if (completion.handle != 0) {
      job.completion = runtime.signals().Find(completion);
      if (job.completion == nullptr) return HSA_STATUS_ERROR_INVALID_SIGNAL;
    }
    const uint64_t address = reinterpret_cast<uint64_t>(pointer);
    if (!SvmAttributes::IsRange(address, size)) return HSA_STATUS_ERROR;
    job.copy = [&runtime, address, size, agent] {
      try {
        runtime.svm().Prefetched(address, size, *agent);
      } catch (const std::bad_alloc&) {
        // Then the last one is remembered, which is all that is lost.
      }
    };
    job.name = "prefetch";
    const auto submitted = runtime.copies().Submit(std::move(job));
    return submitted ? HSA_STATUS_SUCCESS : StatusOf(submitted.error());
  });
}

// As ROCm: it looks at the arguments, and has nowhere to migrate to.
extern "C" hsa_status_t hsa_amd_memory_migrate(const void* pointer, hsa_amd_memory_pool_t pool,
                                               uint32_t flags) {
  return Guarded([&](Runtime& runtime) {
    if (pointer == nullptr || flags != 0) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    if (runtime.Find(pool) == nullptr) {
      return static_cast<hsa_status_t>(HSA_STATUS_ERROR_INVALID_MEMORY_POOL);
    }
    return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
  });
}
