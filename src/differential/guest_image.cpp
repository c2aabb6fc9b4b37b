#include "differential/guest_image.h"

#include <algorithm>
#include <cstring>

namespace gcnjit::differential {
namespace {

using runtime::GuestMemory;

// Runs of pages of [begin, end) that `wanted` holds for.
template <typename Wanted>
void AddRuns(uint64_t begin, uint64_t end, const Wanted& wanted,
             std::vector<std::span<std::byte>>& runs) {
  for (uint64_t page = begin; page < end;) {
    if (!wanted(page)) {
      page += kPage;
      continue;
    }
    const uint64_t first = page;
    while (page < end && wanted(page)) page += kPage;
    runs.emplace_back(reinterpret_cast<std::byte*>(first), page - first);
  }
}

}  // namespace

GuestImage::GuestImage(GuestMemory& memory, std::vector<uint64_t> addresses)
    : memory_(memory), gds_(kGdsBytes) {
  std::ranges::sort(addresses);
  writable_.emplace_back(gds_);
  uint64_t end = 0;
  for (const uint64_t address : addresses) {
    const GuestMemory::Allocation allocation = memory.Nearest(address);
    const uint64_t begin = std::max(allocation.address, end);
    end = std::max(end, (allocation.address + allocation.bytes + kPage - 1) / kPage * kPage);
    AddRuns(
        begin, end, [&](uint64_t page) { return memory.Readable(page, 1); }, readable_);
    AddRuns(
        begin, end, [&](uint64_t page) { return memory.Writable(page, 1); }, writable_);
  }
}

void GuestImage::Save(Copy& copy) const {
  copy.resize(writable_.size());
  for (size_t n = 0; n < writable_.size(); ++n) {
    copy[n].resize(writable_[n].size());
    std::memcpy(copy[n].data(), writable_[n].data(), writable_[n].size());
  }
}

void GuestImage::Restore(const Copy& copy) {
  for (size_t n = 0; n < writable_.size(); ++n) {
    std::memcpy(writable_[n].data(), copy[n].data(), writable_[n].size());
  }
}

bool GuestImage::IsSame(const Copy& copy) const {
  for (size_t n = 0; n < writable_.size(); ++n) {
    if (std::memcmp(writable_[n].data(), copy[n].data(), writable_[n].size()) != 0) return false;
  }
  return true;
}

void GuestImage::Compare(const Copy& expected, const Copy& got,
                         StateDifferences& differences) const {
  for (size_t n = 0; n < writable_.size(); ++n) {
    const uint64_t base = n == 0 ? 0 : reinterpret_cast<uint64_t>(writable_[n].data());
    CompareBytes(n == 0 ? "gds" : "memory", expected[n], got[n], base, differences);
  }
}

}  // namespace gcnjit::differential
