#include "runtime/memory/address_pool.h"

#include <iterator>
#include <utility>

namespace gcnjit::runtime {

void AddressPool::Add(uint64_t address, uint64_t bytes) {
  const auto next = holes_.lower_bound(address);
  const auto before = next == holes_.begin() ? holes_.end() : std::prev(next);
  const bool joins_next = next != holes_.end() && next->first == address + bytes;
  if (before != holes_.end() && before->first + before->second == address) {
    const uint64_t more = joins_next ? next->second : 0;
    if (joins_next) RemoveHole(next);
    ChangeHole(before, before->first, before->second + bytes + more);
  } else if (joins_next) {
    ChangeHole(next, address, bytes + next->second);
  } else {
    AddHole(address, bytes);
  }
}

void AddressPool::AddLater(uint64_t address, uint64_t bytes) {
  if (quarantine_limit_ == 0) return Add(address, bytes);
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
    Add(oldest.address, oldest.bytes);
    quarantined_.pop_front();
    quarantined_bytes_ -= oldest.bytes;
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
  const auto hole = std::prev(holes_.upper_bound(address));
  const uint64_t before = address - hole->first;
  const uint64_t after = hole->second - before - bytes;
  if (before > 0) {
    if (after > 0) AddHole(address + bytes, after);
    ChangeHole(hole, hole->first, before);
  } else if (after > 0) {
    ChangeHole(hole, address + bytes, after);
  } else {
    RemoveHole(hole);
  }
}

void AddressPool::AddHole(uint64_t address, uint64_t bytes) {
  const auto hole = holes_.emplace(address, bytes).first;
  try {
    holes_by_size_.emplace(bytes, address);
  } catch (...) {
    holes_.erase(hole);
    throw;
  }
}

// Nodes are used again: it allocates nothing.
void AddressPool::ChangeHole(Holes::iterator hole, uint64_t address, uint64_t bytes) noexcept {
  auto by_size = holes_by_size_.extract({hole->second, hole->first});
  by_size.value() = {bytes, address};
  holes_by_size_.insert(std::move(by_size));
  auto by_address = holes_.extract(hole);
  by_address.key() = address;
  by_address.mapped() = bytes;
  holes_.insert(std::move(by_address));
}

void AddressPool::RemoveHole(Holes::iterator hole) noexcept {
  holes_by_size_.erase({hole->second, hole->first});
  holes_.erase(hole);
}

}  // namespace gcnjit::runtime
