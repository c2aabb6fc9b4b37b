// Accesses that compiled code hands over to the runtime, and what comes back.
#pragma once

#include <cstdint>

#include "ir/types.h"

namespace gcnjit::backend {

// What compiled code hands over: lanes of one part of a slice; or, in `data`, the indices of a
// whole wave's lanes, for the site's pattern to be learnt; or what RunBlock has.
enum class AccessRequest : uint32_t { k8Lanes, k16Lanes, kIndicesOfWave, kRun };
inline constexpr int LanesOf(AccessRequest request) {
  return request == AccessRequest::k8Lanes ? 8 : request == AccessRequest::k16Lanes ? 16 : 0;
}

inline constexpr int kMaxPartLanes = 16;
struct alignas(64) AccessBlock {
  uint32_t low[kMaxPartLanes];
  uint32_t high[kMaxPartLanes];
  static constexpr int kPlaceData =
      3;                            // of swizzled sites: the row of `data` with ir::SwizzledPlace
  uint32_t data[4][kMaxPartLanes];  // stored data, atomics' operands; loaded data comes back here
  uint32_t mask = 0;                // active lanes, bit n: lane first_lane + n
  AccessRequest request = AccessRequest::k8Lanes;
  uint32_t first_lane = 0;
  uint32_t limit = 0;        // LDS: bytes that may be accessed
  uint32_t index_shift = 0;  // of kIndicesOfWave: an index's unit is 1 << index_shift bytes
};

// A slice's lanes that are known to access consecutive elements: handed over together, so that the
// out-of-line code is short.
struct alignas(64) RunBlock {
  static constexpr int kParts = ir::kLanes / kMaxPartLanes;
  uint32_t data[kParts][4][kMaxPartLanes];  // as AccessBlock::data
  uint64_t mask = 0;                        // active lanes, bit n: lane AccessBlock::first_lane + n
  uint64_t base = 0;                        // the extended index is added to it
  uint32_t first_index = 0;                 // of the first lane
  uint32_t lanes = 0;
  uint32_t access = 0;  // packed: the indexed form, which the site's does not say
  // 0: `data` has a row for each of the elements' dwords. Otherwise the elements of so many lanes,
  // one register's, are as in memory, in as many pieces of rows as an element has dwords.
  uint32_t joined_lanes = 0;
};

// What an access, or a group of scalar loads, hands over.
struct AccessTransfer {
  AccessBlock access;
  uint32_t scalar_data[16];
  uint64_t scratch[16];  // compiled code's temporary storage within one operation
  RunBlock run;
};

}  // namespace gcnjit::backend
