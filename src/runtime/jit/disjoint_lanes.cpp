#include "runtime/jit/disjoint_lanes.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdlib>
#include <limits>

#include "runtime/interpreter/wave.h"

namespace gcnjit::runtime {
namespace {

using backend::LinearAccess;
using backend::LoopScalar;

constexpr int64_t kFewest = 8;  // iterations that are worth it
constexpr size_t kMostAccesses = 16;
// A step, and what an index is multiplied by, so that nothing here exceeds 64 bits.
constexpr int64_t kLargestStep = int64_t{1} << 32;

// Addresses are below 2^63.
struct Access {
  std::array<int64_t, ir::kLanes> begin = {};  // of the first iteration, by active lane
  int64_t first = 0;                           // the least and the greatest of them
  int64_t last = 0;
  int64_t bytes = 0;
  int64_t step = 0;
  bool is_store = false;
  uint32_t group = 0;  // of accesses that may meet

  // What `iterations` access.
  int64_t Begin(int64_t iterations) const {
    return first + std::min<int64_t>(0, step * (iterations - 1));
  }
  int64_t End(int64_t iterations) const {
    return last + bytes + std::max<int64_t>(0, step * (iterations - 1));
  }
};

constexpr int64_t kNoLimit = std::numeric_limits<int64_t>::max();

// So many iterations may be made: a place that is `room` from the limit nears it by `step` in each.
int64_t IterationsWithin(int64_t room, int64_t step) {
  if (room < 0) return 0;
  return step == 0 || room == kNoLimit ? kNoLimit : room / step + 1;
}

class Loop {
 public:
  Loop(const WaveState& state, const GuestMemory& memory, int64_t most)
      : state_(state), memory_(memory), most_(most) {
    for (uint64_t left = state.exec(); left != 0; left &= left - 1) {
      lanes_[static_cast<size_t>(count_++)] = static_cast<uint8_t>(std::countr_zero(left));
    }
  }

  int64_t Iterations(std::span<const LinearAccess> accesses) {
    if (count_ == 0 || accesses.size() > kMostAccesses) return 0;
    for (const LinearAccess& access : accesses) {
      if (!Take(access)) return 0;
    }
    MakeGroups();
    for (uint32_t group = 0; group < used_; ++group) {
      if (access_[group].group == group) LimitGroup(group);
      if (most_ < kFewest) return 0;
    }
    return most_;
  }

  // By number of the access: loads of what the lane may have stored.
  uint32_t LoadsOfStored() const { return loads_of_stored_; }

 private:
  int64_t ValueOf(const LoopScalar& scalar) const {
    return static_cast<int32_t>(scalar.is_sgpr != 0 ? state_.sgpr[scalar.value] : scalar.value);
  }
  // Of the low dword alone: it does not wrap around, as all stays within one 4 GiB segment.
  int64_t StepOf(const LinearAccess& access) const {
    const int64_t low = ValueOf(access.step[0]);
    if (access.steps_low_alone) return low;
    return static_cast<int64_t>(static_cast<uint64_t>(ValueOf(access.step[1])) << 32 |
                                static_cast<uint32_t>(low));
  }

  bool Take(const LinearAccess& from) {
    Access& access = access_[used_++];
    access.bytes = from.bytes;
    access.is_store = from.is_store;
    access.step = StepOf(from);
    const auto is_large = [&] { return access.step < -kLargestStep || access.step > kLargestStep; };
    if (is_large()) return false;
    if (from.is_indexed ? !FindIndexed(from, access) : !FindBegins(from, access)) return false;
    if (is_large()) return false;
    const auto [first, last] =
        std::minmax_element(access.begin.begin(), access.begin.begin() + count_);
    access.first = *first;
    access.last = *last;
    return LimitToMemory(access) && most_ >= kFewest;
  }

