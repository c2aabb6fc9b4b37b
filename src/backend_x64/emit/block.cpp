// The stages of a block and their lane operations; where values are is in block_registers.cpp,
// scalar operations in scalars.cpp, those that move values between lanes in cross_lane.cpp.
#include "backend_x64/emit/block.h"

#include <algorithm>
#include <bit>
#include <utility>

namespace gcnjit::backend {

using ir::Inst;
using ir::Op;
using ir::Type;
using ir::Value;

namespace {
constexpr uint32_t kScalarRegisters = 1u << x86::Gp::kIdSi | 1u << x86::Gp::kIdDi |
                                      1u << x86::Gp::kIdR8 | 1u << x86::Gp::kIdR9 |
                                      1u << x86::Gp::kIdR10 | 1u << x86::Gp::kIdR11;

StagePlan PlanOf(const RegionShared& shared, const ir::Function& function, const ir::Block& block,
                 int lanes_per_register, const BlockEmitter::Registers& registers,
                 const std::vector<uint8_t>& repeating, const Wanted& wanted) {
  StagePlan plan = PlanStages(
      function, block, lanes_per_register,
      {__builtin_popcount(registers.vectors), __builtin_popcount(registers.masks),
       __builtin_popcount(registers.loop_masks)},
      repeating, wanted, FindUniform(function, shared.patterns, shared.shapes, lanes_per_register));
  if (shared.row.isValid()) {
    return WithCommonOfRowFirst(function, shared.row_start, std::move(plan));
  }
  return shared.follow.isValid() ? WithCommonFirst(function, std::move(plan)) : plan;
}
}  // namespace

BlockEmitter::BlockEmitter(RegionShared& shared, const ir::Function& function,
                           const ir::Block& block, int lanes_per_register,
                           const Registers& registers, bool masks_are_vectors)
    : a(shared.a),
      shared_(shared),
      function_(function),
      block_(block),
      repeating_(FindRepeating(function, shared.patterns, shared.shapes, lanes_per_register)),
      wanted_(FindWanted(function, block, lanes_per_register)),
      plan_(PlanOf(shared, function, block, lanes_per_register, registers, repeating_, wanted_)),
      uses_(function, plan_),
      lanes_(lanes_per_register),
      masks_are_vectors_(masks_are_vectors),
      vectors_(registers.vectors, function.insts.size()),
      masks_(plan_.loop ? registers.loop_masks : registers.masks, function.insts.size()),
      gprs_(kScalarRegisters, function.insts.size()),
      homes_(function.insts.size()),
      vgpr_values_(256),
      set_of_(function.insts.size(), -1),
      exec_of_(function.insts.size()),
      is_constant_(function.insts.size()),
      is_late_(function.insts.size()),
      part_bits_(FindShared(function, block, plan_.is_sliced, repeating_, wanted_.part_bits,
                            &plan_.stage_of)),
      mxcsr_(shared.base_mxcsr) {
  Value exec;
  for (const Value v : block.insts) {
    const Inst& inst = function[v];
    if (inst.op == Op::kNoteExec) {
      exec = inst.args[0];
      homes_[exec.id].is_kept = true;
    }
    exec_of_[v.id] = exec;
    if (inst.op == Op::kStore) last_stores_[ir::WaveOf(block.guest_pcs[inst.guest])] = v;
    if (inst.op == Op::kGetVgpr) {
      vgpr_values_[inst.imm] = v;
      homes_[v.id].vgpr = static_cast<int>(inst.imm);
      homes_[v.id].stored = 0xF;
    } else if (inst.op == Op::kSetVgpr) {
      set_of_[inst.args[0].id] = static_cast<int16_t>(inst.imm);
    }
  }
}

// ---- Lane operations

void BlockEmitter::SetEnv(ir::FloatEnv env) {
  const uint32_t wanted = 0x1F80u | env.bits;
  if (wanted == mxcsr_) return;
  a.ldmxcsr(Constant32(wanted));
  mxcsr_ = wanted;
}

bool BlockEmitter::IsUsedInLaterStage(Value v) const {
  return uses_.IsUsedAfter(v, uses_.EndOfStage(stage_) - 1);
}

// A mask that is read as a whole soon after had better be stored as a whole: a load of several
// stores' bytes waits for all of them. That can be done where a slice is the wave.
void BlockEmitter::StoreMaskHome(Value v, int part) {
  const auto register_of = [this, v](int p) {
    return FileOf(Unit::Mask(v, p)).Find(Unit::Mask(v, p));
  };
  const bool whole = parts_ * lanes_ == ir::kLanes && !masks_are_vectors_;
  if (!whole) return Spill(Unit::Mask(v, part), *register_of(part));
  if (part != parts_ - 1) return;
  bool resident = true;
  for (int p = 0; p < parts_; ++p) resident &= register_of(p).has_value();
  if (resident) {
    StoreWholeMask(SlotMemory(SlotOf(v)), *register_of(0), *register_of(1), *register_of(2),
                   *register_of(3));
    homes_[v.id].stored |= 0xF000;
    return;
  }
  for (int p = 0; p < parts_; ++p) {
    if (const std::optional<int> reg = register_of(p)) Spill(Unit::Mask(v, p), *reg);
  }
}

// Puts a part that has just been computed where later readers look for it; one that stands for
// others, for each of them.
void BlockEmitter::StoreHome(Value v, int part) {
  if (plan_.loop) return;  // results are written back once, behind the loop
  const int slice_parts = plan_.stages[stage_].slice_parts;
  const auto for_each_like = [&](const auto& f) {
    for (int p = part; p < slice_parts; ++p) {
      if (StandInOf(v, p) == part) f(static_cast<uint8_t>(p));
    }
  };
  const Type type = function_[v].type;
  Home& home = homes_[v.id];
  if (type == Type::kU64) {
    if (IsUsedInLaterStage(v) || home.is_kept) StoreMaskHome(v, part);
    return;
  }
  const int vgpr = set_of_[v.id];
  if (type == Type::kV32 && vgpr >= 0) {
    // The register's own write-back, as soon as nobody wants its old value.
    const Value old = vgpr_values_[vgpr];
    if (!old || !uses_.IsUsedAfter(old, position_)) {
      for_each_like([&](uint8_t p) {
        StoreVector(VgprMemory(vgpr, p), *vectors_.Find(Unit::Lanes(v, part)));
        home.stored |= static_cast<uint16_t>(1u << p);
      });
      home.vgpr = vgpr;
      return;
    }
  }
  if (!IsUsedInLaterStage(v)) return;
  for (uint8_t component = 0; component < (type == Type::kV64 ? 2 : 1); ++component) {
    const int reg = *vectors_.Find(Unit::Lanes(v, part, component));
    for_each_like([&](uint8_t p) { Spill(Unit::Lanes(v, p, component), reg); });
  }
}

void BlockEmitter::EmitSetVgpr(const Inst& inst) {
  const auto vgpr = static_cast<int>(inst.imm);
  const Value v = inst.args[0];
  if (function_[v].op != Op::kGetVgpr && homes_[v.id].vgpr == vgpr) return;  // done already
  if (function_[v].op == Op::kGetVgpr && function_[v].imm == inst.imm) return;
  const Value old = vgpr_values_[vgpr];
  op_bits_ = kAllPartBits;
  if (old && uses_.IsUsedAfter(old, position_)) {
    // All of it: one part may stand for a later one.
    part_ = 0;
    for (int part = 0; part < parts_; ++part) {
      StoreVector(TempMemory(TempOf(old), part), Use(old, part));
      vectors_.UnpinAll();
    }
    homes_[old.id].vgpr = -1;  // it is in its temp from now on
  }
  for (part_ = 0; part_ < parts_; ++part_) {
    StoreVector(VgprMemory(vgpr, part_), Use(v, part_));
    vectors_.UnpinAll();
    FreeDying(inst, part_);
  }
  FreeHomes(inst);
}

void BlockEmitter::EmitLaneOp(Value v) {
  const Inst& inst = function_[v];
  position_ = uses_.PositionOf(v);
  if (inst.op == Op::kPart) return;  // came with its load
  if (plan_.IsScalarAmongLanes(v)) return EmitScalarOp(v);
  Note(v);
  if (plan_.is_fused[v.id] != 0 || is_constant_[v.id] != 0 || is_late_[v.id] != 0) return;
  current_ = &inst;
  if (inst.op == Op::kNoteExec) {
    current_ = nullptr;
    return;
  }
  if (ir::InfoOf(inst.op).effect == ir::Effect::kWrite) AskByTurns();
  if (inst.op == Op::kSetVgpr) {
    EmitSetVgpr(inst);
    current_ = nullptr;
    return;
  }
  if (inst.op == Op::kPermute) {
    EmitLanePermute(v, inst);
  } else {
    EmitLaneParts(v, inst);
  }
  if (plan_.is_wave_mask[v.id] != 0) EmitWaveMask(v);
  FinishLaneOp(v, inst);
  if (put_off_.size() == loaded_runs_) AskByTurns();
}

bool BlockEmitter::IsUniformLoad(const Inst& inst) const {
  if (inst.op != Op::kLoad || parts_ == 1) return false;
  const AddressShape low = ShapeOfAddress(inst.args[0]);
  const AddressShape high = ShapeOfAddress(inst.args[1]);
  for (int p = 0; p < parts_; ++p) {
    if (!low.IsUniform(p) || !high.IsUniform(p)) return false;
  }
  return true;
}

// From the parts of a compare, which nobody may want by themselves.
void BlockEmitter::EmitWaveMask(Value v) {
  const int to = DefScalar(v);
  for (int part = 0; part < parts_; ++part) {
    AddToWaveMask(to, part, UseMask(v, part));
    masks_.UnpinAll();
  }
  gprs_.UnpinAll();
  if (uses_.HasLaneUse(v)) return;
  for (int part = 0; part < parts_; ++part) masks_.Free(Unit::Mask(v, part));
}

void BlockEmitter::EmitLaneParts(Value v, const Inst& inst) {
  const int parts = parts_;
  parts_ = EndOfStandIns(part_bits_[v.id], parts);
  for (part_ = 0; part_ < parts_; ++part_) {
    if (IsStandIn(v, part_)) EmitLanePart(v, inst);
  }
  parts_ = parts;
}

// One part of an operation; the next is part_.
void BlockEmitter::EmitLanePart(Value v, const Inst& inst) {
  current_ = &inst;
  op_bits_ = part_bits_[v.id];
  const ir::Effect effect = ir::InfoOf(inst.op).effect;
  const bool is_memory = effect == ir::Effect::kRead || effect == ir::Effect::kWrite;
  if (is_memory) {
    EmitMemoryPart(v, inst, part_);
  } else {
    EmitPart(v, inst, part_);
  }
  if (inst.type == Type::kU64) {
    StoreHome(v, part_);
  } else if (inst.type != Type::kVoid && vectors_.Holds(Unit::Lanes(v, part_))) {
    StoreHome(v, part_);
  }
  if (is_memory) {
    for (uint32_t id = v.id + 1;
         id < function_.insts.size() && function_.insts[id].op == Op::kPart &&
         function_.insts[id].args[0] == v;
         ++id) {
      StoreHome({id}, part_);
    }
  }
  FreeDying(inst, part_);
  UnpinLanes();
  current_ = nullptr;
}

void BlockEmitter::FinishLaneOp(Value v, const Inst& inst) {
  // A result that nobody reads needs no register.
  if (inst.type != Type::kVoid && !uses_.IsUsedAfter(v, position_)) {
    for (int part = 0; part < parts_; ++part) FreePart(v, part);
  }
  FreeHomes(inst);
  if (const Value fused = FusedCompare(inst)) FreeHomes(function_[fused]);
}

void BlockEmitter::EmitLaneLoop(const Stage& stage) {
  if (stage.lane_ops.empty()) return;
  parts_ = stage.slice_parts;
  FreeLaneScalars();
  FindLdsGroups(stage);
  FindRunGroups(stage);
  slices_ = SlicesOf(stage);
  if (shared_.listing != nullptr) shared_.listing->Lanes(slices_, parts_ * lanes_);
  vectors_.Clear();
  masks_.Clear();
  in_only_slice_ = slices_ == 1;
  if (!in_only_slice_) a.lea(x86::r13, x86::ptr(x86::rbx, shared_.layout.vgpr));
  a.mov(x86::r14, x86::ptr(x86::r12, offsetof(RegionContext, temps)));
  a.xor_(x86::r15d, x86::r15d);
  EmitWaveRuns(stage);
  const std::vector<AheadRequest> requests = PrepareAhead(stage);
  const asmjit::Label loop = a.newLabel();
  next_slice_ = a.newLabel();
  if (slices_ > 1) {
    a.align(asmjit::AlignMode::kCode, 32);
    a.bind(loop);
  }
  in_lane_loop_ = true;
  size_t asked = 0;
  for (size_t n = 0; n < stage.lane_ops.size(); ++n) {
    // Evenly among the operations.
    const size_t due = (n + 1) * requests.size() / stage.lane_ops.size();
    for (; asked < due; ++asked) EmitAheadRequest(requests[asked]);
    EmitLaneOp(stage.lane_ops[n]);
  }
  AskByTurns();
  in_lane_loop_ = false;
  FreeAhead(requests);
  FreeLdsGroups();
  FreeRunGroups();
  for (const auto& [id, run] : wave_runs_) shared_.slots.Free(run.slot);
  wave_runs_.clear();
  for (const int slot : expired_slots_) shared_.slots.Free(slot);
  expired_slots_.clear();
  NoteHeading("next slice");
  // Slices begin with nothing in registers and the environment of the block's start.
  SetEnv({static_cast<uint16_t>(shared_.base_mxcsr & ~0x1F80u)});
  a.bind(next_slice_);
  AdvanceSlice(loop);
  for (const Value v : stage.lane_ops) {
    // Whatever a later stage reads has been stored by all slices.
    if (!IsUsedInLaterStage(v)) continue;
    const Type type = function_[v].type;
    homes_[v.id].stored |= type == Type::kU64 ? 0xF000 : type == Type::kV64 ? 0xFF : 0xF;
  }
  in_only_slice_ = false;
  vectors_.Clear();
  masks_.Clear();
}

// Of which somebody wants something: those behind have nothing but lanes without EXEC.
int BlockEmitter::SlicesOf(const Stage& stage) const {
  uint32_t wanted = 1;
  for (const Value v : stage.lane_ops) wanted |= wanted_.registers[v.id];
  const int registers = std::min(static_cast<int>(std::bit_width(wanted)), ir::kLanes / lanes_);
  return (registers + parts_ - 1) / parts_;
}

// On to the next slice, if there is one.
void BlockEmitter::AdvanceSlice(const asmjit::Label& loop) {
  if (slices_ == 1) return;
  a.add(x86::r13, parts_ * lanes_ * 4);
  a.add(x86::r14, parts_ * lanes_ * 4);
  a.add(x86::r15d, parts_ * lanes_ / 8);
  a.cmp(x86::r15d, slices_ * parts_ * lanes_ / 8);
  a.jb(loop);
}

// Leaves if an access of the stage has faulted.
void BlockEmitter::EmitFaultCheck(const Stage& stage) {
  const auto accesses = [this](Value v) {
    const ir::Effect effect = ir::InfoOf(function_[v].op).effect;
    // What is within LDS does not fault.
    return (effect == ir::Effect::kRead || effect == ir::Effect::kWrite) && GuardOf(v) == nullptr;
  };
  if (std::none_of(stage.scalar_ops.begin(), stage.scalar_ops.end(), accesses) &&
      std::none_of(stage.lane_ops.begin(), stage.lane_ops.end(), accesses)) {
    return;
  }
  NoteHeading("fault?");
  a.cmp(x86::byte_ptr(x86::r12, offsetof(RegionContext, fault) + offsetof(FaultRecord, raised)), 0);
  const asmjit::Label fault = a.newLabel();
  a.jne(fault);
  shared_.cold.push_back([&shared = shared_, fault] {
    shared.a.bind(fault);
    shared.a.mov(x86::eax, static_cast<uint32_t>(ir::ExitReason::kFault));
    shared.a.jmp(shared.exit);
  });
}

// Fault reports look for a changed EXEC in its slot.
void BlockEmitter::EmitNoteExec(const Inst& inst) {
  const Value v = inst.args[0];
  const Op op = function_[v].op;
  if (op == Op::kConst || op == Op::kGetSgpr64 || plan_.is_sliced[v.id] != 0) return;
  a.mov(SlotMemory(SlotOf(v)), x86::gpq(static_cast<uint32_t>(UseScalar(v))));
  homes_[v.id].stored |= 1;
}

void BlockEmitter::EmitBody() {
  const asmjit::Label begin = a.newLabel();
  a.bind(begin);
  EmitLdsGuards();
  FindConstants();
  FindLateIndices();
  CountPlaces();
  FindWaveRuns();
  a.add(x86::qword_ptr(x86::r12, offsetof(RegionContext, executed)),
        static_cast<int32_t>(block_.instruction_count));
  for (size_t n = 0; n < plan_.stages.size(); ++n) {
    stage_ = static_cast<int>(n);
    if (shared_.listing != nullptr) shared_.listing->Stage(n);
    const size_t common = n == 0 ? plan_.common_scalars : 0;
    if (common != 0) EmitCommonScalars(begin);
    if (n == 0) BindRow();
    for (size_t op = common; op < plan_.stages[n].scalar_ops.size(); ++op) {
      EmitScalarOp(plan_.stages[n].scalar_ops[op]);
    }
    EmitLaneLoop(plan_.stages[n]);
    EmitFaultCheck(plan_.stages[n]);
  }
  if (plan_.stages.empty()) BindRow();
  stage_ = static_cast<int>(plan_.stages.size());
  EmitFinalScalars();
}

void BlockEmitter::EmitFinalScalars() {
  position_ = plan_.final_ops.empty() ? position_ : uses_.PositionOf(plan_.final_ops.front()) - 1;
  NoteHeading("end of block");
  ProtectOldScalars();
  for (const Value v : plan_.final_ops) {
    const Inst& inst = function_[v];
    position_ = uses_.PositionOf(v);
    if (ir::InfoOf(inst.op).effect == ir::Effect::kEnd) continue;
    if (plan_.loop && v == plan_.loop->condition) continue;  // EmitLoopTest's
    Note(v);
    EmitSetScalar(inst);
  }
}

const MemorySite* BlockEmitter::AddSite(Value v, const Inst& inst) {
  MemorySite site;
  const uint64_t pc = block_.guest_pcs[inst.guest];
  site.pc = ir::WithoutWave(pc);
  site.wave = static_cast<uint32_t>(std::max(ir::WaveOf(pc), 0));
  site.access = inst.access();
  // The runtime gets addresses.
  site.access.indexed = false;
  site.access.index_signed = false;
  site.access.index_shift = 0;
  site.is_lds = ir::InfoOf(inst.op).Has(ir::Trait::kLds);
  site.is_store = inst.op == Op::kStore || inst.op == Op::kStoreLds;
  site.is_atomic = inst.op == Op::kAtomic || inst.op == Op::kAtomicLds;
  site.order = v.id;
  site.block_instructions = block_.instruction_count;
  site.position = inst.guest + 1u;
  site.loop_iterations = plan_.loop ? LoopIterations() : 0;
  site.imm = static_cast<int32_t>(inst.imm);
  if (const Value exec = exec_of_[v.id]) {
    const Inst& source = function_[exec];
    if (source.op == Op::kConst) {
      site.exec = {ExecSource::Kind::kConstant, 0, static_cast<uint64_t>(source.imm)};
    } else if (source.op == Op::kGetSgpr64) {
      site.exec = {ExecSource::Kind::kSgprs, static_cast<uint32_t>(source.imm)};
    } else {
      site.exec = {ExecSource::Kind::kSlot, static_cast<uint32_t>(SlotOf(exec))};
    }
  }
  site.index = static_cast<uint32_t>(shared_.sites.size());
  shared_.sites.push_back(site);
  return shared_.site_addresses + (shared_.sites.size() - 1);
}

}  // namespace gcnjit::backend
