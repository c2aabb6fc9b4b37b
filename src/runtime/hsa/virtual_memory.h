// The virtual memory API: handles of memory, reserved addresses, and what is mapped there. Statuses
// are those of ROCm.
#pragma once

#include <hsa/hsa.h>
#include <hsa/hsa_ext_amd.h>

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>

#include "runtime/hsa/agent.h"
#include "runtime/hsa/allocations.h"
#include "runtime/hsa/newer_api.h"
#include "runtime/memory/guest_memory.h"

namespace gcnjit::hsa {

class Runtime;

class VirtualMemory {
 public:
  explicit VirtualMemory(runtime::GuestMemory& memory) : memory_(memory) {}

  hsa_status_t Reserve(uint64_t bytes, uint64_t wanted, uint64_t alignment, uint64_t* address);
  hsa_status_t Free(uint64_t address, uint64_t bytes);

  hsa_status_t Create(const Pool& pool, uint64_t bytes, uint32_t type, uint64_t* handle);
  hsa_status_t Release(uint64_t handle);
  hsa_status_t Retain(uint64_t address, uint64_t* handle);
  hsa_status_t Properties(uint64_t handle, const Pool** pool, uint32_t* type) const;
  hsa_status_t Export(uint64_t handle, int* file) const;
  hsa_status_t Import(const Runtime& runtime, int file, uint64_t* handle);

  hsa_status_t Map(uint64_t address, uint64_t bytes, uint64_t offset, uint64_t handle);
  hsa_status_t Unmap(uint64_t address, uint64_t bytes);

  struct Access {
    const Agent* agent = nullptr;
    hsa_access_permission_t permissions = HSA_ACCESS_PERMISSION_RO;
  };
  hsa_status_t SetAccess(uint64_t address, uint64_t bytes, std::span<const Access> access);
  // Of all that is mapped without a gap from the piece at the address on.
  hsa_status_t AllowAccess(uint64_t address, std::span<const Access> access);
  hsa_status_t GetAccess(uint64_t address, const Agent& agent,
                         hsa_access_permission_t* permissions) const;

  // Of all memory that was created from the agent's pools here.
  uint64_t BytesOf(const Agent& agent) const;
  // Of an address that is reserved.
  std::optional<AllocationTable::Entry> Find(uint64_t address) const;

 private:
  struct Handle {
    const Pool* pool = nullptr;
    std::shared_ptr<const runtime::SharedPages> pages;
    uint32_t type = 0;
    uint32_t references = 1;
    uint32_t mappings = 0;
    bool is_imported = false;
  };
  struct Reservation {
    uint64_t bytes = 0;
    uint32_t mappings = 0;
  };
  struct Mapping {
    uint64_t bytes = 0;
    uint64_t handle = 0;
    uint64_t reservation = 0;  // where it begins
    std::map<const Agent*, hsa_access_permission_t> access;
  };
  using Mappings = std::map<uint64_t, Mapping>;

  // The caller of these holds mutex_.
  uint64_t Add(Handle handle);
  // Gives the memory back when nothing needs it any more.
  void DropIfUnused(uint64_t handle);
  // Zero: none holds all of the bytes.
  uint64_t ReservationOf(uint64_t address, uint64_t bytes) const;
  Mappings::const_iterator MappingOf(uint64_t address) const;  // end(): none
  hsa_status_t SetAccess(uint64_t address, Mapping& mapping, std::span<const Access> access);

  runtime::GuestMemory& memory_;
  mutable std::mutex mutex_;  // guards what follows
  uint64_t last_handle_ = 0;
  std::map<uint64_t, Handle> handles_;
  std::map<uint64_t, Reservation> reservations_;  // by address
  Mappings mappings_;                             // by address
};

}  // namespace gcnjit::hsa
