// What the waves of a work-group live in: their states, and LDS. Mapped zeros, of which only what
// the kernel uses is ever touched.
#pragma once

#include <cstddef>
#include <vector>

#include "runtime/host/zeroed_array.h"
#include "runtime/state/wave_state.h"

namespace gcnjit::runtime {

class GroupStorage {
 public:
  // States that are mapped together, and waves that start together where a group has no code of
  // its own: those of more would not stay in the cache.
  static constexpr size_t kSeries = 4;

  WaveState& State(size_t slot) {
    while (states_.size() * kSeries <= slot) states_.emplace_back(kSeries);
    return states_[slot / kSeries][slot % kSeries];
  }
  std::byte* Lds() {
    constexpr size_t kLdsBytes = 64 * 1024;
    if (lds_.empty()) lds_ = ZeroedArray<std::byte>(kLdsBytes);
    return lds_.data();
  }

 private:
  std::vector<ZeroedArray<WaveState>> states_;
  ZeroedArray<std::byte> lds_;
};

}  // namespace gcnjit::runtime
