// Lane values that are alike in several parts of a slice: their host registers would hold the same.
// So are most of what a kernel makes of the work-item ids y and z, of x in narrow work-groups, and
// what it loads with these. One part stands for those that are like it.
//
// Which ones these are is told by the bits of a part's number (0 to 3): parts whose numbers agree
// in the bits of the value, its part bits, are alike, and the first of them stands for them. 0: one
// part for all; 1: every second part is the same; 2: pairs of neighbours are; 3: each is on its
// own.
//
// A part that no operation reads (those with constant masks leave parts out) may stand for any
// other.
#pragma once

#include <bit>
#include <cstdint>
#include <vector>

#include "ir/analysis/lane_shape.h"
#include "ir/function.h"

namespace gcnjit::backend {

inline constexpr uint8_t kAllPartBits = 3;

// The part that stands for `part`.
inline uint8_t StandIn(uint8_t part_bits, int part) {
  return static_cast<uint8_t>(part & part_bits);
}
// How many parts stand for a slice's.
inline int CountStandIns(uint8_t part_bits, int parts) {
  return 1 << std::popcount(static_cast<unsigned>(part_bits & (parts - 1)));
}
// The fewest parts, 1, 2 or 4, that have all of those among them.
inline int EndOfStandIns(uint8_t part_bits, int parts) {
  return static_cast<int>(std::bit_ceil(static_cast<unsigned>(part_bits & (parts - 1)) + 1));
}

// Part bits by value id, from what is known of the whole wave's lanes, `lanes` to a register.
// `patterns` is null if nothing is known of the values.
std::vector<uint8_t> FindRepeating(const ir::Function& function, const ir::LanePatterns* patterns,
                                   const std::vector<ir::LaneShape>& shapes, int lanes);

// What is wanted of values, and of memory operations, by value id. Masks' constants are those of
// the whole wave.
struct Wanted {
  std::vector<uint64_t> lanes;     // of others it does not matter what they are
  std::vector<uint8_t> registers;  // bit n: lanes from n times `lanes` on
  std::vector<uint8_t> part_bits;  // as if all parts that are wanted were different
};
Wanted FindWanted(const ir::Function& function, const ir::Block& block, int lanes);

// Part bits by value id, of the values that slices compute or read, and of stores. `is_sliced`:
// StagePlan's; `wanted`: Wanted's part bits.
// Nothing is shared of lane masks that are read as scalars, nor, if `stage_of` is given
// (StagePlan's), of those that another stage's lanes read: these have a place for all their bits.
std::vector<uint8_t> FindShared(const ir::Function& function, const ir::Block& block,
                                const std::vector<uint8_t>& is_sliced,
                                const std::vector<uint8_t>& repeating,
                                const std::vector<uint8_t>& wanted,
                                const std::vector<int32_t>* stage_of = nullptr);

}  // namespace gcnjit::backend
