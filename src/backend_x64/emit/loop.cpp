#include "backend_x64/emit/loop.h"

#include <algorithm>

#include "backend_x64/emit/slice.h"
#include "backend_x64/plan/mask_chains.h"
#include "ir/analysis/uses.h"

namespace gcnjit::backend {

using ir::Inst;
using ir::Op;
using ir::Type;
using ir::Value;

namespace {

x86::Mem LoopLeft() { return Context(offsetof(RegionContext, loop.left), 8); }
x86::Mem MostIterations() { return Context(offsetof(RegionContext, loop.most), 8); }
x86::Mem LeastLeft() { return Context(offsetof(RegionContext, loop.least_left), 8); }
x86::Mem Paused() { return Context(offsetof(RegionContext, loop.paused), 4); }

}  // namespace

LoopEmitter::LoopEmitter(BlockParts& parts, LaneOpEmitter& ops, ScalarCode& scalar_code)
    : a(parts.region.a),
      b_(parts),
      ops_(ops),
      scalar_code_(scalar_code),
      registers_(parts),
      initial_(parts.region),
      last_(parts.region),
      skips_(parts) {}

void LoopEmitter::Emit() {
  const Stage& stage = b_.block.plan.stages[0];
  Cursor& at = b_.at;
  at.stage = 0;
  at.parts = stage.slice_parts;
  at.slices = ir::kLanes / (at.parts * b_.block.lanes);
  registers_.ForgetCarried();
  PlanStragglers();
  if (b_.region.listing != nullptr) {
    b_.region.listing->Lanes(at.slices, at.parts * b_.block.lanes);
  }
  b_.region.NoteHeading("loop");
  SaveScalars();
  LoopUndo undo(b_);
  if (Plan().is_undone_if_fault) undo.Save();
  b_.accesses.pointers.Take();
  b_.accesses.streams.Take();
  const std::optional<int> exec_before = SaveExec();
  SetToIterations(LeastLeft());
  a.mov(Paused(), 0);
  a.lea(x86::r13, x86::ptr(x86::rbx, b_.region.options.layout.vgpr));
  a.mov(x86::r14, x86::ptr(x86::r12, offsetof(RegionContext, region.temps)));
  a.xor_(x86::r15d, x86::r15d);
  b_.lanes.Clear();

  const asmjit::Label next_slice = a.newLabel();
  at.next_slice = Plan().is_undone_if_fault ? undo.label() : a.newLabel();
  a.bind(next_slice);
  const asmjit::Label skipped = a.newLabel();
  if (exec_before) EmitSkip(b_.memory.Slot(*exec_before), skipped);
  initial_.Restore();
  SetToIterations(LoopLeft());
  const asmjit::Label left_to_none = a.newLabel();
  b_.accesses.pointers.Load();
  b_.accesses.streams.Clear();
  registers_.Load();
  const asmjit::Label finished = EmitIterations(left_to_none);
  a.bind(finished);
  b_.region.NoteHeading("next slice");
  registers_.StoreResults();
  b_.accesses.pointers.Store();
  a.bind(left_to_none);
  NoteLeast();
  if (!Plan().is_undone_if_fault) a.bind(at.next_slice);
  a.bind(skipped);
  EmitNextSlice(b_, next_slice);
  if (Plan().is_undone_if_fault) EmitFaultCheck(b_, stage, undo.label());
  last_.Restore();
  if (stragglers_) stragglers_->EmitFunction(last_);
  if (exec_before) {
    CollectExits(b_.memory.Slot(*exec_before));
    b_.region.frame.slots.Free(*exec_before);
  }
  b_.accesses.pointers.Free();
  b_.accesses.streams.Free();
  initial_.Free();
  last_.Free();
  b_.memory.FreeExpired();
  b_.lanes.Clear();
  if (Plan().is_undone_if_fault) {
    undo.Finish();
  } else {
    EmitFaultCheck(b_, stage);
  }
  if (Plan().stores) {
    a.mov(x86::rax, MostIterations());
  } else {
    a.mov(x86::eax, b_.block.LoopIterations());
  }
  a.sub(x86::rax, LeastLeft());
  a.imul(x86::rax, x86::rax, b_.block.source.instruction_count);
  a.add(Context(offsetof(RegionContext, turn.executed), 8), x86::rax);
  skips_.EmitCount();
  if (stragglers_) stragglers_->EmitEnd();
}

// That a slice may make before the loop pauses.
void LoopEmitter::SetToIterations(const x86::Mem& to) {
  if (Plan().stores) {
    a.mov(x86::rax, MostIterations());
    a.mov(to, x86::rax);
  } else {
    a.mov(to, b_.block.LoopIterations());
  }
}

// Slices that end early leave scalars as they were then: those of the last one to end count.
void LoopEmitter::SaveScalars() {
  const std::vector<Value>& ops = b_.block.plan.final_ops;
  if (stragglers_) last_.Take(b_.block.function, stragglers_->plan().scalars);
  if (b_.at.slices == 1) return;
  initial_.Take(b_.block.function, ops);
  initial_.Save();
  if (Plan().until_no_lane && !stragglers_) last_.Take(b_.block.function, ops);
}

// In a slice of all lanes, too, some end before others then.
void LoopEmitter::PlanStragglers() {
  std::optional<Stragglers> plan =
      FindStragglers(b_.block, b_.region.options.base_env, b_.at.parts);
  if (const int most = b_.region.options.most_stragglers; plan && most >= 0) plan->most = most;
  if (plan && plan->most > 0) stragglers_.emplace(b_, *plan);
}

// The slot of what EXEC is before the loop, if that is wanted.
std::optional<int> LoopEmitter::SaveExec() {
  if (!Plan().until_no_lane) return std::nullopt;
  const int slot = b_.region.frame.slots.Take();
  a.mov(x86::rdx, ExecMemory());
  a.mov(b_.memory.Slot(slot), x86::rdx);
  return slot;
}

// All iterations of a slice, to the place that is returned.
asmjit::Label LoopEmitter::EmitIterations(const asmjit::Label& left_to_none) {
  const asmjit::Label head = a.newLabel();
  const asmjit::Label ended = a.newLabel();
  const asmjit::Label finished = a.newLabel();
  const asmjit::Label paused = a.newLabel();
  const asmjit::Label few = a.newLabel();
  if (stragglers_) stragglers_->EmitCheck(few);
  a.align(asmjit::AlignMode::kCode, 32);
  a.bind(head);
  b_.at.in_lane_loop = true;
  EmitIteration();
  b_.at.in_lane_loop = false;
  b_.region.NoteHeading("next iteration");
  EmitTest(ended);
  a.sub(LoopLeft(), 1);
  a.jz(paused);
  registers_.EmitBackEdge();
  if (stragglers_) {
    // Every few iterations.
    a.test(x86::byte_ptr(x86::r12, offsetof(RegionContext, loop.left)), 3);
    a.jnz(head);
    registers_.Store(/*exec=*/true);
    stragglers_->EmitCheck(few);
    a.jmp(head);
    a.bind(few);
    EmitStragglers(head, left_to_none);
  } else {
    a.jmp(head);
  }
  b_.region.cold.push_back([&region = b_.region, paused, finished] {
    region.a.bind(paused);
    region.a.mov(Paused(), 1);
    region.a.jmp(finished);
  });
  a.bind(ended);
  a.sub(LoopLeft(), 1);
  return finished;
}

// At the loop's head.
void LoopEmitter::EmitStragglers(const asmjit::Label& head, const asmjit::Label& left_to_none) {
  b_.region.NoteHeading("few lanes are left");
  registers_.Store(/*exec=*/false);
  b_.accesses.pointers.Store();
  b_.accesses.pointers.Load();
  stragglers_->EmitCall(left_to_none);
  b_.accesses.streams.Clear();
  registers_.Reload();
  a.jmp(head);
}

// On to `ended` unless the slice makes another iteration.
void LoopEmitter::EmitTest(const asmjit::Label& ended) {
  const LoopPlan& loop = Plan();
  if (loop.until_no_lane && b_.block.plan.is_wave_mask[loop.branch.condition.id] != 0) {
    a.cmp(ExecMemory(), 0);
    a.je(ended);
  } else if (loop.until_no_lane) {
    std::vector<int> masks;
    for (int part = 0; part < b_.at.parts; ++part) {
      masks.push_back(b_.lanes.UseMask(loop.branch.condition, part));
    }
    b_.isa.TestMasks(masks);
    a.jz(ended);
    b_.lanes.UnpinAll();
  } else {
    const x86::CondCode goes_on = EmitCondition();
    a.j(loop.branch.continues_if ? x86::negateCond(goes_on) : goes_on, ended);
    b_.scalars.UnpinAll();
  }
}

// The flags of the condition, and which of them say that it holds.
x86::CondCode LoopEmitter::EmitCondition() {
  const Value condition = Plan().branch.condition;
  const Inst& inst = b_.block.function[condition];
  if (Plan().branch.tests_at_end) {
    scalar_code_.EmitFlags(inst);
    return *ScalarCode::FlagsOf(inst.op);
  }
  const x86::Gp holds = Gp(b_.scalars.Use(condition), false);
  a.test(holds, holds);
  return x86::CondCode::kNZ;
}

// How many iterations the slice has left, if no slice has fewer; and its scalars then.
void LoopEmitter::NoteLeast() {
  const asmjit::Label not_last = a.newLabel();
  a.mov(x86::rax, LoopLeft());
  a.cmp(x86::rax, LeastLeft());
  a.jge(not_last);
  a.mov(LeastLeft(), x86::rax);
  last_.Save();
  a.bind(not_last);
}

// On to `skipped` with a slice that has no lane, unless none has: the loop is executed once then.
void LoopEmitter::EmitSkip(const x86::Mem& before, const asmjit::Label& skipped) {
  const auto bytes = static_cast<uint32_t>(b_.at.parts * b_.block.lanes / 8);
  if (b_.at.slices == 1) return;
  const asmjit::Label has_lanes = a.newLabel();
  x86::Mem exec = ExecMemory();
  exec.setIndex(x86::r15);
  exec.setSize(bytes);
  a.cmp(exec, 0);
  a.jne(has_lanes);
  x86::Mem all = before;
  all.setSize(8);
  a.cmp(all, 0);
  a.jne(skipped);
  a.bind(has_lanes);
}

// What collects the lanes that EXEC has lost since it was `before`.
void LoopEmitter::CollectExits(const x86::Mem& before) {
  a.mov(x86::rax, ExecMemory());
  a.andn(x86::rax, x86::rax, before);
  for (const Value set : Plan().lanes.collectors) {
    const auto pair = static_cast<int32_t>(b_.block.function[set].imm);
    a.or_(x86::qword_ptr(x86::rbx, b_.region.options.layout.sgpr + pair * 4), x86::rax);
  }
}

x86::Mem LoopEmitter::ExecMemory() const {
  return x86::qword_ptr(x86::rbx, b_.region.options.layout.sgpr + ir::kExec * 4);
}

// Part by part where masks are made (mask_chains.h), not operation by operation. But what one part
// stands for is done once.
void LoopEmitter::EmitOps(const std::vector<Value>& ops) {
  const std::vector<uint32_t> uses = ir::CountUses(b_.block.function, b_.block.source);
  const auto may_join = [&](Value v) {
    return !b_.block.IsShared(v) && b_.block.plan.is_wave_mask[v.id] == 0;
  };
  for (size_t begin = 0; begin < ops.size();) {
    const size_t end = EndOfMaskChain(b_.block.function, uses, ops, begin, may_join);
    if (end < begin + 2) {
      EmitOp(ops[begin++]);
      continue;
    }
    b_.at.run.begin = b_.block.uses.PositionOf(ops[begin]);
    b_.at.run.end = b_.block.uses.PositionOf(ops[end - 1]) + 1;
    for (b_.at.part = 0; b_.at.part < b_.at.parts; ++b_.at.part) {
      for (size_t n = begin; n < end; ++n) {
        b_.at.position = b_.block.uses.PositionOf(ops[n]);
        if (b_.at.part == 0) b_.region.Note(ops[n]);
        if (b_.block.plan.is_fused[ops[n].id] != 0) continue;
        ops_.EmitPartOf(ops[n], b_.block.function[ops[n]]);
      }
    }
    b_.at.run.begin = -1;
    for (; begin < end; ++begin) {
      if (b_.block.plan.is_fused[ops[begin].id] != 0) continue;
      b_.at.position = b_.block.uses.PositionOf(ops[begin]);
      ops_.Finish(ops[begin], b_.block.function[ops[begin]]);
    }
  }
}

void LoopEmitter::EmitOp(Value v) {
  if (b_.block.function[v].op == Op::kSkipped) {
    skips_.EmitNote(v);
  } else {
    ops_.Emit(v);
  }
}

void LoopEmitter::EmitIteration() {
  const Stage& stage = b_.block.plan.stages[0];
  b_.accesses.lds.FindGroups(stage);
  for (const Value v : stage.scalar_ops) scalar_code_.Emit(v);
  EmitOps(stage.lane_ops);
  b_.accesses.lds.FreeGroups();
  b_.accesses.pointers.Count();
  b_.environment.Restore();
  const std::vector<Value>& sets = Plan().lanes.sets;
  const int32_t before_sets =
      sets.empty() ? b_.at.position : b_.block.uses.PositionOf(sets.front()) - 1;
  b_.at.position = before_sets;
  registers_.ProtectOldVgprs();
  scalar_code_.EmitFinal();
  b_.at.position = before_sets;  // what is written back is still wanted
}

}  // namespace gcnjit::backend
