// Indices of rows in groups of several rows a wave, as in groups of 16 x 16: what a lane's index is
// is a scalar for its row and the lane's place in it (plan/row_index.h). Written that way, the
// address of a row is scalar code, and no register has an index for each lane. Where a wave is one
// row, its index is a scalar and what is known of each lane, constants included: neighbours differ
// in the latter alone, and share the address.
#pragma once

#include "ir/function.h"

namespace gcnjit::backend {

// Of group code, where lanes' ids are known but for scalars: writes the indices of accesses that
// way, in rows of no fewer lanes than `least_lanes`. False: there are none.
bool WriteRowIndices(ir::Function& alone, int least_lanes);

}  // namespace gcnjit::backend
