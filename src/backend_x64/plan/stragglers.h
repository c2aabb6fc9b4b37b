// Loops that lanes leave one by one: while few of a slice are left, their iterations are done lane
// after lane by scalar code, which costs what a lane costs and not what a slice does.
//
// It may be so where a slice may run the loop to its end (loops.h, until_no_lane): what an
// iteration does for lanes that have left cannot be observed, so it need not be done.
#pragma once

#include <optional>
#include <vector>

#include "backend_x64/plan/block_context.h"

namespace gcnjit::backend {

struct Stragglers {
  struct Get {
    ir::Value read;
    ir::Value next;            // what the next iteration reads there; none: the same
    ir::Value next_high = {};  // of a pair that is written in halves, the high one
    int half = -1;  // of a pair that is written as a whole: 0 the low one, 1 the high one
  };
  // An address in two VGPRs to which an iteration adds a number: 64 bits of scalar code.
  struct Pointer {
    ir::Value low, high;  // the reads
    ir::Value step;       // u32
  };
  int most = 0;           // lanes of a slice that are worth it; 0: not even one is
  std::vector<Get> gets;  // reads of registers, before the first iteration
  std::vector<Pointer> pointers;
  std::vector<ir::Value> ops;  // an iteration's for a lane, in the block's order
  // Write-backs: of VGPRs that anything reads after the loop, of lane masks but for EXEC, of
  // scalars.
  std::vector<ir::Value> vgprs;
  std::vector<ir::Value> kept;  // of VGPRs that only the next iteration reads
  std::vector<ir::Value> masks;
  std::vector<ir::Value> scalars;

  bool may_pause = true;  // a lane that is the wave's only one can leave its VGPRs for later

  // Of a VGPR that is half of one; nullptr: it is none.
  const Pointer* PointerWith(const ir::Function& function, int64_t vgpr) const;
};

// `parts`: host registers that a v32 takes in a slice. Nothing: scalar code cannot do one of the
// operations.
std::optional<Stragglers> FindStragglers(const BlockContext& block, ir::FloatEnv base_env,
                                         int parts);

// Are all lanes of the wave known to be the same?
bool IsOneValue(ir::LaneShape shape);

// Is a u64 of the loop a lane mask, of which a lane has a bit?
bool IsLaneMask(const BlockContext& block, ir::Value v);

}  // namespace gcnjit::backend
