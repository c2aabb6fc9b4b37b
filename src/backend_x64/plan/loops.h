// Loops of one block that a slice may run to their end before the next slice starts, with the
// loop's VGPRs in host registers. The result must be what running each iteration for all lanes
// gives; that is so for two kinds of loops, neither of which moves values between lanes or writes
// memory that other lanes access:
//   - The branch depends on scalars alone, and these not on memory: all slices make the same number
//     of iterations. Such a loop may store, where no lane accesses what another one stores.
//   - The branch is taken while EXEC has a lane, and for lanes that EXEC excludes an iteration
//     changes nothing that may be observed. A slice without lanes may then stop before its
//     siblings. What is proved here is the part about lane masks and VGPRs that keep inactive
//     lanes; those of other VGPRs cannot be observed (set_vgpr's {active}) as long as EXEC does not
//     grow within the loop (the lifter puts a kNoteExec where it may).
//     A fault's report needs EXEC of all slices, which have made different numbers of iterations:
//     if there is a fault, the loop is undone, and the interpreter finds it anew.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "backend_x64/plan/loop_pointers.h"
#include "ir/function.h"

namespace gcnjit::backend {

struct StagePlan;

// Where it goes on.
struct LoopBranch {
  // The first kind: the branch's condition; the second: the lane mask that becomes EXEC.
  ir::Value condition;
  bool continues_if = true;   // the first kind: what the condition is while the loop goes on
  bool tests_at_end = false;  // the condition is a comparison among the final operations
  uint64_t after = 0;         // guest address after the loop
};

// The wave's registers with lanes.
struct LoopLanes {
  // Write-backs of lane values: set_vgpr, and set_sgpr64 of lane masks.
  std::vector<ir::Value> sets;
  // Left out of the iterations: set_sgpr64 of masks that collect the lanes that EXEC loses
  // (exit_masks.h); the loop's end writes them.
  std::vector<ir::Value> collectors;
  // Reads of what `sets` writes, and reads of VGPRs that the loop leaves alone.
  std::vector<ir::Value> carried;
  std::vector<ir::Value> invariant;
  // Which of `carried` and `invariant` stay in registers over the back edge; chosen with the
  // slice's width.
  std::vector<ir::Value> residents;
};

struct LoopPlan {
  bool until_no_lane = false;  // the second kind
  bool is_undone_if_fault = false;
  bool stores = false;  // LoopAccesses::kDisjoint
  // Each lane goes through memory of its own element by element, as it stores: lanes are far apart.
  bool stores_rows = false;
  LoopBranch branch;
  LoopLanes lanes;
  // What counts as executed where a mask has lanes (ir::Op::kSkipped), among the lane operations.
  std::vector<ir::Value> skips;
  static constexpr size_t kMostSkips = 8;
  // loop_pointers.h; in neither list of reads, and their write-backs not in that of sets.
  std::vector<LoopPointer> pointers;
  std::vector<ir::Value> pointer_sets;
  std::vector<ir::Value> streams;  // streams.h

  // The pointer that the value is half of; nullptr: it is none.
  const LoopPointer* PointerWith(ir::Value half) const {
    for (const LoopPointer& pointer : pointers) {
      if (pointer.low == half || pointer.high == half) return &pointer;
    }
    return nullptr;
  }
};

// What is known of a loop's accesses to memory.
enum class LoopAccesses : uint8_t {
  kAny,
  kUndone,    // it is taken back to its begin if one of them has to be
  kDisjoint,  // likewise; and no lane accesses what another one stores
};

// Is the block such a loop? Then `plan` has one stage afterwards, without the write-backs of lane
// values and, in loops of the second kind, without the branch's condition.
std::optional<LoopPlan> PlanLoop(const ir::Function& function, const ir::Block& block,
                                 StagePlan& plan, LoopAccesses accesses);

}  // namespace gcnjit::backend
