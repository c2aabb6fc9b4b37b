#include "runtime/hsa/allocations.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "runtime/hsa/pool_names.h"
#include "runtime/hsa/status.h"

namespace gcnjit::hsa {

hsa_status_t AllocationTable::Allocate(const Pool& pool, uint64_t bytes, void** pointer) {
  if (bytes == 0) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  if (!pool.IsGlobal() || bytes > pool.bytes) return HSA_STATUS_ERROR_INVALID_ALLOCATION;
  const bool is_device = pool.agent->gpu != nullptr;
  const hsa_status_t status =
      Add(pool, bytes, HSA_EXT_POINTER_TYPE_HSA, is_device ? "device" : "host", pointer);
  // The host may well write its own memory while a kernel runs.
  if (status == HSA_STATUS_SUCCESS && is_device) {
    memory_.LeaveUndefined(reinterpret_cast<uint64_t>(*pointer));
  }
  return status;
}

hsa_status_t AllocationTable::Add(const Pool& pool, uint64_t bytes, hsa_amd_pointer_type_t type,
                                  const char* label, void** pointer) {
  const uint64_t whole = (bytes + kPoolGranule - 1) / kPoolGranule * kPoolGranule;
  // malloc in kernels (rocm-device-libs, dm.cl) takes slabs of this size, and finds the slab of a
  // pointer by clearing the pointer's low bits.
  const auto address = memory_.Allocate(bytes, label, runtime::GuestMemory::Access::kReadWrite,
                                        bytes >= kLargeGranule ? kLargeGranule : kPoolGranule);
  if (!address) return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
  const std::scoped_lock lock(mutex_);
  Record& record = allocated_[*address];
  record.entry = {type, *address, *address, whole, &pool, nullptr};
  record.requested = bytes;
  *pointer = reinterpret_cast<void*>(*address);
  return HSA_STATUS_SUCCESS;
}

bool AllocationTable::Free(void* pointer) { return Remove(pointer, HSA_EXT_POINTER_TYPE_HSA); }

bool AllocationTable::Remove(void* pointer, hsa_amd_pointer_type_t type) {
  Record record;
  {
    const std::scoped_lock lock(mutex_);
    const auto found = allocated_.find(reinterpret_cast<uint64_t>(pointer));
    if (found == allocated_.end() || found->second.entry.type != type) return false;
    record = std::move(found->second);
    allocated_.erase(found);
  }
  for (const FreeCallback& entry : record.free_callbacks) {
    entry.callback(entry.pointer, entry.user_data);
  }
  return memory_.Free(record.entry.guest).ok();
}

uint64_t AllocationTable::BytesOf(const Agent& agent) const {
  const std::scoped_lock lock(mutex_);
  uint64_t bytes = 0;
  for (const auto& [address, record] : allocated_) {
    // What is attached is allocated elsewhere.
    if (record.entry.pool->agent == &agent && record.entry.type == HSA_EXT_POINTER_TYPE_HSA) {
      bytes += record.entry.bytes;
    }
  }
  return bytes;
}

hsa_status_t AllocationTable::Share(void* pointer, uint64_t bytes,
                                    std::shared_ptr<const runtime::SharedPages>& pages) {
  const std::scoped_lock lock(mutex_);
  const auto found = allocated_.find(reinterpret_cast<uint64_t>(pointer));
  if (found == allocated_.end() ||
      (bytes != found->second.requested && bytes != found->second.entry.bytes)) {
    return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  }
  auto shared = memory_.Share(found->first, NameOfPool(*found->second.entry.pool, 0));
  if (!shared) return StatusOf(shared.error());
  pages = std::move(*shared);
  return HSA_STATUS_SUCCESS;
}

hsa_status_t AllocationTable::Attach(const Runtime& runtime,
                                     const std::shared_ptr<const runtime::SharedPages>& pages,
                                     hsa_amd_pointer_type_t type, void** pointer) {
  const auto name = FindPoolName(runtime, pages->name());
  // Of a device that this process does not see it is the host's memory.
  const Pool& pool = name ? *name->pool : runtime.agents().front().pools.front();
  void* attached = nullptr;
  const hsa_status_t status =
      Add(pool, pages->bytes(), type, "shared by another process", &attached);
  if (status != HSA_STATUS_SUCCESS) return status;
  if (const auto replaced = memory_.Replace(reinterpret_cast<uint64_t>(attached), pages);
      !replaced) {
    Detach(attached, type);
    return StatusOf(replaced.error());
  }
  *pointer = attached;
  return HSA_STATUS_SUCCESS;
}

bool AllocationTable::Detach(void* pointer, hsa_amd_pointer_type_t type) {
  return Remove(pointer, type);
}

hsa_status_t AllocationTable::ShareAround(const void* pointer, uint64_t bytes,
                                          std::shared_ptr<const runtime::SharedPages>& pages,
                                          uint64_t* offset) {
  const std::scoped_lock lock(mutex_);
  const Record* const record = Allocated(pointer);
  if (record == nullptr) return HSA_STATUS_ERROR_INVALID_ALLOCATION;
  const Entry& entry = record->entry;
  const uint64_t begin = reinterpret_cast<uint64_t>(pointer) - entry.host;
  if (bytes > entry.bytes - begin) return HSA_STATUS_ERROR_INVALID_ALLOCATION;
  if (entry.pool->agent->gpu == nullptr) return HSA_STATUS_ERROR_INVALID_AGENT;
  auto shared = memory_.Share(entry.host, NameOfPool(*entry.pool, 0));
  if (!shared) return StatusOf(shared.error());
  pages = std::move(*shared);
  *offset = begin;
  return HSA_STATUS_SUCCESS;
}

hsa_status_t AllocationTable::Lock(void* pointer, uint64_t bytes, const Pool& pool, void** at) {
  const uint64_t host = reinterpret_cast<uint64_t>(pointer);
  const std::scoped_lock lock(mutex_);
  // Guest memory never needs it, and of code there must not be a second view.
  const uint64_t base = memory_.base();
  if (bytes > UINT64_MAX - host ||
      (host < base + runtime::GuestMemory::kRangeBytes && host + bytes > base)) {
    return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  }
  LockedRange range;
  range.entry = {HSA_EXT_POINTER_TYPE_LOCKED, host, host, bytes, &pool, nullptr};
  if (pool.IsFineGrained()) {
    auto alias = HostAlias::Create(host, bytes);
    if (!alias) return StatusOf(alias.error());
    range.alias = std::move(*alias);
    range.entry.guest = range.alias.address();
  }
  *at = reinterpret_cast<void*>(range.entry.guest);
  locked_.emplace(host, std::move(range));
  return HSA_STATUS_SUCCESS;
}

bool AllocationTable::Unlock(void* pointer) {
  const std::scoped_lock lock(mutex_);
  const auto [first, end] = locked_.equal_range(reinterpret_cast<uint64_t>(pointer));
  if (first == end) return false;
  // It is not said which of several ranges is meant. One with an alias goes last: kernels may still
  // use the alias, while the others make no difference.
  const auto without_alias =
      std::find_if(first, end, [](const auto& item) { return item.second.alias.address() == 0; });
  locked_.erase(without_alias != end ? without_alias : first);
  return true;
}

AllocationTable::Record* AllocationTable::Allocated(const void* pointer) {
  const uint64_t address = reinterpret_cast<uint64_t>(pointer);
  const auto above = allocated_.upper_bound(address);
  if (above == allocated_.begin()) return nullptr;
  Record& record = std::prev(above)->second;
  return address - record.entry.host < record.entry.bytes ? &record : nullptr;
}

const AllocationTable::Entry* AllocationTable::Covering(const void* pointer) const {
  const uint64_t address = reinterpret_cast<uint64_t>(pointer);
  if (const Record* record = const_cast<AllocationTable*>(this)->Allocated(pointer)) {
    return &record->entry;
  }
  const Entry* found = nullptr;
  for (const auto& [host, range] : locked_) {
    const Entry& entry = range.entry;
    if (address - entry.host >= entry.bytes && address - entry.guest >= entry.bytes) continue;
    if (found == nullptr || range.alias.address() != 0) found = &entry;
  }
  return found;
}

std::optional<AllocationTable::Entry> AllocationTable::Find(const void* pointer) const {
  const std::scoped_lock lock(mutex_);
  const Entry* entry = Covering(pointer);
  return entry == nullptr ? std::nullopt : std::optional(*entry);
}

bool AllocationTable::SetUserData(const void* pointer, void* user_data) {
  const std::scoped_lock lock(mutex_);
  auto* entry = const_cast<Entry*>(Covering(pointer));
  if (entry == nullptr) return false;
  entry->user_data = user_data;
  return true;
}

bool AllocationTable::AddFreeCallback(void* pointer, hsa_amd_deallocation_callback_t callback,
                                      void* user_data) {
  const std::scoped_lock lock(mutex_);
  Record* record = Allocated(pointer);
  if (record == nullptr) return false;
  record->free_callbacks.push_back({pointer, callback, user_data});
  return true;
}

bool AllocationTable::RemoveFreeCallback(void* pointer, hsa_amd_deallocation_callback_t callback) {
  const std::scoped_lock lock(mutex_);
  Record* record = Allocated(pointer);
  if (record == nullptr) return false;
  return std::erase_if(record->free_callbacks, [&](const FreeCallback& entry) {
           return entry.pointer == pointer && entry.callback == callback;
         }) != 0;
}

bool AllocationTable::MayRead(const void* pointer, uint64_t bytes) const {
  const uint64_t address = reinterpret_cast<uint64_t>(pointer);
  if (address == 0 || address + bytes < address) return false;
  if (address - memory_.base() >= runtime::GuestMemory::kRangeBytes) return true;
  return memory_.InOneAllocation(address, bytes);
}

bool AllocationTable::MayWrite(const void* pointer, uint64_t bytes) const {
  const uint64_t address = reinterpret_cast<uint64_t>(pointer);
  return MayRead(pointer, bytes) &&
         (address - memory_.base() >= runtime::GuestMemory::kRangeBytes ||
          memory_.HostMayWrite(address, bytes));
}

}  // namespace gcnjit::hsa
