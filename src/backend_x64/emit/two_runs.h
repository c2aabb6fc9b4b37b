// Accesses whose lanes are in two runs, one after the other: what both instruction sets look for.
#pragma once

#include <cstdint>

#include "backend_x64/host/constant_pool.h"
#include "ir/types.h"

namespace gcnjit::backend {

// Between the indices of neighbouring lanes; 0: such accesses are not looked at. Of three dwords
// the lanes' next ones are tried, as stencils load neighbours.
inline int32_t StepOfTwoRunsOf(const ir::MemoryAccess& access, bool is_store) {
  switch (access.bytes) {
    case 1:
    case 2:
    case 4: return static_cast<int32_t>(access.IndexStep());
    case 12: return is_store || access.index_shift > 2 ? 0 : 4 >> access.index_shift;
    default: return 0;
  }
}

// What indices are above the first lane's in the first run, and above the last one's in the second.
struct TwoRunsIndices {
  TwoRunsIndices(int last, int32_t step) {
    for (uint32_t lane = 0; lane < from_first.size(); ++lane) {
      from_first[lane] = lane * static_cast<uint32_t>(step);
      from_last[lane] = from_first[lane] - static_cast<uint32_t>(last * step);
    }
  }
  ConstantPool::Vector from_first;
  ConstantPool::Vector from_last;
};

}  // namespace gcnjit::backend
