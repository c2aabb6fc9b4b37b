#include "runtime/hsa/allocations.h"

#include <algorithm>
#include <utility>

namespace gcnjit::hsa {

hsa_status_t AllocationTable::Allocate(const Pool& pool, uint64_t bytes, void** pointer) {
  if (bytes == 0) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  if (!pool.IsGlobal() || bytes > pool.bytes) return HSA_STATUS_ERROR_INVALID_ALLOCATION;
  const uint64_t whole = (bytes + kPoolGranule - 1) / kPoolGranule * kPoolGranule;
  const auto address = memory_.Allocate(bytes, pool.agent->gpu != nullptr ? "device" : "host");
  if (!address) return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
  const std::scoped_lock lock(mutex_);
  by_host_[*address].entry = {HSA_EXT_POINTER_TYPE_HSA, *address, *address, whole, &pool, nullptr};
  *pointer = reinterpret_cast<void*>(*address);
  return HSA_STATUS_SUCCESS;
}

bool AllocationTable::Free(void* pointer) {
  Record record;
  {
    const std::scoped_lock lock(mutex_);
    const auto found = by_host_.find(reinterpret_cast<uint64_t>(pointer));
    if (found == by_host_.end() || found->second.entry.type != HSA_EXT_POINTER_TYPE_HSA) {
      return false;
    }
    record = std::move(found->second);
    by_host_.erase(found);
  }
  for (const FreeCallback& entry : record.free_callbacks) {
    entry.callback(entry.pointer, entry.user_data);
  }
  return memory_.Free(record.entry.guest).ok();
}

hsa_status_t AllocationTable::Lock(void* pointer, uint64_t bytes, const Pool& pool, void** at) {
  const uint64_t host = reinterpret_cast<uint64_t>(pointer);
  const std::scoped_lock lock(mutex_);
  by_host_[host].entry = {HSA_EXT_POINTER_TYPE_LOCKED, host, host, bytes, &pool, nullptr};
  *at = pointer;
  return HSA_STATUS_SUCCESS;
}

bool AllocationTable::Unlock(void* pointer) {
  const std::scoped_lock lock(mutex_);
  const auto found = by_host_.find(reinterpret_cast<uint64_t>(pointer));
  if (found == by_host_.end() || found->second.entry.type != HSA_EXT_POINTER_TYPE_LOCKED) {
    return false;
  }
  by_host_.erase(found);
  return true;
}

const AllocationTable::Record* AllocationTable::Covering(const void* pointer) const {
  const uint64_t address = reinterpret_cast<uint64_t>(pointer);
  const auto above = by_host_.upper_bound(address);
  if (above != by_host_.begin()) {
    const Record& record = std::prev(above)->second;
    if (address - record.entry.host < record.entry.bytes) return &record;
  }
  const auto by_guest = std::ranges::find_if(by_host_, [address](const auto& item) {
    const Entry& entry = item.second.entry;
    return entry.guest != entry.host && address - entry.guest < entry.bytes;
  });
  return by_guest == by_host_.end() ? nullptr : &by_guest->second;
}

AllocationTable::Record* AllocationTable::Covering(const void* pointer) {
  return const_cast<Record*>(std::as_const(*this).Covering(pointer));
}

std::optional<AllocationTable::Entry> AllocationTable::Find(const void* pointer) const {
  const std::scoped_lock lock(mutex_);
  const Record* record = Covering(pointer);
  return record == nullptr ? std::nullopt : std::optional(record->entry);
}

bool AllocationTable::SetUserData(const void* pointer, void* user_data) {
  const std::scoped_lock lock(mutex_);
  Record* record = Covering(pointer);
  if (record == nullptr) return false;
  record->entry.user_data = user_data;
  return true;
}

bool AllocationTable::AddFreeCallback(void* pointer, hsa_amd_deallocation_callback_t callback,
                                      void* user_data) {
  const std::scoped_lock lock(mutex_);
  Record* record = Covering(pointer);
  if (record == nullptr || record->entry.type != HSA_EXT_POINTER_TYPE_HSA) return false;
  record->free_callbacks.push_back({pointer, callback, user_data});
  return true;
}

bool AllocationTable::RemoveFreeCallback(void* pointer, hsa_amd_deallocation_callback_t callback) {
  const std::scoped_lock lock(mutex_);
  Record* record = Covering(pointer);
  if (record == nullptr) return false;
  return std::erase_if(record->free_callbacks, [&](const FreeCallback& entry) {
           return entry.pointer == pointer && entry.callback == callback;
         }) != 0;
}

bool AllocationTable::MayCopy(const void* pointer, uint64_t bytes) const {
  const uint64_t address = reinterpret_cast<uint64_t>(pointer);
  if (address == 0 || address + bytes < address) return false;
  if (address - memory_.base() >= runtime::GuestMemory::kRangeBytes) return true;
  return memory_.InOneAllocation(address, bytes);
}

}  // namespace gcnjit::hsa
