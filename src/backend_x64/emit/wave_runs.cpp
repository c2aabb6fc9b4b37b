#include "backend_x64/emit/wave_runs.h"

#include "backend_x64/emit/window_check.h"

namespace gcnjit::backend {

using ir::Inst;
using ir::Op;
using ir::Value;

WaveRuns::WaveRuns(RegionAssembler& region, Cursor& at, ValueMemory& memory, BlockSites& sites,
                   ContiguousAccesses& runs, const PlaneRows& planes)
    : a(region.a),
      region_(region),
      at_(at),
      block_(at.block),
      memory_(memory),
      sites_(sites),
      runs_(runs),
      planes_(planes) {}

// Are the lanes of the whole wave one run of dwords, whose begin is a scalar?
bool WaveRuns::IsRun(Value access) const {
  const Inst& inst = block_.function[access];
  if (!inst.IsIndexed() || planes_.PlaceOf(access)) return false;
  if (inst.access().bytes != 4) return false;
  const auto root = runs_.RootOf(inst.args[0]);
  if (!root || block_.function[root->scalar].op == Op::kConst) return false;
  return runs_.IsRunOfWave(access);
}

void WaveRuns::Find() {
  is_run_.assign(block_.function.insts.size(), 0);
  if (block_.plan.loop) return;
  for (const Stage& stage : block_.plan.stages) {
    at_.parts = stage.slice_parts;
    if (at_.parts * block_.lanes == ir::kLanes) continue;  // one look at the window in any case
    for (const Value v : stage.lane_ops) {
      if (!IsRun(v)) continue;
      is_run_[v.id] = 1;
      // The index may have been made in an earlier stage, with no use since.
      memory_[runs_.RootOf(block_.function[v].args[0])->scalar].is_kept = true;
    }
  }
}

// Looks once for all slices at what is a run of the wave. What is left in memory is how far the run
// is from where temps begin, since r14 goes on from there as slices do; 0: it is not in the window.
void WaveRuns::Emit(const Stage& stage) {
  if (at_.slices == 1) return;
  static const ContiguousAccesses::Group kAlone;
  for (const Value v : stage.lane_ops) {
    if (is_run_[v.id] == 0) continue;
    const ContiguousAccesses::Group* const group = runs_.GroupOf(v);
    if (group != nullptr && group->owner != v) continue;  // its owner's address will do
    const ContiguousAccesses::Group& others = group != nullptr ? *group : kAlone;
    const Inst& inst = block_.function[v];
    const bool is_store = inst.op == Op::kStore;
    region_.Note(v);
    const Run run{sites_.AddEarly(v), region_.frame.slots.Take()};
    runs_by_access_.emplace(v.id, run);
    const ContiguousAccesses::Root root = *runs_.RootOf(inst.args[0]);
    const asmjit::Label outside = a.newLabel();
    const asmjit::Label done = a.newLabel();
    const x86::Mem scalar = memory_.Scalar32(root.scalar);
    const x86::Mem base = memory_.Scalar64(inst.args[1]);
    a.mov(x86::eax, scalar);
    if (const uint32_t first = block_.KnownLane(root.lanes, 0).value_or(0); first != 0) {
      a.add(x86::eax, static_cast<int32_t>(first));
    }
    if (root.shift != 0) a.shl(x86::eax, root.shift);
    const uint32_t last = (ir::kLanes - 1) * inst.access().IndexStep() + others.last_index;
    EmitIndexAddress(a, inst.access(), base, static_cast<int32_t>(inst.imm),
                     static_cast<int32_t>(last), outside);
    EmitWindowCheck(a, run.site.index, /*is_wide=*/true,
                    static_cast<int32_t>(others.lowest[is_store]),
                    static_cast<int32_t>(others.highest[is_store]), outside);
    a.sub(x86::rax, x86::r14);
    a.bind(done);
    a.mov(memory_.Slot(run.slot), x86::rax);
    region_.cold.push_back([this_a = &a, outside, done] {
      this_a->bind(outside);
      this_a->xor_(x86::eax, x86::eax);
      this_a->jmp(done);
    });
  }
}

bool WaveRuns::Use(Value v, AccessGuard& guard, const asmjit::Label& fail) {
  const auto found = runs_by_access_.find(v.id);
  if (found == runs_by_access_.end()) return false;
  guard.ResumeAt(fail);
  a.mov(x86::rax, memory_.Slot(found->second.slot));
  a.test(x86::rax, x86::rax);
  a.jz(fail);
  a.add(x86::rax, x86::r14);
  return true;
}

void WaveRuns::Free() {
  for (const auto& [id, run] : runs_by_access_) region_.frame.slots.Free(run.slot);
  runs_by_access_.clear();
}

}  // namespace gcnjit::backend
