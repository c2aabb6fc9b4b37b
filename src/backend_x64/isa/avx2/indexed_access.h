// A load or store of the indexed form. All that is known of it is the same for every instruction
// set.
#pragma once

#include "backend_x64/emit/indexed_access.h"
#include "backend_x64/isa/avx2/slow_path.h"

namespace gcnjit::backend::avx2 {

struct IndexedAccess : IndexedOperands {
  static constexpr int kPartLanes = kLanes;
};

}  // namespace gcnjit::backend::avx2