  bool FindBegins(const LinearAccess& from, Access& access) const {
    const uint32_t* const low = state_.vgpr[from.low];
    const uint32_t* const high = state_.vgpr[from.high];
    const int64_t offset = from.imm + (from.is_after_step ? access.step : 0);
    for (int n = 0; n < count_; ++n) {
      const int lane = lanes_[static_cast<size_t>(n)];
      if (high[lane] >> 31 != 0) return false;
      access.begin[static_cast<size_t>(n)] =
          static_cast<int64_t>(uint64_t{high[lane]} << 32 | low[lane]) + offset;
    }
    return true;
  }

  bool FindIndexed(const LinearAccess& from, Access& access) {
    const uint64_t base = uint64_t{state_.sgpr[from.high + 1]} << 32 | state_.sgpr[from.high];
    if (base >> 62 != 0 || from.index_shift > 8) return false;
    const uint32_t* const indices = state_.vgpr[from.low];
    const int64_t offset = ValueOf(from.index.offset);
    int64_t least = std::numeric_limits<int64_t>::max();
    int64_t greatest = std::numeric_limits<int64_t>::min();
    for (int n = 0; n < count_; ++n) {
      const uint32_t bits = indices[lanes_[static_cast<size_t>(n)]];
      const int64_t index =
          (from.is_index_signed ? int64_t{static_cast<int32_t>(bits)} : int64_t{bits}) + offset;
      least = std::min(least, index);
      greatest = std::max(greatest, index);
      access.begin[static_cast<size_t>(n)] =
          static_cast<int64_t>(base) + from.imm + (index << from.index_shift);
    }
    // Indices do not wrap around.
    const int64_t step = ValueOf(from.index.step);
    const int64_t most = from.is_index_signed ? INT32_MAX : int64_t{UINT32_MAX};
    const int64_t fewest = from.is_index_signed ? INT32_MIN : 0;
    if (least < fewest || greatest > most) return false;
    const int64_t room = step < 0 ? least - fewest : most - greatest;
    most_ = std::min(most_, IterationsWithin(room, std::abs(step)));
    access.step += step << from.index_shift;
    return true;
  }

  // Within memory around the first iteration's, which lies in one 4 GiB segment: the immediate
  // offset is added to the low dword of an address alone.
  bool LimitToMemory(const Access& access) {
    GuestMemory::Span span;
    try {
      span = memory_.AccessibleAround(static_cast<uint64_t>(access.first), access.is_store);
    } catch (...) {  // no memory for a look at the host's
      return false;
    }
    constexpr int64_t kMargin = ir::kMaxLaneOffset;
    constexpr int64_t kSegment = int64_t{1} << 32;
    const int64_t segment = access.first & ~(kSegment - 1);
    const int64_t begin = std::max(static_cast<int64_t>(span.begin), segment + kMargin);
    const int64_t end = std::min(static_cast<int64_t>(span.end), segment + kSegment - kMargin);
    const int64_t room =
        access.step < 0 ? access.first - begin : end - (access.last + access.bytes);
    if (access.first < begin || access.last + access.bytes > end) return false;
    most_ = std::min(most_, IterationsWithin(room, std::abs(access.step)));
    return true;
  }

  // Accesses that may meet in some iterations, a store among them, are of one group.
  void MakeGroups() {
    for (uint32_t n = 0; n < used_; ++n) access_[n].group = n;
    for (uint32_t n = 1; n < used_; ++n) {
      for (uint32_t m = 0; m < n; ++m) {
        const Access& a = access_[n];
        const Access& b = access_[m];
        const bool meet = a.Begin(most_) < b.End(most_) && b.Begin(most_) < a.End(most_);
        if ((!a.is_store && !b.is_store) || !meet || a.group == b.group) continue;
        const uint32_t least = std::min(a.group, b.group);
        const uint32_t other = std::max(a.group, b.group);
        for (uint32_t k = 0; k <= n; ++k) {
          if (access_[k].group == other) access_[k].group = least;
        }
      }
    }
  }

