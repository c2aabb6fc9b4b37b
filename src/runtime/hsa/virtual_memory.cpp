#include "runtime/hsa/virtual_memory.h"

#include <iterator>
#include <utility>

#include "runtime/hsa/pool_names.h"
#include "runtime/hsa/status.h"

namespace gcnjit::hsa {
namespace {

using runtime::GuestMemory;
using runtime::PieceAccess;

bool AreWholePages(uint64_t begin, uint64_t bytes) {
  return begin % kPoolGranule == 0 && bytes % kPoolGranule == 0 && bytes != 0;
}

// Host processors cannot write to what they cannot read, and compiled kernels run on one.
uint8_t PieceAccessOf(const Agent& agent, hsa_access_permission_t permissions) {
  const int number = static_cast<int>(permissions);
  if (number == kAccessNone) return 0;
  const bool writes = permissions != HSA_ACCESS_PERMISSION_RO;
  // Copies between agents are the host's.
  const auto host =
      static_cast<uint8_t>(PieceAccess::kHostReads | (writes ? PieceAccess::kHostWrites : 0));
  if (agent.gpu == nullptr) return host;
  return static_cast<uint8_t>(host | PieceAccess::kGuestReads |
                              (writes ? PieceAccess::kGuestWrites : 0));
}

}  // namespace

hsa_status_t VirtualMemory::Reserve(uint64_t bytes, uint64_t wanted, uint64_t alignment,
                                    uint64_t* address) {
  const auto reserved = memory_.ReserveAddresses(bytes, "virtual memory",
                                                 alignment == 0 ? kPoolGranule : alignment, wanted);
  if (!reserved) return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
  const std::scoped_lock lock(mutex_);
  reservations_[*reserved] = {bytes, 0};
  *address = *reserved;
  return HSA_STATUS_SUCCESS;
}

hsa_status_t VirtualMemory::Free(uint64_t address, uint64_t bytes) {
  const std::scoped_lock lock(mutex_);
  const auto found = reservations_.find(address);
  if (found == reservations_.end()) return HSA_STATUS_ERROR_INVALID_ALLOCATION;
  if (found->second.bytes != bytes) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  if (found->second.mappings != 0) return HSA_STATUS_ERROR_RESOURCE_FREE;
  if (!memory_.FreeAddresses(address)) return HSA_STATUS_ERROR;
  reservations_.erase(found);
  return HSA_STATUS_SUCCESS;
}

uint64_t VirtualMemory::Add(Handle handle) {
  handles_.emplace(++last_handle_, std::move(handle));
  return last_handle_;
}

hsa_status_t VirtualMemory::Create(const Pool& pool, uint64_t bytes, uint32_t type,
                                   uint64_t* handle) {
  if (!AreWholePages(0, bytes)) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  if (!pool.IsGlobal() || bytes > pool.bytes) return HSA_STATUS_ERROR_INVALID_ALLOCATION;
  auto pages = memory_.CreatePages(bytes, NameOfPool(pool, type));
  if (!pages) return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
  const std::scoped_lock lock(mutex_);
  *handle = Add({&pool, std::move(*pages), type, 1, 0, false});
  return HSA_STATUS_SUCCESS;
}

void VirtualMemory::DropIfUnused(uint64_t handle) {
  const auto found = handles_.find(handle);
  if (found->second.references == 0 && found->second.mappings == 0) handles_.erase(found);
}

hsa_status_t VirtualMemory::Release(uint64_t handle) {
  const std::scoped_lock lock(mutex_);
  const auto found = handles_.find(handle);
  if (found == handles_.end() || found->second.references == 0) {
    return HSA_STATUS_ERROR_INVALID_ALLOCATION;
  }
  --found->second.references;
  DropIfUnused(handle);
  return HSA_STATUS_SUCCESS;
}

hsa_status_t VirtualMemory::Retain(uint64_t address, uint64_t* handle) {
  const std::scoped_lock lock(mutex_);
  const auto found = mappings_.find(address);
  if (found == mappings_.end()) return HSA_STATUS_ERROR_INVALID_ALLOCATION;
  ++handles_.at(found->second.handle).references;
  *handle = found->second.handle;
  return HSA_STATUS_SUCCESS;
}

hsa_status_t VirtualMemory::Properties(uint64_t handle, const Pool** pool, uint32_t* type) const {
  const std::scoped_lock lock(mutex_);
  const auto found = handles_.find(handle);
  if (found == handles_.end()) return HSA_STATUS_ERROR_INVALID_ALLOCATION;
  *pool = found->second.pool;
  *type = found->second.type;
  return HSA_STATUS_SUCCESS;
}

hsa_status_t VirtualMemory::Export(uint64_t handle, int* file) const {
  const std::scoped_lock lock(mutex_);
  const auto found = handles_.find(handle);
  if (found == handles_.end()) return HSA_STATUS_ERROR_INVALID_ALLOCATION;
  const auto exported = found->second.pages->Export();
  if (!exported) return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
  *file = *exported;
  return HSA_STATUS_SUCCESS;
}

hsa_status_t VirtualMemory::Import(const Runtime& runtime, int file, uint64_t* handle) {
  auto pages = runtime::SharedPages::Import(file);
  if (!pages) {
    return pages.error().code == ErrorCode::kInvalidArgument
               ? HSA_STATUS_ERROR_INCOMPATIBLE_ARGUMENTS
               : HSA_STATUS_ERROR_OUT_OF_RESOURCES;
  }
  const auto name = FindPoolName(runtime, (*pages)->name());
  if (!name) return HSA_STATUS_ERROR_INVALID_ALLOCATION;
  const std::scoped_lock lock(mutex_);
  for (auto& [known, what] : handles_) {
    if (!what.pages->IsSame(**pages)) continue;
    ++what.references;
    *handle = known;
    return HSA_STATUS_SUCCESS;
  }
  *handle = Add({name->pool, std::move(*pages), name->type, 1, 0, true});
  return HSA_STATUS_SUCCESS;
}

uint64_t VirtualMemory::ReservationOf(uint64_t address, uint64_t bytes) const {
  const auto above = reservations_.upper_bound(address);
  if (above == reservations_.begin()) return 0;
  const auto& [begin, reservation] = *std::prev(above);
  const uint64_t offset = address - begin;
  return offset <= reservation.bytes && bytes <= reservation.bytes - offset ? begin : 0;
}

VirtualMemory::Mappings::const_iterator VirtualMemory::MappingOf(uint64_t address) const {
  auto found = mappings_.upper_bound(address);
  if (found == mappings_.begin()) return mappings_.end();
  --found;
  return address - found->first < found->second.bytes ? found : mappings_.end();
}

hsa_status_t VirtualMemory::Map(uint64_t address, uint64_t bytes, uint64_t offset,
                                uint64_t handle) {
  if (!AreWholePages(address, bytes)) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  const std::scoped_lock lock(mutex_);
  const uint64_t reservation = ReservationOf(address, bytes);
  const auto found = handles_.find(handle);
  if (reservation == 0 || found == handles_.end()) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  const auto mapped = memory_.Map(address, bytes, found->second.pages, offset);
  if (!mapped) return StatusOf(mapped.error());
  mappings_[address] = {bytes, handle, reservation, {}};
  ++found->second.mappings;
  ++reservations_.at(reservation).mappings;
  return HSA_STATUS_SUCCESS;
}

hsa_status_t VirtualMemory::Unmap(uint64_t address, uint64_t bytes) {
  const std::scoped_lock lock(mutex_);
  const auto found = mappings_.find(address);
  if (found == mappings_.end()) return HSA_STATUS_ERROR_INVALID_ALLOCATION;
  if (found->second.bytes != bytes) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  if (!memory_.Unmap(address)) return HSA_STATUS_ERROR;
  const uint64_t handle = found->second.handle;
  --handles_.at(handle).mappings;
  --reservations_.at(found->second.reservation).mappings;
  mappings_.erase(found);
  DropIfUnused(handle);
  return HSA_STATUS_SUCCESS;
}

// Guest memory has one set of rights for all devices: what any of them may do.
hsa_status_t VirtualMemory::SetAccess(uint64_t address, Mapping& mapping,
                                      std::span<const Access> access) {
  auto agents = mapping.access;
  for (const Access& wanted : access) agents[wanted.agent] = wanted.permissions;
  uint8_t all = 0;
  for (const auto& [agent, permissions] : agents) {
    all = static_cast<uint8_t>(all | PieceAccessOf(*agent, permissions));
  }
  if (!memory_.SetPieceAccess(address, all)) return HSA_STATUS_ERROR;
  mapping.access = std::move(agents);
  return HSA_STATUS_SUCCESS;
}

hsa_status_t VirtualMemory::SetAccess(uint64_t address, uint64_t bytes,
                                      std::span<const Access> access) {
  const std::scoped_lock lock(mutex_);
  if (ReservationOf(address, bytes) == 0) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  // All of the bytes must be mapped before any of them changes.
  uint64_t end = address;
  while (end - address < bytes) {
    const auto found = mappings_.find(end);
    if (found == mappings_.end()) return HSA_STATUS_ERROR_INVALID_ALLOCATION;
    end += found->second.bytes;
  }
  for (uint64_t at = address; at != end;) {
    Mapping& mapping = mappings_.at(at);
    const hsa_status_t status = SetAccess(at, mapping, access);
    if (status != HSA_STATUS_SUCCESS) return status;
    at += mapping.bytes;
  }
  return HSA_STATUS_SUCCESS;
}

hsa_status_t VirtualMemory::AllowAccess(uint64_t address, std::span<const Access> access) {
  const std::scoped_lock lock(mutex_);
  const auto found = MappingOf(address);
  if (found == mappings_.end()) return HSA_STATUS_ERROR_INVALID_ALLOCATION;
  uint64_t at = found->first;
  for (auto next = mappings_.find(at); next != mappings_.end() && next->first == at; ++next) {
    const hsa_status_t status = SetAccess(at, next->second, access);
    if (status != HSA_STATUS_SUCCESS) return status;
    at += next->second.bytes;
  }
  return HSA_STATUS_SUCCESS;
}

hsa_status_t VirtualMemory::GetAccess(uint64_t address, const Agent& agent,
                                      hsa_access_permission_t* permissions) const {
  const std::scoped_lock lock(mutex_);
  const auto found = MappingOf(address);
  if (found == mappings_.end()) return HSA_STATUS_ERROR_INVALID_ALLOCATION;
  if (agent.gpu == nullptr) return HSA_STATUS_ERROR_INVALID_AGENT;
  const auto set = found->second.access.find(&agent);
  if (set != found->second.access.end()) *permissions = set->second;
  return HSA_STATUS_SUCCESS;
}

uint64_t VirtualMemory::BytesOf(const Agent& agent) const {
  const std::scoped_lock lock(mutex_);
  uint64_t bytes = 0;
  for (const auto& [number, handle] : handles_) {
    if (handle.pool->agent == &agent && !handle.is_imported) bytes += handle.pages->bytes();
  }
  return bytes;
}

std::optional<AllocationTable::Entry> VirtualMemory::Find(uint64_t address) const {
  const std::scoped_lock lock(mutex_);
  const auto mapping = MappingOf(address);
  if (mapping != mappings_.end()) {
    return AllocationTable::Entry{static_cast<hsa_amd_pointer_type_t>(kPointerTypeVmem),
                                  mapping->first,
                                  mapping->first,
                                  mapping->second.bytes,
                                  handles_.at(mapping->second.handle).pool,
                                  nullptr};
  }
  const uint64_t reservation = ReservationOf(address, 1);
  if (reservation == 0) return std::nullopt;
  return AllocationTable::Entry{static_cast<hsa_amd_pointer_type_t>(kPointerTypeReserved),
                                reservation,
                                reservation,
                                reservations_.at(reservation).bytes,
                                nullptr,
                                nullptr};
}

}  // namespace gcnjit::hsa
