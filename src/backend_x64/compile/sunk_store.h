// Loops of one block that store to one place in each lane, whatever the iteration: sums that are
// kept in memory (`c[i] += ..`). The store is taken out of such a loop, for the case that no load
// of the loop reads what it writes (LoopStoreHelper): then the loop writes nothing, and slices need
// not wait for each other. The last iteration's value is stored when the loop is over, or makes a
// pause.
#pragma once

#include <cstdint>
#include <optional>

#include "ir/function.h"

namespace gcnjit::backend {

struct SunkStore {
  ir::Function loop;   // the block without the store
  ir::Function store;  // the store, of what the VGPRs have after the loop
  int low_vgpr = 0;    // of its addresses
  int high_vgpr = 0;
  int32_t imm = 0;
  uint32_t bytes = 0;
};

// Of a block by itself. That `loop` can be run slice by slice has yet to be seen.
std::optional<SunkStore> SinkStore(const ir::Function& alone);

}  // namespace gcnjit::backend
