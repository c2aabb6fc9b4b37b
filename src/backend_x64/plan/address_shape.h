// How the addresses of an access's lanes lie to each other, for the slices of a stage: what is left
// of a LaneShape once it is known which lanes a host register holds.
#pragma once

#include <array>
#include <cstdint>

#include "ir/analysis/lane_shape.h"
#include "ir/types.h"

namespace gcnjit::backend {

struct AddressShape {
  // The lanes of a part are at known distances from the part's first lane, in every slice.
  bool is_known = false;
  // The first lanes of all parts are at known distances from the slice's first lane.
  bool has_one_base = false;
  int lanes = 0;  // of a part
  int parts = 0;
  // By lane of the slice: from the slice's first lane (has_one_base) or from its part's.
  std::array<int32_t, ir::kLanes> offsets = {};

  int32_t Offset(int part, int lane = 0) const { return offsets[part * lanes + lane]; }
  // All lanes of the part have one address.
  bool IsUniform(int part) const { return HasStep(part, 0); }
  bool HasStep(int part, int32_t step) const;
  // The part's lanes are dwords within a register's bytes, in whatever order.
  bool IsNear(int part) const;
  // The parts [first, first + count) are one run of addresses that differ by `step`.
  bool IsRun(int first, int count, int32_t step) const;
  // The smallest and largest offset in the parts [first, end).
  int32_t Lowest(int first, int end) const;
  int32_t Highest(int first, int end) const;
};

// `patterns` may be nullptr: then nothing is known.
AddressShape AddressShapeOf(const ir::LanePatterns* patterns, ir::LaneShape shape, int lanes,
                            int parts);

// Of loads of several neighbours in a row, as compilers make them of stencils: the bytes from a
// lane's element to the next lane's in each of these parts, where that is less than an element has:
// 4 of 8 or 12, 1 or 2 of 2 or 4, 8 of two quadwords. 0: it is not. `shape`: of the index.
int OverlapStep(const ir::MemoryAccess& access, const AddressShape& shape, int first, int count);

// Of loads of bytes or 16-bit words of structures of at most 4 bytes, as channels of an image: the
// bytes from a lane's element to the next lane's. 0: it is no such load.
int SpacedStep(const ir::MemoryAccess& access, const AddressShape& shape, int part);

}  // namespace gcnjit::backend
