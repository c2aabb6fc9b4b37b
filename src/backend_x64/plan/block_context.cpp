#include "backend_x64/plan/block_context.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "backend_x64/plan/from_memory.h"
#include "backend_x64/plan/joined_dwords.h"
#include "backend_x64/plan/loop_pointers.h"

namespace gcnjit::backend {

using ir::Inst;
using ir::Op;
using ir::Value;

namespace {

StagePlan PlanOf(const ir::Function& function, const ir::Block& block, const KnownLanes& known,
                 const HostRegisters& registers, const CommonBegin& common,
                 const std::vector<uint8_t>& repeating, const Wanted& wanted,
                 LoopAccesses accesses) {
  StagePlan plan =
      PlanStages(function, block, registers.lanes,
                 {std::popcount(registers.vectors), std::popcount(registers.masks),
                  std::popcount(registers.loop_masks)},
                 repeating, wanted,
                 FindLaneSteps(function, known.patterns, known.shapes, registers.lanes), accesses);
  if (!plan.loop) {
    FindEmptySlices(function, block, wanted, known.shapes, registers.lanes, plan);
  }
  switch (common.kind) {
    case CommonBegin::Kind::kNothing: break;
    case CommonBegin::Kind::kWaves: return WithCommonFirst(function, std::move(plan));
    case CommonBegin::Kind::kGroupsOfRow:
      return WithCommonOfRowFirst(function, common.row, std::move(plan));
  }
  return plan;
}

}  // namespace

BlockContext::BlockContext(const ir::Function& the_function, const ir::Block& the_block,
                           const KnownLanes& known_lanes, const HostRegisters& host_registers,
                           const CommonBegin& common, LoopAccesses accesses)
    : function(the_function),
      source(the_block),
      known(known_lanes),
      registers(host_registers),
      lanes(host_registers.lanes),
      repeating(FindRepeating(function, known.patterns, known.shapes, lanes)),
      wanted(FindWanted(function, source, lanes)),
      plan(PlanOf(function, source, known, registers, common, repeating, wanted, accesses)),
      uses(function, plan),
      part_bits(FindShared(function, source, plan.is_sliced, repeating, wanted.part_bits,
                           &plan.stage_of)),
      from_loaded_lanes(FindFromMemory(function, source, /*lanes_alone=*/true)),
      has_joined_dwords(FindJoinedDwords(*this)) {}

uint32_t BlockContext::LoopIterations() const {
  return std::max<uint32_t>(1, kMostLoopInstructions / source.instruction_count);
}

}  // namespace gcnjit::backend
