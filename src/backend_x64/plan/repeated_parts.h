// Lane values that are equal in several parts of a slice: their host registers would hold the same.
// Most values that a kernel computes from the work-item ids y and z, from x in narrow work-groups,
// and what it loads with these, are such. One part stands for the parts that are equal to it.
//
// A value's part bits say which parts are equal: those whose numbers (0 to 3) agree in these bits,
// and the first of them stands for all of them. 0: one part for all; 1: every second part is the
// same; 2: pairs of neighbours are; 3: no two are equal.
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
// The fewest parts, 1, 2 or 4, that include all parts which stand for others.
inline int EndOfStandIns(uint8_t part_bits, int parts) {
  return static_cast<int>(std::bit_ceil(static_cast<unsigned>(part_bits & (parts - 1)) + 1));
}

// Part bits by value id, from what is known of the whole wave's lanes, `lanes` to a register.
// `patterns` is null if nothing is known of the values.
std::vector<uint8_t> FindRepeating(const ir::Function& function, const ir::LanePatterns* patterns,
                                   const std::vector<ir::LaneShape>& shapes, int lanes);

// Which lanes of values, and of memory operations, are read, by value id. Constant masks are those
// of the whole wave.
struct Wanted {
  std::vector<uint64_t> lanes;     // the other lanes may have any value
  std::vector<uint8_t> registers;  // bit n: lanes from n times `lanes` on
  std::vector<uint8_t> part_bits;  // as if all parts that are read were different
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
