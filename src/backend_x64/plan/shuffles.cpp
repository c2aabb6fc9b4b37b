#include "backend_x64/plan/shuffles.h"

#include <algorithm>

namespace gcnjit::backend {

std::optional<PartShuffle> ShuffleOf(const ir::LanePattern& pattern, int first, int lanes,
                                     uint64_t wanted) {
  PartShuffle part;
  part.lanes = lanes;
  const auto from = [&](int lane) { return pattern[static_cast<size_t>(first + lane)]; };
  const auto is_wanted = [&](int lane) { return (wanted >> (first + lane) & 1) != 0; };
  uint32_t sources = 0;
  for (int lane = 0; lane < lanes; ++lane) {
    if (is_wanted(lane) && from(lane) != ir::kNoLane) sources |= 1u << (from(lane) / lanes);
  }
  for (; sources != 0; sources &= sources - 1) {
    if (part.source_count == 2) return std::nullopt;
    part.sources[static_cast<size_t>(part.source_count++)] = __builtin_ctz(sources);
  }
  for (int lane = 0; lane < lanes; ++lane) {
    int8_t& index = part.index[static_cast<size_t>(lane)];
    if (!is_wanted(lane)) {
      index = PartShuffle::kAny;
    } else if (from(lane) == ir::kNoLane) {
      index = PartShuffle::kZero;
    } else {
      const int second = from(lane) / lanes != part.sources[0] ? lanes : 0;
      index = static_cast<int8_t>(from(lane) % lanes + second);
    }
  }
  return part;
}

bool PartShuffle::HasZeros() const {
  return std::count(index.begin(), index.begin() + lanes, kZero) != 0;
}

uint32_t PartShuffle::LanesFrom(int source) const {
  uint32_t from = 0;
  for (int lane = 0; lane < lanes; ++lane) {
    const int8_t at = index[static_cast<size_t>(lane)];
    if (at >= 0 && at / lanes == source) from |= 1u << lane;
  }
  return from;
}

std::optional<int> PartShuffle::Distance() const {
  std::optional<int> distance;
  for (int lane = 0; lane < lanes; ++lane) {
    const int8_t at = index[static_cast<size_t>(lane)];
    if (at == kAny) continue;
    if (at < lane || (distance && at - lane != *distance)) return std::nullopt;
    distance = at - lane;
  }
  return distance;
}

std::optional<int> PartShuffle::WithinFours() const {
  std::array<int, 4> within = {-1, -1, -1, -1};
  for (int lane = 0; lane < lanes; ++lane) {
    const int8_t at = index[static_cast<size_t>(lane)];
    if (at == kAny) continue;
    int& known = within[static_cast<size_t>(lane % 4)];
    if (at / 4 != lane / 4 || at < 0 || (known >= 0 && known != at % 4)) return std::nullopt;
    known = at % 4;
  }
  int selector = 0;
  for (int n = 0; n < 4; ++n) selector |= std::max(within[static_cast<size_t>(n)], 0) << (2 * n);
  return selector;
}

}  // namespace gcnjit::backend
