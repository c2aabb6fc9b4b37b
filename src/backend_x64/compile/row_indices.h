// Indices of rows in groups of several rows a wave, as in groups of 16 x 16: what a lane's index is
// is a scalar for its row and the lane's place in it (plan/row_index.h). Written that way, the
// address of a row is scalar code, and no register has an index for each lane.
#pragma once

#include "ir/function.h"

namespace gcnjit::backend {

// What a host makes scalar code of.
struct RowLimits {
  int least_lanes = 0;  // of a row
  int most_bytes = 0;   // of an element
};

// Of group code, where lanes' ids are known but for scalars: writes the indices of accesses that
// way. False: there are none.
bool WriteRowIndices(ir::Function& alone, const RowLimits& limits);

}  // namespace gcnjit::backend
