// Accesses of which it is known that the lanes of the whole wave are a run, where slices are not
// waves: one look at the window, before the slices, is enough.
#include "backend_x64/emit/block.h"
#include "backend_x64/emit/fault_table.h"
#include "backend_x64/emit/window_check.h"

namespace gcnjit::backend {

using ir::Inst;
using ir::Op;
using ir::Value;

// Are the lanes of the whole wave one run of dwords, whose begin is a scalar?
bool BlockEmitter::IsWaveRun(Value access) const {
  const Inst& inst = function_[access];
  if (!inst.IsIndexed()) return false;
  if (inst.access().bytes != 4 || !HasNoGaps(access)) return false;
  const auto root = RootOf(inst.args[0]);
  if (!root || function_[root->scalar].op == Op::kConst) return false;
  const auto step = static_cast<int32_t>(inst.access().IndexStep());
  const int parts = ir::kLanes / lanes_;
  const AddressShape wave =
      AddressShapeOf(shared_.patterns, shared_.shapes[inst.args[0].id], lanes_, parts);
  return step != 0 && wave.IsRun(0, parts, step);
}

void BlockEmitter::FindWaveRuns() {
  is_wave_run_.assign(function_.insts.size(), 0);
  if (plan_.loop) return;
  for (const Stage& stage : plan_.stages) {
    parts_ = stage.slice_parts;
    if (parts_ * lanes_ == ir::kLanes) continue;  // nobody would look twice
    for (const Value v : stage.lane_ops) {
      if (!IsWaveRun(v)) continue;
      is_wave_run_[v.id] = 1;
      // The index may have been made in an earlier stage, where nobody else has wanted it since.
      homes_[RootOf(function_[v].args[0])->scalar.id].is_kept = true;
    }
  }
}

// Looks once for all slices at what is a run of the wave. What is left in memory is how far the run
// is from where temps begin, since r14 goes on from there as slices do; 0: it is not in the window.
void BlockEmitter::EmitWaveRuns(const Stage& stage) {
  if (slices_ == 1) return;
  static const RunGroup kAlone;
  for (const Value v : stage.lane_ops) {
    if (is_wave_run_[v.id] == 0) continue;
    const RunGroup* const group = RunGroupOf(v);
    if (group != nullptr && group->owner != v) continue;  // its owner's address will do
    const RunGroup& others = group != nullptr ? *group : kAlone;
    const Inst& inst = function_[v];
    const bool is_store = inst.op == Op::kStore;
    Note(v);
    const WaveRun run{AddSite(v, inst), shared_.slots.Take()};
    wave_runs_.emplace(v.id, run);
    const IndexRoot root = *RootOf(inst.args[0]);
    const asmjit::Label outside = a.newLabel();
    const asmjit::Label done = a.newLabel();
    x86::Mem scalar = ScalarMemory(root.scalar);
    scalar.setSize(4);
    x86::Mem base = ScalarMemory(inst.args[1]);
    base.setSize(8);
    a.mov(x86::eax, scalar);
    if (const uint32_t first = KnownLane(root.lanes, 0).value_or(0); first != 0) {
      a.add(x86::eax, static_cast<int32_t>(first));
    }
    if (root.shift != 0) a.shl(x86::eax, root.shift);
    const uint32_t last = (ir::kLanes - 1) * inst.access().IndexStep() + others.last_index;
    EmitIndexAddress(a, inst.access(), base, static_cast<int32_t>(inst.imm),
                     static_cast<int32_t>(last), outside);
    EmitWindowCheck(a, SiteOf(run.site).index, /*is_wide=*/true,
                    static_cast<int32_t>(others.lowest[is_store]),
                    static_cast<int32_t>(others.highest[is_store]), outside);
    a.sub(x86::rax, x86::r14);
    a.bind(done);
    a.mov(SlotMemory(run.slot), x86::rax);
    shared_.cold.push_back([this_a = &a, outside, done] {
      this_a->bind(outside);
      this_a->xor_(x86::eax, x86::eax);
      this_a->jmp(done);
    });
  }
}

bool BlockEmitter::UseWaveRun(Value v, AccessGuard& guard, const asmjit::Label& fail) {
  const auto found = wave_runs_.find(v.id);
  if (found == wave_runs_.end()) return false;
  guard.ResumeAt(fail);
  a.mov(x86::rax, SlotMemory(found->second.slot));
  a.test(x86::rax, x86::rax);
  a.jz(fail);
  a.add(x86::rax, x86::r14);
  return true;
}

const MemorySite* BlockEmitter::SiteFor(Value v, const Inst& inst) {
  const auto found = wave_runs_.find(v.id);
  return found != wave_runs_.end() ? found->second.site : AddSite(v, inst);
}

}  // namespace gcnjit::backend
