#include "runtime/memory/address_pool.h"

#include <iterator>

namespace gcnjit::runtime {

void AddressPool::Add(uint64_t address, uint64_t bytes) {
  auto next = holes_.lower_bound(address);
  if (next != holes_.end() && next->first == address + bytes) {
    bytes += next->second;
    const auto after = std::next(next);
    Remove(next->first, next->second);
    next = after;
  }
  if (next != holes_.begin()) {
    const auto [before, before_bytes] = *std::prev(next);
    if (before + before_bytes == address) {
      Remove(before, before_bytes);
      address = before;
      bytes += before_bytes;
    }
  }
  holes_.emplace(address, bytes);
  holes_by_size_.emplace(bytes, address);
}

void AddressPool::AddLater(uint64_t address, uint64_t bytes) {
  quarantined_.push_back({address, bytes});
  quarantined_bytes_ += bytes;
  EndQuarantine();
}

void AddressPool::SetQuarantine(uint64_t bytes) {
  quarantine_limit_ = bytes;
  EndQuarantine();
}

void AddressPool::EndQuarantine() {
  while (quarantined_bytes_ > quarantine_limit_) {
    const Quarantined oldest = quarantined_.front();
    quarantined_.pop_front();
    quarantined_bytes_ -= oldest.bytes;
    Add(oldest.address, oldest.bytes);
  }
}

uint64_t AddressPool::Find(uint64_t bytes, uint64_t alignment) const {
  for (auto hole = holes_by_size_.lower_bound({bytes, 0}); hole != holes_by_size_.end(); ++hole) {
    const uint64_t aligned = (hole->second + alignment - 1) & ~(alignment - 1);
    if (aligned - hole->second <= hole->first - bytes) return aligned;
  }
  return 0;
}

bool AddressPool::Has(uint64_t address, uint64_t bytes) const {
  const auto above = holes_.upper_bound(address);
  if (above == holes_.begin()) return false;
  const auto [hole, hole_bytes] = *std::prev(above);
  return address - hole < hole_bytes && bytes <= hole_bytes - (address - hole);
}

void AddressPool::Take(uint64_t address, uint64_t bytes) {
  const auto [hole, hole_bytes] = *std::prev(holes_.upper_bound(address));
  const uint64_t before = address - hole;
  Remove(hole, hole_bytes);
  if (before > 0) Add(hole, before);
  if (hole_bytes > before + bytes) Add(address + bytes, hole_bytes - before - bytes);
}

void AddressPool::Remove(uint64_t address, uint64_t bytes) {
  holes_.erase(address);
  holes_by_size_.erase({bytes, address});
}

}  // namespace gcnjit::runtime
