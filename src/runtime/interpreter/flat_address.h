// Addresses of FLAT and GLOBAL instructions.
#pragma once

#include <cstdint>

#include "runtime/interpreter/lane_access.h"
#include "runtime/interpreter/wave.h"

namespace gcnjit::runtime {

// VGPR pair + offset.
inline void FlatAddresses(const Wave& w, const Instruction& i, LaneAddresses& at) {
  const uint32_t* low = w.state.vgpr[i.src[0].index];
  const uint32_t* high = w.state.vgpr[i.src[0].index + 1];
  const auto offset = static_cast<uint64_t>(static_cast<int64_t>(i.offset));
  for (int lane = 0; lane < kLanes; ++lane) {
    at[lane] = (low[lane] | static_cast<uint64_t>(high[lane]) << 32) + offset;
  }
}

// VGPR pair + offset, or SGPR pair + 32-bit unsigned VGPR + offset.
inline void GlobalAddresses(const Wave& w, const Instruction& i, LaneAddresses& at) {
  if (i.src[2].kind != OperandKind::kScalar) return FlatAddresses(w, i, at);
  const uint32_t* vaddr = w.state.vgpr[i.src[0].index];
  const uint64_t base =
      w.state.Pair(i.src[2].index) + static_cast<uint64_t>(static_cast<int64_t>(i.offset));
  for (int lane = 0; lane < kLanes; ++lane) at[lane] = base + vaddr[lane];
}

}  // namespace gcnjit::runtime
