// Memory that the host program has got from pools, and host memory that it has locked.
#pragma once

#include <hsa/hsa.h>
#include <hsa/hsa_ext_amd.h>

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "runtime/hsa/agent.h"
#include "runtime/hsa/host_alias.h"
#include "runtime/memory/guest_memory.h"

namespace gcnjit::hsa {

class Runtime;

class AllocationTable {
 public:
  explicit AllocationTable(runtime::GuestMemory& memory) : memory_(memory) {}

  hsa_status_t Allocate(const Pool& pool, uint64_t bytes, void** pointer);
  // False: not the start of an allocation.
  bool Free(void* pointer);

  // Of all that is allocated from the agent's pools.
  uint64_t BytesOf(const Agent& agent) const;

  // Memory for other processes: of an allocation from its first byte to its last. While it is made
  // so, no kernel may write to it.
  hsa_status_t Share(void* pointer, uint64_t bytes,
                     std::shared_ptr<const runtime::SharedPages>& pages);
  // Likewise, of the allocation of a GPU's that holds these bytes; `offset` is theirs in it.
  hsa_status_t ShareAround(const void* pointer, uint64_t bytes,
                           std::shared_ptr<const runtime::SharedPages>& pages, uint64_t* offset);
  // Memory of another process, at an address of this one; `type` is that of Detach.
  hsa_status_t Attach(const Runtime& runtime,
                      const std::shared_ptr<const runtime::SharedPages>& pages,
                      hsa_amd_pointer_type_t type, void** pointer);
  // False: Attach has not given it.
  bool Detach(void* pointer, hsa_amd_pointer_type_t type);

  // Lets kernels use host memory at `pointer`; `at` gets the address for them. For fine-grained
  // pools that is another one than the host's, which HIP relies on (hipHostUnregister); for the
  // others, of which HIP makes short use for copies, it is the same. As often as it is locked it
  // has to be unlocked.
  hsa_status_t Lock(void* pointer, uint64_t bytes, const Pool& pool, void** at);
  bool Unlock(void* pointer);

  struct Entry {
    hsa_amd_pointer_type_t type = HSA_EXT_POINTER_TYPE_UNKNOWN;
    uint64_t host = 0;   // where the host finds it
    uint64_t guest = 0;  // where kernels do
    uint64_t bytes = 0;
    const Pool* pool = nullptr;
    void* user_data = nullptr;
  };
  // The allocation or locked range that holds the host's or the kernels' address.
  std::optional<Entry> Find(const void* pointer) const;
  bool SetUserData(const void* pointer, void* user_data);

  // `callback` is called when the allocation that holds `pointer` is freed. False: there is none.
  bool AddFreeCallback(void* pointer, hsa_amd_deallocation_callback_t callback, void* user_data);
  bool RemoveFreeCallback(void* pointer, hsa_amd_deallocation_callback_t callback);

  // Are these bytes fit to be copied from? Of guest memory only what is allocated is; of the rest
  // of the host's memory we know nothing.
  bool MayRead(const void* pointer, uint64_t bytes) const;
  // Or to? Code never changes once it has been loaded.
  bool MayWrite(const void* pointer, uint64_t bytes) const;

 private:
  struct FreeCallback {
    void* pointer = nullptr;
    hsa_amd_deallocation_callback_t callback = nullptr;
    void* user_data = nullptr;
  };
  struct Record {
    Entry entry;
    uint64_t requested = 0;  // bytes; the entry has whole pages
    std::vector<FreeCallback> free_callbacks;
  };
  struct LockedRange {
    Entry entry;
    HostAlias alias;  // if kernels have another address of it
  };
  hsa_status_t Add(const Pool& pool, uint64_t bytes, hsa_amd_pointer_type_t type, const char* label,
                   void** pointer);
  // False: no allocation of this type begins there.
  bool Remove(void* pointer, hsa_amd_pointer_type_t type);
  // The caller holds mutex_. Null: none.
  const Entry* Covering(const void* pointer) const;
  Record* Allocated(const void* pointer);

  runtime::GuestMemory& memory_;
  mutable std::mutex mutex_;                     // guards what follows
  std::map<uint64_t, Record> allocated_;         // by address
  std::multimap<uint64_t, LockedRange> locked_;  // by the host's address
};

}  // namespace gcnjit::hsa
