// Entry points: copying, filling and locking memory, and what is known of a pointer.
#include <algorithm>
#include <bit>
#include <cstring>
#include <optional>
#include <utility>
#include <vector>

#include "runtime/hsa/allocations.h"
#include "runtime/hsa/copy_engine.h"
#include "runtime/hsa/newer_api.h"
#include "runtime/hsa/status.h"
#include "runtime/hsa/virtual_memory.h"

using namespace gcnjit::hsa;

namespace gcnjit::hsa {
namespace {

// The signals of a list of handles, null handles left out; false: one of them is no signal.
bool FindSignals(Runtime& runtime, uint32_t count, const hsa_signal_t* handles,
                 std::vector<amd_signal_t*>& signals) {
  if ((count == 0) != (handles == nullptr)) return false;
  for (uint32_t n = 0; n < count; ++n) {
    if (handles[n].handle == 0) continue;
    amd_signal_t* const signal = runtime.signals().Find(handles[n]);
    if (signal == nullptr) return false;
    signals.push_back(signal);
  }
  return true;
}

// Fills in what signals a copy waits for and changes.
hsa_status_t FindSignals(Runtime& runtime, uint32_t count, const hsa_signal_t* after,
                         hsa_signal_t completion, CopyEngine::Job& job) {
  if ((count == 0) != (after == nullptr)) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  if (!FindSignals(runtime, count, after, job.after)) return HSA_STATUS_ERROR_INVALID_SIGNAL;
  job.completion = runtime.signals().Find(completion);
  return job.completion == nullptr ? HSA_STATUS_ERROR_INVALID_SIGNAL : HSA_STATUS_SUCCESS;
}

// One side of a copy of boxes, at its first byte.
struct Box {
  char* base = nullptr;
  size_t pitch = 0;  // bytes from row to row
  size_t slice = 0;  // and from layer to layer
};

// Bytes from a box's first byte to the one at (x, y, z); nullopt: more than there are.
std::optional<size_t> DistanceTo(size_t x, size_t y, size_t z, const hsa_pitched_ptr_t& pointer) {
  size_t rows = 0, layers = 0, distance = 0;
  if (__builtin_mul_overflow(y, pointer.pitch, &rows) ||
      __builtin_mul_overflow(z, pointer.slice, &layers) ||
      __builtin_add_overflow(rows, layers, &distance) ||
      __builtin_add_overflow(distance, x, &distance)) {
    return std::nullopt;
  }
  return distance;
}

// nullopt: not all of the box may be copied.
std::optional<Box> BoxAt(const AllocationTable& allocations, const hsa_pitched_ptr_t& pointer,
                         const hsa_dim3_t& offset, const hsa_dim3_t& range, bool write) {
  const auto begin = DistanceTo(offset.x, offset.y, offset.z, pointer);
  const auto bytes = DistanceTo(range.x, range.y - 1, range.z - 1, pointer);
  uint64_t address = reinterpret_cast<uint64_t>(pointer.base);
  if (!begin || !bytes || __builtin_add_overflow(address, *begin, &address)) return std::nullopt;
  char* const base = static_cast<char*>(pointer.base) + *begin;
  const bool may = write ? allocations.MayWrite(base, *bytes) : allocations.MayRead(base, *bytes);
  if (!may) return std::nullopt;
  return Box{base, pointer.pitch, pointer.slice};
}

void CopyBox(const Box& to, const Box& from, const hsa_dim3_t& range) {
  for (uint32_t z = 0; z < range.z; ++z) {
    for (uint32_t y = 0; y < range.y; ++y) {
      std::memcpy(to.base + z * to.slice + y * to.pitch,
                  from.base + z * from.slice + y * from.pitch, range.x);
    }
  }
}

hsa_status_t Copy(void* to, hsa_agent_t to_agent, const void* from, hsa_agent_t from_agent,
                  size_t size, uint32_t count, const hsa_signal_t* after, hsa_signal_t completion) {
  return Guarded([&](Runtime& runtime) {
    if (runtime.Find(to_agent) == nullptr || runtime.Find(from_agent) == nullptr) {
      return HSA_STATUS_ERROR_INVALID_AGENT;
    }
    CopyEngine::Job job;
    const hsa_status_t status = FindSignals(runtime, count, after, completion, job);
    if (status != HSA_STATUS_SUCCESS) return status;
    if (to == nullptr || from == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    const AllocationTable& allocations = runtime.allocations();
    if (size != 0 && (!allocations.MayWrite(to, size) || !allocations.MayRead(from, size))) {
      return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    }
    job.copy = [to, from, size] { std::memmove(to, from, size); };
    job.bytes = size;
    const auto submitted = runtime.copies().Submit(std::move(job));
    return submitted ? HSA_STATUS_SUCCESS : StatusOf(submitted.error());
  });
}

constexpr uint32_t kAllEngines = (1 << CopyEngine::kEngines) - 1;  // a bit for each

}  // namespace

// The engines are alike, and take what is ready.
hsa_status_t MemoryCopyOnEngine(void* to, hsa_agent_t to_agent, const void* from,
                                hsa_agent_t from_agent, size_t size, uint32_t count,
                                const hsa_signal_t* after, hsa_signal_t completion, uint32_t engine,
                                bool) {
  if (!std::has_single_bit(engine) || (engine & ~kAllEngines) != 0) {
    return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  }
  return Copy(to, to_agent, from, from_agent, size, count, after, completion);
}

// Those that have nothing to do: all of them, since copies are not tied to an engine.
hsa_status_t MemoryCopyEngineStatus(hsa_agent_t to, hsa_agent_t from, uint32_t* mask) {
  return Guarded([&](Runtime& runtime) {
    const bool has_gpu = runtime.FindGpu(to) != nullptr || runtime.FindGpu(from) != nullptr;
    if (!has_gpu || runtime.Find(to) == nullptr || runtime.Find(from) == nullptr ||
        to.handle == from.handle) {
      return HSA_STATUS_ERROR_INVALID_AGENT;
    }
    return mask == nullptr ? HSA_STATUS_ERROR_INVALID_ARGUMENT : Put(mask, kAllEngines);
  });
}

}  // namespace gcnjit::hsa

extern "C" hsa_status_t hsa_amd_memory_async_copy(void* to, hsa_agent_t to_agent, const void* from,
                                                  hsa_agent_t from_agent, size_t size,
                                                  uint32_t count, const hsa_signal_t* after,
                                                  hsa_signal_t completion) {
  return Copy(to, to_agent, from, from_agent, size, count, after, completion);
}

extern "C" hsa_status_t hsa_amd_memory_async_copy_rect(
    const hsa_pitched_ptr_t* to, const hsa_dim3_t* to_offset, const hsa_pitched_ptr_t* from,
    const hsa_dim3_t* from_offset, const hsa_dim3_t* range, hsa_agent_t agent,
    hsa_amd_copy_direction_t, uint32_t count, const hsa_signal_t* after, hsa_signal_t completion) {
  return Guarded([&](Runtime& runtime) {
    if (runtime.FindGpu(agent) == nullptr) return HSA_STATUS_ERROR_INVALID_AGENT;
    if (to == nullptr || to_offset == nullptr || from == nullptr || from_offset == nullptr ||
        range == nullptr || to->base == nullptr || from->base == nullptr) {
      return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    }
    CopyEngine::Job job;
    const hsa_status_t status = FindSignals(runtime, count, after, completion, job);
    if (status != HSA_STATUS_SUCCESS) return status;
    const hsa_dim3_t size = *range;
    if (size.x == 0 || size.y == 0 || size.z == 0) {
      job.copy = [] {};
    } else {
      const auto to_box = BoxAt(runtime.allocations(), *to, *to_offset, size, /*write=*/true);
      const auto from_box =
          BoxAt(runtime.allocations(), *from, *from_offset, size, /*write=*/false);
      if (!to_box || !from_box) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
      job.copy = [to_box, from_box, size] { CopyBox(*to_box, *from_box, size); };
    }
    job.bytes = uint64_t{size.x} * size.y * size.z;
    job.name = "copy of a box";
    const auto submitted = runtime.copies().Submit(std::move(job));
    return submitted ? HSA_STATUS_SUCCESS : StatusOf(submitted.error());
  });
}

extern "C" hsa_status_t hsa_memory_copy(void* to, const void* from, size_t size) {
  return Guarded([&](Runtime& runtime) {
    if (to == nullptr || from == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    if (size == 0) return HSA_STATUS_SUCCESS;
    const AllocationTable& allocations = runtime.allocations();
    if (!allocations.MayWrite(to, size) || !allocations.MayRead(from, size)) {
      return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    }
    std::memmove(to, from, size);
    return HSA_STATUS_SUCCESS;
  });
}

extern "C" hsa_status_t hsa_amd_memory_fill(void* pointer, uint32_t value, size_t count) {
  return Guarded([&](Runtime& runtime) {
    if (pointer == nullptr || reinterpret_cast<uint64_t>(pointer) % sizeof value != 0) {
      return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    }
    if (count == 0) return HSA_STATUS_SUCCESS;
    if (count > SIZE_MAX / sizeof value ||
        !runtime.allocations().MayWrite(pointer, count * sizeof value)) {
      return HSA_STATUS_ERROR_INVALID_ALLOCATION;
    }
    std::fill_n(static_cast<uint32_t*>(pointer), count, value);
    return HSA_STATUS_SUCCESS;
  });
}

extern "C" hsa_status_t hsa_amd_memory_lock_to_pool(void* pointer, size_t size, hsa_agent_t* agents,
                                                    int count, hsa_amd_memory_pool_t handle,
                                                    uint32_t flags, void** at) {
  return Guarded([&](Runtime& runtime) {
    if (at == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    *at = nullptr;
    if (pointer == nullptr || size == 0 || flags != 0 || (agents == nullptr) != (count == 0)) {
      return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    }
    for (int n = 0; n < count; ++n) {
      if (runtime.Find(agents[n]) == nullptr) return HSA_STATUS_ERROR_INVALID_AGENT;
    }
    const Pool* pool = runtime.Find(handle);
    if (pool == nullptr || pool->agent->gpu != nullptr) {
      return static_cast<hsa_status_t>(HSA_STATUS_ERROR_INVALID_MEMORY_POOL);
    }
    return runtime.allocations().Lock(pointer, size, *pool, at);
  });
}

extern "C" hsa_status_t hsa_amd_memory_lock(void* pointer, size_t size, hsa_agent_t* agents,
                                            int count, void** at) {
  const Runtime* runtime = Runtime::Open();
  if (runtime == nullptr) return HSA_STATUS_ERROR_NOT_INITIALIZED;
  const Pool& fine = runtime->agents().front().pools.front();
  return hsa_amd_memory_lock_to_pool(pointer, size, agents, count,
                                     {reinterpret_cast<uint64_t>(&fine)}, 0, at);
}

extern "C" hsa_status_t hsa_amd_memory_unlock(void* pointer) {
  return Guarded([&](Runtime& runtime) {
    if (pointer == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    return runtime.allocations().Unlock(pointer) ? HSA_STATUS_SUCCESS
                                                 : HSA_STATUS_ERROR_INVALID_ARGUMENT;
  });
}

extern "C" hsa_status_t hsa_amd_pointer_info(const void* pointer, hsa_amd_pointer_info_t* info,
                                             void* (*allocate)(size_t), uint32_t* agent_count,
                                             hsa_agent_t** agents) {
  return Guarded([&](Runtime& runtime) {
    if (info == nullptr || info->size == 0) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    hsa_amd_pointer_info_t found = {};
    found.size = static_cast<uint32_t>(std::min<size_t>(info->size, sizeof found));
    auto entry = runtime.allocations().Find(pointer);
    if (!entry) entry = runtime.virtual_memory().Find(reinterpret_cast<uint64_t>(pointer));
    if (entry) {
      found.type = entry->type;
      found.agentBaseAddress = reinterpret_cast<void*>(entry->guest);
      found.hostBaseAddress = reinterpret_cast<void*>(entry->host);
      found.sizeInBytes = entry->bytes;
      found.userData = entry->user_data;
      if (entry->pool != nullptr) {
        found.agentOwner = entry->pool->agent->handle();
        found.global_flags = entry->pool->flags;
      }
    }
    if (agent_count != nullptr && agents != nullptr && allocate != nullptr) {
      *agent_count = 0;
      *agents = nullptr;
      if (entry) {
        const size_t count = runtime.agents().size();
        *agents = static_cast<hsa_agent_t*>(allocate(count * sizeof(hsa_agent_t)));
        if (*agents == nullptr) return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
        for (const Agent& agent : runtime.agents()) (*agents)[(*agent_count)++] = agent.handle();
      }
    }
    std::memcpy(info, &found, found.size);
    return HSA_STATUS_SUCCESS;
  });
}

extern "C" hsa_status_t hsa_amd_pointer_info_set_userdata(const void* pointer, void* user_data) {
  return Guarded([&](Runtime& runtime) {
    return runtime.allocations().SetUserData(pointer, user_data)
               ? HSA_STATUS_SUCCESS
               : HSA_STATUS_ERROR_INVALID_ARGUMENT;
  });
}

extern "C" hsa_status_t hsa_amd_register_deallocation_callback(
    void* pointer, hsa_amd_deallocation_callback_t callback, void* user_data) {
  return Guarded([&](Runtime& runtime) {
    if (pointer == nullptr || callback == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    return runtime.allocations().AddFreeCallback(pointer, callback, user_data)
               ? HSA_STATUS_SUCCESS
               : HSA_STATUS_ERROR_INVALID_ALLOCATION;
  });
}

extern "C" hsa_status_t hsa_amd_deregister_deallocation_callback(
    void* pointer, hsa_amd_deallocation_callback_t callback) {
  return Guarded([&](Runtime& runtime) {
    if (pointer == nullptr || callback == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    return runtime.allocations().RemoveFreeCallback(pointer, callback)
               ? HSA_STATUS_SUCCESS
               : HSA_STATUS_ERROR_INVALID_ARGUMENT;
  });
}
