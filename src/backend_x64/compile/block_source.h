// A block of a region by itself, made ready for emission: what is known of its SGPRs and lanes is
// put to use.
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "backend_x64/emit/compile_options.h"
#include "backend_x64/plan/block_context.h"
#include "ir/analysis/region_shapes.h"
#include "ir/function.h"

namespace gcnjit::backend {

class BlockSource {
 public:
  BlockSource(const ir::Function& region, const CompileOptions& options)
      : region_(region), options_(options), new_id_(region.insts.size()) {}

  // The region's n-th block, with what is known of its SGPRs in place of these.
  ir::Function Extract(size_t n);
  // The block's own shapes, if it has changed. They are there as long as this.
  const ir::RegionShapes* FindShapes(const ir::Function& alone) {
    return &own_shapes_.emplace_back(ir::FindLaneShapes(alone, {}));
  }
  // Rewrites the block that Extract has made last, and gives the shapes of its values. After all
  // folding, which would undo some of it. `own`: the block's own shapes; nullptr: the region's.
  KnownLanes Rewrite(size_t n, ir::Function& alone, const ir::RegionShapes* own = nullptr) const;

  // Is it known that EXEC has all lanes at the block's begin?
  bool HasFullExec(size_t n) const;

 private:
  const ir::Function& region_;
  const CompileOptions& options_;
  std::vector<uint32_t> new_id_;  // of values in the block by itself, by their id in the region
  std::deque<ir::RegionShapes> own_shapes_;
};

// Is the block a loop of whose iterations not all have the same EXEC?
bool ChangesExecInLoop(const ir::Function& alone);
// Is code for the case that EXEC has all lanes at the block's begin worth having?
bool WantsFullExec(const ir::Function& alone);
// The block, given that this is so.
void AssumeFullExec(ir::Function& alone);

}  // namespace gcnjit::backend
