#include "backend_x64/plan/address_shape.h"

#include <algorithm>
#include <cstdlib>

namespace gcnjit::backend {
namespace {

// Addresses farther apart than this gain nothing, and sums of a few such numbers stay small.
constexpr int32_t kMostApart = 1 << 20;

// Fills `offsets` for slices of `slice` lanes in which `run` lanes share a base; false: they are
// not the same in all slices.
bool OffsetsOfSlice(const ir::LanePatterns::Offsets& all, int slice, int run,
                    std::array<int32_t, ir::kLanes>& offsets) {
  for (int lane = 0; lane < ir::kLanes; ++lane) {
    const auto offset = static_cast<int32_t>(static_cast<uint32_t>(all[lane] - all[lane & -run]));
    if (offset > kMostApart || offset < -kMostApart) return false;
    if (lane < slice) offsets[lane] = offset;
    if (offsets[lane % slice] != offset) return false;
  }
  return true;
}

}  // namespace

bool AddressShape::IsRun(int first, int count, int32_t step) const {
  if (count == 1) return HasStep(first, step);
  if (!is_known || !has_one_base) return false;
  const int begin = first * lanes;
  for (int n = 1; n < count * lanes; ++n) {
    if (offsets[begin + n] - offsets[begin] != n * step) return false;
  }
  return true;
}

bool AddressShape::HasStep(int part, int32_t step) const {
  for (int lane = 0; lane < lanes; ++lane) {
    if (Offset(part, lane) - Offset(part) != lane * step) return false;
  }
  return is_known;
}

bool AddressShape::IsNear(int part) const {
  const int32_t lowest = Lowest(part, part + 1);
  if (Highest(part, part + 1) - lowest > (lanes - 1) * 4) return false;
  for (int lane = 0; lane < lanes; ++lane) {
    if ((Offset(part, lane) - lowest) % 4 != 0) return false;
  }
  return true;
}

int32_t AddressShape::Lowest(int first, int end) const {
  return *std::min_element(&offsets[first * lanes],
                           &offsets[first * lanes] + (end - first) * lanes);
}
int32_t AddressShape::Highest(int first, int end) const {
  return *std::max_element(&offsets[first * lanes],
                           &offsets[first * lanes] + (end - first) * lanes);
}

AddressShape AddressShapeOf(const ir::LanePatterns* patterns, ir::LaneShape shape, int lanes,
                            int parts) {
  AddressShape address;
  address.lanes = lanes;
  address.parts = parts;
  if (patterns == nullptr || shape.run < lanes) return address;
  const auto& offsets = (*patterns)[shape.offsets].offsets;
  const int slice = lanes * parts;
  if (shape.run >= slice && OffsetsOfSlice(offsets, slice, slice, address.offsets)) {
    address.is_known = address.has_one_base = true;
  } else {
    address.is_known = OffsetsOfSlice(offsets, slice, lanes, address.offsets);
  }
  return address;
}

int OverlapStep(const ir::MemoryAccess& access, const AddressShape& shape, int first, int count) {
  if (!shape.is_known) return 0;
  const auto is_step = [&](int bytes) {
    if (bytes % (1 << access.index_shift) != 0) return false;
    for (int part = first; part < first + count; ++part) {
      if (!shape.IsRun(part, 1, bytes >> access.index_shift)) return false;
    }
    return true;
  };
  switch (access.bytes) {
    case 2: return is_step(1) ? 1 : 0;
    case 4: return is_step(1) ? 1 : is_step(2) ? 2 : 0;
    case 8:
    case 12: return is_step(4) ? 4 : 0;
    case 16: return access.quadwords && is_step(8) ? 8 : 0;
    default: return 0;
  }
}

int SpacedStep(const ir::MemoryAccess& access, const AddressShape& shape, int part) {
  if (!shape.is_known || access.bytes > 2) return 0;
  for (int step = access.bytes + 1; step <= 4; ++step) {
    const bool is_multiple = step % (1 << access.index_shift) == 0;
    if (is_multiple && shape.HasStep(part, step >> access.index_shift)) return step;
  }
  return 0;
}

}  // namespace gcnjit::backend
