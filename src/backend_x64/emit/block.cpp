#include "backend_x64/emit/block.h"

#include "backend_x64/emit/matrix_code.h"
#include "backend_x64/emit/slice.h"

namespace gcnjit::backend {

using ir::Type;
using ir::Value;

BlockEmitter::BlockEmitter(BlockParts& parts, LaneOps& ops)
    : a(parts.region.a),
      b_(parts),
      scalar_loads_(b_.region, b_.at, b_.memory, b_.scalars, b_.accesses.sites),
      cross_lane_(b_.region, b_.at, b_.memory, b_.lanes, b_.scalars, b_.isa),
      scalar_code_(b_, scalar_loads_, cross_lane_),
      lane_ops_(b_, ops, scalar_code_, cross_lane_),
      loop_(b_, lane_ops_, scalar_code_) {}

void BlockEmitter::Emit() { b_.block.IsLoop() ? loop_.Emit() : EmitStages(); }

void BlockEmitter::EmitStages() {
  const asmjit::Label begin = a.newLabel();
  a.bind(begin);
  b_.accesses.lds.EmitGuards();
  b_.memory.FindConstants();
  b_.accesses.runs.FindLateIndices();
  b_.accesses.runs.CountPlaces();
  b_.accesses.planes.Find();
  b_.accesses.wave_runs.Find();
  a.add(x86::qword_ptr(x86::r12, offsetof(RegionContext, turn.executed)),
        static_cast<int32_t>(b_.block.source.instruction_count));
  const size_t stages = b_.block.plan.stages.size();
  for (size_t n = 0; n < stages; ++n) EmitStage(n, begin);
  b_.accesses.planes.Free();
  if (stages == 0) BindRow();
  b_.at.stage = static_cast<int>(stages);
  EmitMatrices();
  scalar_code_.EmitFinal();
}

void BlockEmitter::EmitStage(size_t number, const asmjit::Label& begin) {
  const StagePlan& plan = b_.block.plan;
  const Stage& stage = plan.stages[number];
  b_.at.stage = static_cast<int>(number);
  if (b_.region.listing != nullptr) b_.region.listing->Stage(number);
  const size_t common = number == 0 ? plan.common_scalars : 0;
  if (common != 0) EmitCommonScalars(begin);
  if (number == 0) BindRow();
  for (size_t op = common; op < stage.scalar_ops.size(); ++op) {
    scalar_code_.Emit(stage.scalar_ops[op]);
  }
  EmitLaneLoop(stage);
  EmitFaultCheck(b_, stage);
}

void BlockEmitter::EmitLaneLoop(const Stage& stage) {
  if (stage.lane_ops.empty()) return;
  Cursor& at = b_.at;
  BlockAccesses& accesses = b_.accesses;
  at.parts = stage.slice_parts;
  const int slice_lanes = at.parts * b_.block.lanes;
  b_.scalars.FreeForLanes();
  accesses.lds.FindGroups(stage);
  accesses.runs.FindGroups(stage);
  at.slices = b_.block.SlicesOf(stage);
  if (b_.region.listing != nullptr) b_.region.listing->Lanes(at.slices, slice_lanes);
  b_.lanes.Clear();
  at.in_only_slice = at.slices == 1;
  if (!at.in_only_slice) {
    a.lea(x86::r13, x86::ptr(x86::rbx, b_.region.options.layout.vgpr));
  }
  a.mov(x86::r14, x86::ptr(x86::r12, offsetof(RegionContext, region.temps)));
  a.xor_(x86::r15d, x86::r15d);
  accesses.wave_runs.Emit(stage);
  accesses.planes.Emit();
  const std::vector<Prefetcher::Request> requests = accesses.prefetcher.Prepare(stage);
  const std::optional<asmjit::Label> skipped = EmitSkipOfStage(b_, stage);
  const asmjit::Label loop = a.newLabel();
  at.next_slice = a.newLabel();
  if (at.slices > 1) {
    a.align(asmjit::AlignMode::kCode, 32);
    a.bind(loop);
  }
  const std::optional<asmjit::Label> left_out = EmitSkipOfEmpty(b_, stage);
  EmitLaneOps(stage, requests);
  accesses.prefetcher.Free(requests);
  accesses.lds.FreeGroups();
  accesses.runs.FreeGroups();
  accesses.wave_runs.Free();
  b_.memory.FreeExpired();
  b_.region.NoteHeading("next slice");
  // Slices begin with nothing in registers and the environment of the block's start.
  b_.environment.Restore();
  a.bind(at.next_slice);
  if (left_out) EmitIdleMasks(b_, stage, *left_out);
  EmitNextSlice(b_, loop);
  if (skipped) a.bind(*skipped);
  NoteStored(stage);
  at.in_only_slice = false;
  b_.lanes.Clear();
}

void BlockEmitter::EmitLaneOps(const Stage& stage,
                               const std::vector<Prefetcher::Request>& requests) {
  Prefetcher& prefetcher = b_.accesses.prefetcher;
  b_.at.in_lane_loop = true;
  size_t asked = 0;
  for (size_t n = 0; n < stage.lane_ops.size(); ++n) {
    // Evenly among the operations.
    const size_t due = (n + 1) * requests.size() / stage.lane_ops.size();
    for (; asked < due; ++asked) prefetcher.Emit(requests[asked]);
    lane_ops_.Emit(stage.lane_ops[n]);
  }
  prefetcher.AskByTurns();
  b_.at.in_lane_loop = false;
}

void BlockEmitter::EmitMatrices() {
  std::vector<MatrixStep> steps;
  for (const Value v : b_.block.plan.final_ops) {
    if (b_.block.function[v].op != ir::Op::kMatrix) continue;
    b_.region.Note(v);
    steps.push_back(MatrixStep::Of(b_.block.function[v]));
  }
  if (steps.empty()) return;
  b_.at.position = b_.block.uses.PositionOf(b_.block.plan.final_ops.front()) - 1;
  MatrixCode(b_).Emit(steps);
}

// What a later stage reads has been stored by all slices.
void BlockEmitter::NoteStored(const Stage& stage) {
  for (const Value v : stage.lane_ops) {
    if (!b_.at.IsUsedInLaterStage(v)) continue;
    const Type type = b_.block.function[v].type;
    b_.memory[v].stored |= type == Type::kU64 ? 0xF000 : type == Type::kV64 ? 0xFF : 0xF;
  }
}

void BlockEmitter::BindRow() {
  if (b_.version.row.label.isValid()) a.bind(b_.version.row.label);
}

}  // namespace gcnjit::backend
