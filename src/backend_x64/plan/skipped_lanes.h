// Lane operations whose results nothing wants where a lane mask is empty: a body that seldom has a
// lane (ir::Op::kSkipped, if it is worth a test). They get stages of their own, which are skipped.
#pragma once

#include <cstdint>
#include <vector>

#include "ir/function.h"

namespace gcnjit::backend {

struct SkippedLanes {
  std::vector<ir::Value> masks;
  std::vector<uint8_t> of;  // by value id: 1 + the index of the mask in `masks`; 0: none

  ir::Value MaskOf(ir::Value v) const { return of[v.id] != 0 ? masks[of[v.id] - 1u] : ir::Value{}; }
};

SkippedLanes FindSkippedLanes(const ir::Function& function, const ir::Block& block);

}  // namespace gcnjit::backend
