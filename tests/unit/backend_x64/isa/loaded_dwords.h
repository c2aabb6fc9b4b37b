// What a load gives, for tests of loads.
#pragma once

#include <cstdint>
#include <vector>

#include "ir/builder.h"

namespace gcnjit::backend {

// The dwords of a load that has just been made. As quadwords: what an operation on quadwords makes
// of each two of them, so that the load may give these at once (ir/rewrite/quadword_loads.h).
inline std::vector<ir::Value> LoadedDwords(ir::Builder& b, ir::Value load, int dwords,
                                           bool as_quadwords) {
  constexpr uint64_t kChange = 0x8123'4567'89AB'CDEF;
  std::vector<ir::Value> results;
  for (int n = 0; n < dwords; ++n) results.push_back(b.Part(load, n));
  if (!as_quadwords) return results;
  for (size_t n = 0; n + 1 < results.size(); n += 2) {
    const ir::Value quadword = b.Xor(b.Pack(results[n], results[n + 1]), b.U64(kChange));
    results[n] = b.Low(quadword);
    results[n + 1] = b.High(quadword);
  }
  return results;
}

}  // namespace gcnjit::backend
