#include "profile/access_pattern.h"

#include <algorithm>
#include <array>
#include <cstddef>

namespace gcnjit::profile {
namespace {

using runtime::kLanes;
using runtime::check::Access;

constexpr uint32_t kBanks = 32;
constexpr uint32_t kMostDwords = 64 / 4 + 1;  // of a lane's access that begins anywhere

// Numbers, of which each counts once.
template <size_t kMost>
class DistinctNumbers {
 public:
  void Add(uint64_t number) {
    if (count_ == 0 || numbers_[count_ - 1] != number) numbers_[count_++] = number;
  }
  size_t Count() {
    if (!std::is_sorted(begin(), end())) std::sort(begin(), end());
    count_ = static_cast<size_t>(std::unique(begin(), end()) - begin());
    return count_;
  }
  uint64_t* begin() { return numbers_.data(); }
  uint64_t* end() { return numbers_.data() + count_; }

 private:
  std::array<uint64_t, kMost> numbers_;
  size_t count_ = 0;
};

size_t LanesAtOnce(uint32_t bytes) { return bytes <= 4 ? 32 : bytes <= 8 ? 16 : 8; }

// Dwords of the busiest bank.
uint32_t PassesOfGroup(const Access& access, uint64_t mask) {
  const bool is_atomic = access.type == runtime::check::AccessType::kAtomic;
  DistinctNumbers<32 * kMostDwords> dwords;
  std::array<uint32_t, kBanks> uses = {};
  runtime::ForEachLane(mask, [&](int lane) {
    const uint64_t last = (access.at[lane] + access.bytes - 1) / 4;
    for (uint64_t dword = access.at[lane] / 4; dword <= last; ++dword) {
      if (is_atomic) {
        ++uses[dword % kBanks];
      } else {
        dwords.Add(dword);
      }
    }
    return true;
  });
  dwords.Count();
  for (const uint64_t dword : dwords) ++uses[dword % kBanks];
  return *std::ranges::max_element(uses);
}

}  // namespace

CacheLines CacheLinesOf(const Access& access) {
  DistinctNumbers<kLanes * 2> lines;
  DistinctNumbers<kLanes> addresses;
  runtime::ForEachLane(access.mask, [&](int lane) {
    lines.Add(access.at[lane] / kLineBytes);
    lines.Add((access.at[lane] + access.bytes - 1) / kLineBytes);
    addresses.Add(access.at[lane]);
    return true;
  });
  const size_t needed = lines.Count();
  const size_t least = (addresses.Count() * access.bytes + kLineBytes - 1) / kLineBytes;
  return {static_cast<uint32_t>(needed), static_cast<uint32_t>(std::min(needed, least))};
}

LdsPasses LdsPassesOf(const Access& access) {
  LdsPasses passes;
  const size_t lanes = LanesAtOnce(access.bytes);
  const uint64_t group = (uint64_t{1} << lanes) - 1;
  for (size_t first = 0; first < kLanes; first += lanes) {
    const uint64_t mask = access.mask & group << first;
    if (mask == 0) continue;
    passes.needed += PassesOfGroup(access, mask);
    ++passes.least;
  }
  return passes;
}

}  // namespace gcnjit::profile
