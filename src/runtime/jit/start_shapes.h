// What is known of how waves start, for compiled code: VGPRs, from their work-item ids on, and what
// the waves of a group have in common.
#pragma once

#include <optional>
#include <vector>

#include "frontend/flow/cfg.h"
#include "frontend/flow/merge_blocks.h"
#include "frontend/lift/lift_region.h"
#include "ir/analysis/region_shapes.h"
#include "ir/passes.h"
#include "runtime/state/group_shape.h"
#include "workgroup/specialise.h"

namespace gcnjit::runtime {

// v0 .. v2 as WaveStarter leaves them, in every wave of a group of that shape.
std::vector<ir::VgprShape> ShapesAtStart(GroupShape shape);

// How the waves of such a group start, of a kernel that starts at `kernel`: GroupShape::waves of
// them.
workgroup::GroupStart GroupStartOf(GroupShape shape, uint64_t kernel);

// Memory that does not change while a launch runs whose groups have that shape.
std::vector<ir::FixedMemory> FixedMemoryOf(GroupShape shape);
// The same for the front end: loads from it cannot fault.
std::vector<frontend::ReadableMemory> ReadableMemoryOf(GroupShape shape);

// What the analysis of shapes may assume in a region that is entered at `pc`, of the kernel that
// starts at `kernel`. `function`: the part of `graph` that is compiled, group code included;
// `lifted` says which instructions are not.
ir::ShapeAssumptions ShapeAssumptionsFor(GroupShape shape, uint64_t pc, uint64_t kernel,
                                         const frontend::ControlFlowGraph& graph,
                                         const frontend::LiftStatistics& lifted,
                                         const ir::Function& function,
                                         frontend::Generation generation);

}  // namespace gcnjit::runtime
