// The data registers of an image instruction, of all lanes.
#pragma once

#include <algorithm>

#include "runtime/image/texel.h"
#include "runtime/image_lanes/lane_format.h"
#include "runtime/interpreter/image_operation.h"

namespace gcnjit::runtime {

// What an instruction loads, value by value, in the lanes of EXEC: as PutImageValue
// (interpreter/image_data.h).
class LaneResults {
 public:
  LaneResults(Wave& w, const Instruction& i, const ElementFormat& format);
  void Put(const LaneDwords& values);

 private:
  void PutHalves(const LaneDwords& values);
  void PutRegister(int vgpr, const LaneDwords& values);

  Wave& w_;
  const Instruction& i_;
  const ElementFormat& format_;
  bool packs_;
  int next_ = 0;  // number of the value
};

// Value n of those that the instruction stores, as TakeImageValue; `room` is for those that are not
// in a register by themselves.
const uint32_t (&StoredLanes(const Wave& w, const Instruction& i, const ElementFormat& format,
                             int n, LaneDwords& room))[kImageLanes];

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
