// Orders a block for execution in slices. The lane operations of a block run as loops over slices
// of the wave (a few host registers' worth of lanes at a time), but the result must be what running
// each instruction for all lanes gives. So a block is cut into stages: a stage is a list of scalar
// operations, done once, then a list of lane operations, done slice by slice. A new stage begins
//   - where a scalar operation reads a lane mask, or an operation reads lanes of another slice; a
//   permutation is a lane operation only if all lanes that it moves are in one slice
//   - between memory accesses that may conflict across lanes: a store and anything before it,
//   unless
//     lanes are known to be disjoint (LoopAccesses)
//   - where a body begins or ends that is skipped if no lane is in it, by a test of its mask.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "backend_x64/plan/empty_slices.h"
#include "backend_x64/plan/loops.h"
#include "backend_x64/plan/repeated_parts.h"
#include "ir/function.h"

namespace gcnjit::backend {

struct Stage {
  std::vector<ir::Value> scalar_ops;  // scalar and whole-wave operations, in order
  std::vector<ir::Value> lane_ops;    // in order
  int slice_parts = 1;                // host registers a v32 takes in a slice: 1, 2 or 4
  bool is_one_slice = false;          // the first slice has all lanes that are read
  // Where this lane mask is empty, nothing wants the lane operations (skipped_lanes.h); none: they
  // are always wanted.
  ir::Value skipped_without;
  // Slices without a lane of StagePlan::active are left out, but for these masks.
  std::optional<std::vector<IdleMask>> idle_masks;
};

// Where a value is used: positions in the order of emission.
struct StagePlan {
  std::vector<Stage> stages;
  // Matrices, register write-back of scalars, and the terminator.
  std::vector<ir::Value> final_ops;
  // By value id: stage in which it is computed, and whether slice by slice.
  std::vector<int32_t> stage_of;
  std::vector<uint8_t> is_sliced;
  // Compares that are part of the next operation (fuse_compares.h).
  std::vector<uint8_t> is_fused;
  // Masks of a loop that scalar registers hold (masks_in_gprs.h): results of scalar operations
  // among the lane operations, or, where is_sliced is set, too, of compares.
  std::vector<uint8_t> is_wave_mask;
  // So many of the first stage's scalar operations give the same in all waves of a work-group
  // (uniform_prologue.h).
  size_t common_scalars = 0;
  // A lane mask, if any stage has idle_masks (empty_slices.h).
  ir::Value active;
  // The block is a loop that a slice runs to its end.
  std::optional<LoopPlan> loop;

  // Makes operations of `from` lane operations of the first stage, in the block's order.
  void MoveToLanes(const ir::Block& block, std::vector<ir::Value>& from,
                   const std::vector<ir::Value>& moved);

  bool IsScalarAmongLanes(ir::Value v) const {
    return is_wave_mask[v.id] != 0 && is_sliced[v.id] == 0;
  }
};

// Host registers that may hold values.
struct RegisterCounts {
  int vectors = 0;
  int masks = 0;       // 0 where masks are in vector registers, too
  int loop_masks = 0;  // of a block that is a loop
};

// Slices of the stage in which some lane is wanted: those after them have lanes without EXEC only.
int SlicesOf(const Stage& stage, const Wanted& wanted, int lanes_per_register);

// `lanes_per_register`: of 32-bit values. `repeating`, `wanted`, `steps`: FindRepeating's,
// FindWanted's and FindLaneSteps's.
StagePlan PlanStages(const ir::Function& function, const ir::Block& block, int lanes_per_register,
                     const RegisterCounts& registers, const std::vector<uint8_t>& repeating,
                     const Wanted& wanted, const std::vector<LaneStep>& steps,
                     LoopAccesses accesses = LoopAccesses::kAny);

}  // namespace gcnjit::backend
