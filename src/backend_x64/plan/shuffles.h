// What a permutation of lanes means for one part of its result: which registers its lanes come
// from, and from where in these.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "ir/types.h"

namespace gcnjit::backend {

inline constexpr int kMostLanesOfPart = 16;

struct PartShuffle {
  static constexpr int8_t kZero = -1;  // the lane is 0
  static constexpr int8_t kAny = -2;   // the lane is not read

  int lanes = 0;  // of a part
  int source_count = 0;
  std::array<int, 2> sources = {0, 0};           // parts of the argument, ascending
  std::array<int8_t, kMostLanesOfPart> index{};  // by lane; those of the second source follow

  bool HasZeros() const;
  // One bit a lane, of those that `source` (0 or 1) gives.
  uint32_t LanesFrom(int source) const;
  // The lanes that are read all come from `distance` lanes further on; none: they do not.
  std::optional<int> Distance() const;
  // Each lane comes from within its own four lanes, in every four alike: as vpshufd does it.
  std::optional<int> WithinFours() const;
};

// Lanes [first, first + lanes) of a pattern, of which those in `wanted` matter. None: they come
// from more than two registers.
std::optional<PartShuffle> ShuffleOf(const ir::LanePattern& pattern, int first, int lanes,
                                     uint64_t wanted);

}  // namespace gcnjit::backend