  // What a lane accesses in the first iteration by the group's accesses, from `begin` to `end`.
  struct Extent {
    int64_t begin = std::numeric_limits<int64_t>::max();
    int64_t end = std::numeric_limits<int64_t>::min();
  };

  void LimitGroup(uint32_t group) {
    std::array<Extent, ir::kLanes> extents;
    int64_t least_step = std::numeric_limits<int64_t>::max();
    int64_t greatest_step = std::numeric_limits<int64_t>::min();
    uint32_t loads = 0;
    bool has_store = false;
    for (uint32_t n = group; n < used_; ++n) {
      const Access& access = access_[n];
      if (access.group != group) continue;
      has_store |= access.is_store;
      if (!access.is_store) loads |= 1u << n;
      least_step = std::min(least_step, access.step);
      greatest_step = std::max(greatest_step, access.step);
      for (int lane = 0; lane < count_; ++lane) {
        Extent& extent = extents[static_cast<size_t>(lane)];
        const int64_t begin = access.begin[static_cast<size_t>(lane)];
        extent.begin = std::min(extent.begin, begin);
        extent.end = std::max(extent.end, begin + access.bytes);
      }
    }
    if (!has_store) return;
    loads_of_stored_ |= loads;
    const int64_t gap = LeastGap(extents);
    if (gap < 0) {
      most_ = 0;
      return;
    }
    // All lanes go on by the same, and further than they are apart: iterations do not meet.
    const int64_t width =
        std::max(extents[0].end, extents[static_cast<size_t>(count_ - 1)].end) -
        std::min(extents[0].begin, extents[static_cast<size_t>(count_ - 1)].begin);
    if (least_step == greatest_step && std::abs(least_step) >= width) return;
    // Or no lane comes to where the next one has begun.
    const int64_t growth = std::max<int64_t>(0, greatest_step) - std::min<int64_t>(0, least_step);
    most_ = std::min(most_, IterationsWithin(gap, growth));
  }

  // Between lanes that follow each other, all upwards or all downwards; -1: two of them meet.
  int64_t LeastGap(const std::array<Extent, ir::kLanes>& extents) const {
    int64_t up = std::numeric_limits<int64_t>::max();
    int64_t down = up;
    for (size_t n = 1; n < static_cast<size_t>(count_); ++n) {
      up = std::min(up, extents[n].begin - extents[n - 1].end);
      down = std::min(down, extents[n - 1].begin - extents[n].end);
    }
    return std::max<int64_t>(-1, std::max(up, down));
  }

  const WaveState& state_;
  const GuestMemory& memory_;
  int64_t most_;
  std::array<uint8_t, ir::kLanes> lanes_ = {};  // active ones
  int count_ = 0;
  std::array<Access, kMostAccesses> access_;
  uint32_t used_ = 0;
  uint32_t loads_of_stored_ = 0;
};

}  // namespace

DisjointLanes FindDisjointLanes(const WaveState& state, const GuestMemory& memory,
                                std::span<const LinearAccess> accesses, uint64_t most) {
  Loop loop(state, memory, static_cast<int64_t>(most));
  const int64_t iterations = loop.Iterations(accesses);
  if (iterations < kFewest) return {};
  return {static_cast<uint64_t>(iterations), loop.LoadsOfStored()};
}

uint32_t TakeDisjointLanes(backend::RegionContext* context, const LinearAccess* accesses,
                           uint32_t count) noexcept {
  const Wave& wave = *static_cast<const Wave*>(context->relay.wave->wave);
  const DisjointLanes lanes =
      FindDisjointLanes(wave.state, *wave.dispatch.memory, {accesses, count}, context->loop.most);
  context->loop.most = lanes.iterations;
  context->loop.loads_of_stored = lanes.loads_of_stored;
  return lanes.iterations != 0 ? 1 : 0;
}

}  // namespace gcnjit::runtime
