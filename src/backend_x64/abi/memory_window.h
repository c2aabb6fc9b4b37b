// Where compiled code may access guest memory without a call.
#pragma once

#include <cstdint>

namespace gcnjit::backend {

// Guest memory that a memory instruction found accessible last: accesses within it need no call.
// It lies within one segment of 4 GiB, farther from the ends than the instruction's immediate
// offset reaches, and is at most 2 GiB long, so that 32-bit offsets into it are exact.
struct MemoryWindow {
  uint64_t base = 0;
  // Offsets from base below which an access may begin: of 16 consecutive elements (of a scalar
  // load: of all its dwords), of 64 and of one lane; 0 if there is none.
  uint64_t run_end = 0;
  uint64_t wide_end = 0;
  uint32_t lane_end = 0;
  uint32_t low = 0;  // base's dwords
  uint32_t high = 0;
  // Accesses of the indexed form with `index_base` (index_range.h), which includes the immediate
  // offset: the element of `index_first` is at index_begin, and those of so many indices from it on
  // begin before lane_end. First and number have their sign bit turned round, for signed compares.
  uint64_t index_base = ~uint64_t{0};
  uint64_t index_begin = 0;
  uint32_t index_first = 0;
  uint32_t index_end = 1u << 31;  // none
  // Parts of loads whose lanes are taken to be apart (scattered_lanes.h).
  uint32_t scattered = 0;
};

// May an access within the window be to [begin, end)?
inline bool MayReach(const MemoryWindow& window, uint64_t begin, uint64_t end) {
  constexpr uint64_t kLargest = 16;  // bytes of an element
  return window.lane_end != 0 && begin < window.base + window.lane_end + kLargest &&
         window.base < end;
}

}  // namespace gcnjit::backend
