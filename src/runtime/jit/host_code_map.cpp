#include "runtime/jit/host_code_map.h"

#include <algorithm>
#include <iterator>

namespace gcnjit::runtime {

HostCodeMap& HostCodeMap::Instance() {
  static HostCodeMap map;
  return map;
}

void HostCodeMap::Add(const backend::CompiledRegion& region) {
  const auto begin = reinterpret_cast<uint64_t>(region.code);
  const uint64_t end = begin + region.code_bytes;
  const std::scoped_lock lock(mutex_);
  std::erase_if(regions_,
                [&](const auto& old) { return old.first < end && begin < old.second.end; });
  regions_[begin] = {end, region.notes.spans};
}

std::optional<backend::GuestSpan> HostCodeMap::Find(uint64_t host_pc) const {
  const std::scoped_lock lock(mutex_);
  const auto next = regions_.upper_bound(host_pc);
  if (next == regions_.begin()) return std::nullopt;
  const auto& [begin, region] = *std::prev(next);
  if (host_pc >= region.end) return std::nullopt;
  const auto above = std::upper_bound(
      region.spans.begin(), region.spans.end(), host_pc - begin,
      [](uint64_t offset, const backend::GuestSpan& span) { return offset < span.begin; });
  return above == region.spans.begin() ? backend::GuestSpan{} : *std::prev(above);
}

}  // namespace gcnjit::runtime
