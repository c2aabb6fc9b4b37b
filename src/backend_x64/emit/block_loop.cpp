// A block that is a loop: each slice runs it to its end, with what the loop carries in registers.
// Scalars stay in the wave's state, which every slice finds as the loop found it.
#include <algorithm>

#include "backend_x64/emit/block.h"
#include "backend_x64/plan/fuse_compares.h"
#include "backend_x64/plan/mask_chains.h"
#include "ir/analysis/uses.h"

namespace gcnjit::backend {

using ir::Inst;
using ir::Op;
using ir::Type;
using ir::Value;

namespace {

// Instructions that a loop may run before other waves get their turn.
constexpr uint32_t kMostInstructions = 1 << 14;

x86::Mem Context(size_t offset, uint32_t size) {
  return x86::ptr(x86::r12, static_cast<int32_t>(offset), size);
}
x86::Mem LoopLeft() { return Context(offsetof(RegionContext, loop_left), 8); }
x86::Mem LeastLeft() { return Context(offsetof(RegionContext, loop_least_left), 8); }
x86::Mem Paused() { return Context(offsetof(RegionContext, loop_paused), 4); }

}  // namespace

uint32_t BlockEmitter::LoopIterations() const {
  return std::max<uint32_t>(1, kMostInstructions / block_.instruction_count);
}

void BlockEmitter::EmitLoop() {
  const LoopPlan& loop = *plan_.loop;
  const Stage& stage = plan_.stages[0];
  stage_ = 0;
  parts_ = stage.slice_parts;
  slices_ = ir::kLanes / (parts_ * lanes_);
  const bool is_one_slice = slices_ == 1;
  const int64_t iterations = LoopIterations();
  PrepareLoop();
  if (shared_.listing != nullptr) shared_.listing->Lanes(slices_, parts_ * lanes_);
  NoteHeading("loop");

  // Slices that end early leave scalars as they were then: those of the last one to end count.
  const bool slices_differ = loop.until_no_lane && !is_one_slice;
  std::vector<int> initial;
  std::vector<int> last;
  if (!is_one_slice) {
    for (size_t n = ScalarsToRestore().size(); n != 0; --n) initial.push_back(shared_.slots.Take());
    CopyScalars(initial, /*to_slots=*/true);
  }
  if (slices_differ) {
    for (size_t n = initial.size(); n != 0; --n) last.push_back(shared_.slots.Take());
  }
  TakePointerSlots();
  const int exec_before = loop.collectors.empty() ? -1 : shared_.slots.Take();
  if (exec_before >= 0) {
    a.mov(x86::rdx, ExecMemory());
    a.mov(SlotMemory(exec_before), x86::rdx);
  }
  a.mov(LeastLeft(), iterations);
  a.mov(Paused(), 0);
  a.lea(x86::r13, x86::ptr(x86::rbx, shared_.layout.vgpr));
  a.mov(x86::r14, x86::ptr(x86::r12, offsetof(RegionContext, temps)));
  a.xor_(x86::r15d, x86::r15d);
  vectors_.Clear();
  masks_.Clear();

  const asmjit::Label next_slice = a.newLabel();
  const asmjit::Label head = a.newLabel();
  const asmjit::Label ended = a.newLabel();
  const asmjit::Label finished = a.newLabel();
  const asmjit::Label paused = a.newLabel();
  next_slice_ = a.newLabel();
  a.bind(next_slice);
  if (!is_one_slice) CopyScalars(initial, /*to_slots=*/false);
  a.mov(LoopLeft(), iterations);
  LoadPointers();
  for (const Value v : loop.residents) {
    const bool mask = function_[v].type == Type::kU64;
    for (uint8_t part = 0; part < parts_; ++part) {
      if (!IsStandIn(v, part)) continue;
      const Unit unit = mask ? Unit::Mask(v, part) : Unit::Lanes(v, part);
      const int reg = TakeRegister(unit);
      if (mask) {
        LoadMask(reg, StateMask(function_[v], part));
      } else {
        LoadVector(reg, VgprMemory(static_cast<int>(function_[v].imm), part));
      }
      header_.emplace_back(unit, reg);
    }
  }
  UnpinLanes();

  a.align(asmjit::AlignMode::kCode, 32);
  a.bind(head);
  in_lane_loop_ = true;
  EmitIteration();
  in_lane_loop_ = false;
  NoteHeading("next iteration");
  if (loop.until_no_lane && plan_.is_wave_mask[loop.condition.id] != 0) {
    a.cmp(ExecMemory(), 0);
    a.je(ended);
  } else if (loop.until_no_lane) {
    std::vector<int> masks;
    for (int part = 0; part < parts_; ++part) masks.push_back(UseMask(loop.condition, part));
    TestMasks(masks);
    a.jz(ended);
    UnpinLanes();
  } else {
    const x86::CondCode goes_on = EmitLoopTest();
    a.j(loop.continues_if ? x86::negateCond(goes_on) : goes_on, ended);
    FinishScalars();
  }
  a.sub(LoopLeft(), 1);
  a.jz(paused);
  EmitBackEdge();
  a.jmp(head);
  shared_.cold.push_back([this_a = &a, paused, finished] {
    this_a->bind(paused);
    this_a->mov(Paused(), 1);
    this_a->jmp(finished);
  });

  a.bind(ended);
  a.sub(LoopLeft(), 1);
  a.bind(finished);
  NoteHeading("next slice");
  StoreLoopResults();
  StorePointers();
  const asmjit::Label not_last = a.newLabel();
  a.mov(x86::rax, LoopLeft());
  a.cmp(x86::rax, LeastLeft());
  a.jae(not_last);
  a.mov(LeastLeft(), x86::rax);
  if (slices_differ) CopyScalars(last, /*to_slots=*/true);
  a.bind(not_last);
  a.bind(next_slice_);
  AdvanceSlice(next_slice);
  if (slices_differ) CopyScalars(last, /*to_slots=*/false);
  if (exec_before >= 0) CollectExits(SlotMemory(exec_before));
  if (exec_before >= 0) shared_.slots.Free(exec_before);
  FreePointerSlots();
  for (const std::vector<int>* slots : {&initial, &last}) {
    for (const int slot : *slots) shared_.slots.Free(slot);
  }
  for (const int slot : expired_slots_) shared_.slots.Free(slot);
  expired_slots_.clear();
  vectors_.Clear();
  masks_.Clear();
  EmitFaultCheck(stage);
  a.mov(x86::eax, iterations);
  a.sub(x86::rax, LeastLeft());
  a.imul(x86::rax, x86::rax, block_.instruction_count);
  a.add(Context(offsetof(RegionContext, executed), 8), x86::rax);
}

// The flags of the condition, and which of them say that it holds.
x86::CondCode BlockEmitter::EmitLoopTest() {
  const Value condition = plan_.loop->condition;
  if (plan_.loop->tests_at_end) {
    EmitFlags(function_[condition]);
    return *FlagsOf(function_[condition].op);
  }
  const x86::Gp holds = x86::gpd(static_cast<uint32_t>(UseScalar(condition)));
  a.test(holds, holds);
  return x86::CondCode::kNZ;
}

// What collects the lanes that EXEC has lost since it was `before`.
void BlockEmitter::CollectExits(const x86::Mem& before) {
  a.mov(x86::rax, ExecMemory());
  a.andn(x86::rax, x86::rax, before);
  for (const Value set : plan_.loop->collectors) {
    const auto pair = static_cast<int32_t>(function_[set].imm);
    a.or_(x86::qword_ptr(x86::rbx, shared_.layout.sgpr + pair * 4), x86::rax);
  }
}

x86::Mem BlockEmitter::ExecMemory() const {
  return x86::qword_ptr(x86::rbx, shared_.layout.sgpr + ir::kExec * 4);
}

// A mask's part in the wave's SGPRs.
x86::Mem BlockEmitter::StateMask(const Inst& inst, int part) const {
  const int32_t offset = shared_.layout.sgpr + static_cast<int32_t>(inst.imm) * 4;
  return x86::ptr(x86::rbx, x86::r15, 0, offset + part * lanes_ / 8);
}

// What the loop carries is not where block-local values would look for it.
void BlockEmitter::PrepareLoop() {
  const LoopPlan& loop = *plan_.loop;
  for (const Value v : loop.residents) {
    const bool is_carried =
        std::find(loop.carried.begin(), loop.carried.end(), v) != loop.carried.end();
    if (is_carried) homes_[v.id].stored = 0;
  }
}

bool BlockEmitter::IsResident(Value carried) const {
  const std::vector<Value>& residents = plan_.loop->residents;
  return std::find(residents.begin(), residents.end(), carried) != residents.end();
}

// What a register holds in the next iteration; none: the same.
Value BlockEmitter::NextOf(Value carried) const {
  const Inst& get = function_[carried];
  const Op op = get.op == Op::kGetVgpr ? Op::kSetVgpr : Op::kSetSgpr64;
  for (const Value set : plan_.loop->sets) {
    if (function_[set].op == op && function_[set].imm == get.imm) return function_[set].args[0];
  }
  return {};
}

// Part by part where masks are made (mask_chains.h), not operation by operation. But what one part
// stands for is done once.
void BlockEmitter::EmitLoopOps(const std::vector<Value>& ops) {
  const std::vector<uint32_t> uses = ir::CountUses(function_, block_);
  const auto may_join = [&](Value v) { return !IsShared(v) && plan_.is_wave_mask[v.id] == 0; };
  for (size_t begin = 0; begin < ops.size();) {
    const size_t end = EndOfMaskChain(function_, uses, ops, begin, may_join);
    if (end < begin + 2) {
      EmitLaneOp(ops[begin++]);
      continue;
    }
    run_begin_ = uses_.PositionOf(ops[begin]);
    run_end_ = uses_.PositionOf(ops[end - 1]) + 1;
    for (part_ = 0; part_ < parts_; ++part_) {
      for (size_t n = begin; n < end; ++n) {
        position_ = uses_.PositionOf(ops[n]);
        if (part_ == 0) Note(ops[n]);
        if (plan_.is_fused[ops[n].id] != 0) continue;
        EmitLanePart(ops[n], function_[ops[n]]);
      }
    }
    run_begin_ = -1;
    for (; begin < end; ++begin) {
      if (plan_.is_fused[ops[begin].id] != 0) continue;
      position_ = uses_.PositionOf(ops[begin]);
      FinishLaneOp(ops[begin], function_[ops[begin]]);
    }
  }
}

void BlockEmitter::EmitIteration() {
  const Stage& stage = plan_.stages[0];
  FindLdsGroups(stage);
  for (const Value v : stage.scalar_ops) EmitScalarOp(v);
  EmitLoopOps(stage.lane_ops);
  FreeLdsGroups();
  CountPointers();
  SetEnv({static_cast<uint16_t>(shared_.base_mxcsr & ~0x1F80u)});
  const std::vector<Value>& sets = plan_.loop->sets;
  const int32_t before_sets = sets.empty() ? position_ : uses_.PositionOf(sets.front()) - 1;
  position_ = before_sets;
  ProtectOldVgprs();
  EmitFinalScalars();
  position_ = before_sets;  // what is written back is still wanted
}

// A VGPR that takes the old value of another one which changes, too, and is in memory only: the old
// value must be taken out first.
void BlockEmitter::ProtectOldVgprs() {
  for (const Value set : plan_.loop->sets) {
    const Value v = function_[set].args[0];
    const Inst& source = function_[v];
    const bool changes = std::find(plan_.loop->carried.begin(), plan_.loop->carried.end(), v) !=
                         plan_.loop->carried.end();
    if (source.op != Op::kGetVgpr || !changes || source.imm == function_[set].imm) continue;
    if (homes_[v.id].vgpr < 0) continue;
    for (uint8_t part = 0; part < parts_; ++part) {
      const std::optional<int> reg = vectors_.Find(Unit::Lanes(v, StandInOf(v, part)));
      if (!reg) LoadVector(ScratchVector(), VgprMemory(homes_[v.id].vgpr, part));
      StoreVector(TempMemory(TempOf(v), part), reg.value_or(ScratchVector()));
    }
    homes_[v.id].vgpr = -1;
    homes_[v.id].stored |= 0xF;
  }
}

// Brings the residents' next values to where the loop's head expects them, and stores what is not
// resident. Registers and homes are left as they are for the code behind the loop.
void BlockEmitter::EmitBackEdge() {
  struct Move {
    int to;
    std::optional<int> from;  // none: from memory
    Unit unit;
  };
  const LoopPlan& loop = *plan_.loop;
  const auto unit_of = [&](Value v, bool mask, int part) {
    const uint8_t p = StandInOf(v, part);
    if (mask) return Unit::Mask(v, p);
    return IsLaneValue(v) ? Unit::Lanes(v, p) : Unit::Broadcast(v);
  };
  for (const Value v : loop.carried) {
    if (IsResident(v)) continue;
    const Value next = NextOf(v);
    const bool mask = function_[v].type == Type::kU64;
    for (int part = 0; part < parts_; ++part) {
      const Unit unit = unit_of(next, mask, part);
      std::optional<int> reg = FileOf(unit).Find(unit);
      if (!reg) {
        reg = mask ? ScratchMask() : ScratchVector();
        Reload(unit, *reg);
      }
      if (mask) {
        StoreMask(MaskMemory(v, part), *reg);
      } else {
        StoreVector(VgprMemory(static_cast<int>(function_[v].imm), part), *reg);
      }
    }
  }
  std::vector<Move> moves[2];  // of vectors, of masks in registers of their own
  for (const auto& [unit, reg] : header_) {
    const bool mask = unit.component == Unit::kMask;
    const Value next = NextOf(unit.value);
    const Unit source = next ? unit_of(next, mask, unit.part) : unit;
    const std::optional<int> from = FileOf(source).Find(source);
    if (from != reg) moves[mask && !masks_are_vectors_ ? 1 : 0].push_back({reg, from, source});
  }
  for (int kind = 0; kind < 2; ++kind) {
    std::vector<Move>& left = moves[kind];
    const auto move = [&](int to, int from) {
      if (kind == 1) {
        MoveMask(to, from);
      } else {
        MoveVector(to, from);
      }
    };
    std::vector<Move> loads;
    while (!left.empty()) {
      const auto ready = std::find_if(left.begin(), left.end(), [&](const Move& m) {
        return std::none_of(left.begin(), left.end(),
                            [&](const Move& other) { return &other != &m && other.from == m.to; });
      });
      if (ready != left.end()) {
        if (!ready->from) {
          loads.push_back(*ready);
        } else {
          move(ready->to, *ready->from);
        }
        left.erase(ready);
        continue;
      }
      // A cycle: one of its values goes by way of a register that is nobody's.
      const int scratch = kind == 1 ? ScratchMask() : ScratchVector();
      const int from = *left.front().from;
      move(scratch, from);
      for (Move& m : left) {
        if (m.from == from) m.from = scratch;
      }
    }
    for (const Move& load : loads) Reload(load.unit, load.to);
  }
}

// The registers that the loop has changed, when a slice is done with it.
void BlockEmitter::StoreLoopResults() {
  for (const Value set : plan_.loop->sets) {
    const Inst& inst = function_[set];
    for (int part = 0; part < parts_; ++part) {
      if (inst.op == Op::kSetSgpr64) {
        StoreMask(StateMask(inst, part), UseMask(inst.args[0], part));
      } else {
        StoreVector(VgprMemory(static_cast<int>(inst.imm), part), Use(inst.args[0], part));
      }
      UnpinLanes();
    }
  }
}

// SGPRs and SCC that the loop changes.
std::vector<Value> BlockEmitter::ScalarsToRestore() const {
  std::vector<Value> scalars;
  for (const Value v : plan_.final_ops) {
    const Op op = function_[v].op;
    if (op == Op::kSetSgpr || op == Op::kSetSgpr64 || op == Op::kSetScc) scalars.push_back(v);
  }
  return scalars;
}

void BlockEmitter::CopyScalars(const std::vector<int>& slots, bool to_slots) {
  const std::vector<Value> scalars = ScalarsToRestore();
  for (size_t n = 0; n < scalars.size(); ++n) {
    const Inst& inst = function_[scalars[n]];
    const bool wide = inst.op == Op::kSetSgpr64;
    const int32_t offset = inst.op == Op::kSetScc
                               ? shared_.layout.scc
                               : shared_.layout.sgpr + static_cast<int32_t>(inst.imm) * 4;
    const x86::Mem state = x86::ptr(x86::rbx, offset, wide ? 8 : 4);
    const x86::Gp through = wide ? x86::Gp(x86::rdx) : x86::Gp(x86::edx);
    a.mov(through, to_slots ? state : SlotMemory(slots[n]));
    a.mov(to_slots ? SlotMemory(slots[n]) : state, through);
  }
}

}  // namespace gcnjit::backend
