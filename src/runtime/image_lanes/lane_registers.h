// The data registers of an image instruction, of all lanes.
#pragma once

#include <algorithm>
#include <bit>

#include "runtime/image/texel.h"
#include "runtime/image_lanes/lane_format.h"
#include "runtime/interpreter/image_operation.h"

namespace gcnjit::runtime {

// A register of the instruction's data, in the lanes of EXEC.
inline void PutLanes(Wave& w, int vgpr, const LaneDwords& values) {
  uint32_t(&to)[kImageLanes] = w.state.vgpr[vgpr];
  const uint64_t exec = w.exec();
  if (exec == ~uint64_t{0}) {
    std::copy_n(values.at, kImageLanes, to);
    return;
  }
  for (uint64_t left = exec; left != 0; left &= left - 1) {
    const int lane = std::countr_zero(left);
    to[lane] = values.at[lane];
  }
}

// Component n of the address; `halves` is room for those of 16 bits.
inline const uint32_t (&AddressLanes(const Wave& w, const ImageOperation& o, int n,
                                     LaneDwords& halves))[kImageLanes] {
  if (!o.has_halves) return w.state.vgpr[o.first_coordinate + n];
  for (int lane = 0; lane < kImageLanes; ++lane) halves.at[lane] = o.Component(w, n, lane);
  return halves.at;
}

template <typename F>
inline void ForEachComponent(uint32_t dmask, F f) {
  for (; dmask != 0; dmask &= dmask - 1) f(std::countr_zero(dmask));
}

// What DST_SEL makes component `c` of.
inline void SelectLanes(const ImageResource& r, int c, const LaneElements& elements,
                        LaneDwords& values) {
  const uint8_t select = r.dst_sel[c];
  if (select > kSelectOne) return UnpackLanes(r.format, select - kSelectX, elements, values);
  std::fill_n(values.at, kImageLanes, select == kSelectOne ? OneOf(r.format) : 0);
}

}  // namespace gcnjit::runtime
