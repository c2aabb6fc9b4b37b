// Registers, homes and stages of a block; scalar operations are in block_scalars.cpp, those that
// move values between lanes in block_whole.cpp.
#include "backend_x64/block_emitter.h"

#include <algorithm>
#include <utility>

namespace gcnjit::backend {

using ir::Inst;
using ir::Op;
using ir::Type;
using ir::Value;

namespace {
constexpr int kVgprBytes = ir::kLanes * 4;
constexpr uint32_t kScalarRegisters = 1u << x86::Gp::kIdSi | 1u << x86::Gp::kIdDi |
                                      1u << x86::Gp::kIdR8 | 1u << x86::Gp::kIdR9 |
                                      1u << x86::Gp::kIdR10 | 1u << x86::Gp::kIdR11;

StagePlan PlanOf(const RegionShared& shared, const ir::Function& function, const ir::Block& block,
                 int lanes_per_register, const BlockEmitter::Registers& registers,
                 const std::vector<uint8_t>& repeating) {
  StagePlan plan =
      PlanStages(function, block, lanes_per_register,
                 {__builtin_popcount(registers.vectors), __builtin_popcount(registers.masks),
                  __builtin_popcount(registers.loop_masks)},
                 repeating);
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
      plan_(PlanOf(shared, function, block, lanes_per_register, registers, repeating_)),
      uses_(function, plan_),
      lanes_(lanes_per_register),
      masks_are_vectors_(masks_are_vectors),
      vectors_(registers.vectors),
      masks_(plan_.loop ? registers.loop_masks : registers.masks),
      gprs_(kScalarRegisters),
      reg_of_(function.insts.size() * 16, -1),
      gpr_of_(function.insts.size(), -1),
      homes_(function.insts.size()),
      vgpr_values_(256),
      set_of_(function.insts.size(), -1),
      exec_of_(function.insts.size()),
      part_bits_(FindShared(function, block, plan_.is_sliced, repeating_, &plan_.stage_of)),
      mxcsr_(shared.base_mxcsr) {
  Value exec;
  for (const Value v : block.insts) {
    const Inst& inst = function[v];
    if (inst.op == Op::kNoteExec) {
      exec = inst.args[0];
      homes_[exec.id].is_kept = true;
    }
    exec_of_[v.id] = exec;
    if (inst.op == Op::kStore) last_store_ = v;
    if (inst.op == Op::kGetVgpr) {
      vgpr_values_[inst.imm] = v;
      homes_[v.id].vgpr = static_cast<int>(inst.imm);
      homes_[v.id].stored = 0xF;
    } else if (inst.op == Op::kSetVgpr) {
      set_of_[inst.args[0].id] = static_cast<int16_t>(inst.imm);
    }
  }
}

// ---- Memory

x86::Mem BlockEmitter::VgprMemory(int vgpr, int part) const {
  return x86::ptr(x86::r13, vgpr * kVgprBytes + part * lanes_ * 4);
}
x86::Mem BlockEmitter::TempMemory(int temp, int part) const {
  return x86::ptr(x86::r14, temp * kVgprBytes + part * lanes_ * 4);
}
x86::Mem BlockEmitter::SlotMemory(int slot, int byte_offset) const {
  return x86::ptr(x86::rbp, slot * 8 + byte_offset);
}

int BlockEmitter::TempOf(Value v) {
  Home& home = homes_[v.id];
  if (home.temp < 0) home.temp = shared_.temps.Take(function_[v].type == Type::kV64 ? 2 : 1);
  return home.temp;
}

int BlockEmitter::SlotOf(Value v) {
  Home& home = homes_[v.id];
  if (home.slot < 0) home.slot = shared_.slots.Take();
  return home.slot;
}

// Temps and slots of arguments that nobody reads any more.
void BlockEmitter::FreeHomes(const Inst& inst) {
  for (int n = 0; n < inst.argument_count; ++n) {
    const Value v = inst.args[n];
    Home& home = homes_[v.id];
    if ((home.temp < 0 && home.slot < 0) || home.is_kept || uses_.IsUsedAfter(v, position_))
      continue;
    if (home.temp >= 0) {
      shared_.temps.Free(home.temp);
      if (function_[v].type == Type::kV64) shared_.temps.Free(home.temp + 1);
      home.temp = -1;
    }
    if (home.slot >= 0) {
      // The next slice may need it again.
      if (in_lane_loop_) {
        expired_slots_.push_back(home.slot);
      } else {
        shared_.slots.Free(home.slot);
      }
      home.slot = -1;
    }
  }
}

x86::Mem BlockEmitter::ScalarMemory(Value v, int byte_offset) {
  const Inst& inst = function_[v];
  switch (inst.op) {
    case Op::kConst: {
      x86::Mem memory = ir::Is64(inst.type) ? Constant64(static_cast<uint64_t>(inst.imm))
                                            : Constant32(static_cast<uint32_t>(inst.imm));
      memory.addOffset(byte_offset);
      return memory;
    }
    case Op::kGetSgpr:
    case Op::kGetSgpr64:
      if (homes_[v.id].slot < 0) {
        return x86::ptr(x86::rbx,
                        shared_.layout.sgpr + static_cast<int32_t>(inst.imm) * 4 + byte_offset);
      }
      break;
    default: break;
  }
  return SlotMemory(SlotOf(v), byte_offset);
}

x86::Mem BlockEmitter::MaskMemory(Value v, int part) {
  const int byte = part * lanes_ / 8;
  if (plan_.is_sliced[v.id] != 0) {
    x86::Mem memory = SlotMemory(SlotOf(v), byte);
    memory.setIndex(x86::r15);
    return memory;
  }
  x86::Mem memory = ScalarMemory(v, byte);
  if (function_[v].op == Op::kConst) {  // relative to the code: cannot have an index
    a.lea(x86::rax, memory);
    return x86::ptr(x86::rax, x86::r15);
  }
  memory.setIndex(x86::r15);
  return memory;
}

bool BlockEmitter::HasMemory(Unit unit) const {
  if (unit.component == kBroadcast) return true;
  if (unit.component == kMask && plan_.is_sliced[unit.value.id] == 0) return true;
  return (homes_[unit.value.id].stored >> (unit.component * 4 + unit.part) & 1) != 0;
}

x86::Mem BlockEmitter::UnitMemory(Unit unit) {
  const Home& home = homes_[unit.value.id];
  if (home.vgpr >= 0) return VgprMemory(home.vgpr, unit.part);
  return TempMemory(TempOf(unit.value) + unit.component, unit.part);
}

// ---- Registers

int32_t BlockEmitter::NextUseOf(Unit unit) const {
  if (run_begin_ >= 0 && unit.component != kBroadcast) return NextUseInRun(unit);
  // An argument of the operation being emitted is used now if its part is yet to come.
  const bool pending = unit.component == kBroadcast || IsForPartsFrom(unit.value, unit.part, part_);
  if (pending && IsArgumentNow(unit.value)) return position_;
  return uses_.NextAfter(unit.value, position_);
}

// Parts go through the operations of a run one after the other: as if a later part's positions
// followed the ones of this part.
int32_t BlockEmitter::NextUseInRun(Unit unit) const {
  const int32_t length = run_end_ - run_begin_;
  for (int part = part_; part < parts_; ++part) {
    if (StandInOf(unit.value, part) != unit.part) continue;
    const bool is_now = part == part_ && IsArgumentNow(unit.value);
    if (is_now) return position_;
    const int32_t next = uses_.NextAfter(unit.value, part == part_ ? position_ : run_begin_ - 1);
    if (next < run_end_) return next + (part - part_) * length;
  }
  const int32_t next = uses_.NextAfter(unit.value, run_end_ - 1);
  return next == UseLists::kNever ? next : next + (parts_ - 1 - part_) * length;
}

// Of the operation being emitted, or of the compare that it takes in.
bool BlockEmitter::IsArgumentNow(Value v) const {
  if (current_ == nullptr) return false;
  const auto has = [v](const Inst& inst) {
    return std::find(inst.args, inst.args + inst.argument_count, v) !=
           inst.args + inst.argument_count;
  };
  if (has(*current_)) return true;
  const Value fused = FusedCompare(*current_);
  return fused && has(function_[fused]);
}

// Do the parts of the operation being emitted, from `first` on, need this one of the value?
bool BlockEmitter::IsForPartsFrom(Value v, int stand_in, int first) const {
  for (int part = first; part < parts_; ++part) {
    if (StandIn(op_bits_, part) == part && StandInOf(v, part) == stand_in) return true;
  }
  return false;
}

// Of the operation being emitted.
bool BlockEmitter::IsLastPart(int part) const {
  for (int later = part + 1; later < parts_; ++later) {
    if (StandIn(op_bits_, later) == later) return false;
  }
  return true;
}

int BlockEmitter::TakeRegister(Unit unit) {
  RegisterPool& pool = PoolOf(unit);
  int reg = pool.TryTake();
  if (reg < 0) {
    int32_t farthest = -1;
    for (uint32_t left = pool.Evictable(); left != 0; left &= left - 1) {
      const int candidate = __builtin_ctz(left);
      const int32_t next = NextUseOf(pool.UnitOf(candidate));
      // What is in memory already is cheaper to give up.
      const int32_t rank =
          next == UseLists::kNever ? next : next * 2 + HasMemory(pool.UnitOf(candidate));
      if (rank > farthest) {
        farthest = rank;
        reg = candidate;
      }
    }
    if (reg < 0) {
      Fail("a lane operation needs more registers than there are");
      reg = __builtin_ctz(pool.used());
    }
    const Unit victim = pool.UnitOf(reg);
    // A mask that fault reports may ask for is wanted even without a further use.
    const bool is_wanted = farthest != UseLists::kNever ||
                           (victim.component == kMask && homes_[victim.value.id].is_kept);
    if (is_wanted && !HasMemory(victim)) Spill(victim, reg);
    RegOf(victim) = -1;
  }
  pool.SetUnit(reg, unit);
  pool.Pin(reg);
  RegOf(unit) = static_cast<int8_t>(reg);
  return reg;
}

void BlockEmitter::Spill(Unit unit, int reg) {
  if (unit.component == kMask) {
    StoreMask(MaskMemory(unit.value, unit.part), reg);
  } else {
    StoreVector(UnitMemory(unit), reg);
  }
  homes_[unit.value.id].stored |= static_cast<uint16_t>(1u << (unit.component * 4 + unit.part));
}

void BlockEmitter::Reload(Unit unit, int reg) {
  uint64_t constant = 0;
  if (unit.component == kMask) {
    if (IsConst(unit.value, &constant) && (constant == 0 || ~constant == 0)) {
      SetMask(reg, constant != 0);
    } else if (masks_are_vectors_ && IsAllOrNone(function_, function_[unit.value])) {
      Broadcast32(reg, ScalarMemory(unit.value));
    } else {
      LoadMask(reg, MaskMemory(unit.value, unit.part));
    }
  } else if (unit.component == kBroadcast) {
    if (function_[unit.value].type == Type::kU64) {
      Broadcast64(reg, ScalarMemory(unit.value));
    } else {
      Broadcast32(reg, ScalarMemory(unit.value));
    }
  } else {
    if (!HasMemory(unit)) Fail("a lane value is used before it is computed");
    LoadVector(reg, UnitMemory(unit));
  }
}

int BlockEmitter::Use(Value v, int part, int component) {
  const Unit unit = IsLaneValue(v) ? Unit{v, static_cast<uint8_t>(component), StandInOf(v, part)}
                                   : Unit{v, kBroadcast, 0};
  int reg = RegOf(unit);
  if (reg < 0) {
    reg = TakeRegister(unit);
    Reload(unit, reg);
  }
  PoolOf(unit).Pin(reg);
  return reg;
}

std::optional<x86::Mem> BlockEmitter::MemoryOperand(Value v, int part, int component) {
  if (!IsLaneValue(v)) return std::nullopt;
  const Unit unit{v, static_cast<uint8_t>(component), StandInOf(v, part)};
  if (RegOf(unit) >= 0 || !HasMemory(unit)) return std::nullopt;
  const bool is_wanted_again = uses_.NextAfter(v, position_) < uses_.EndOfStage(stage_) ||
                               IsForPartsFrom(v, unit.part, part + 1);
  if (is_wanted_again) return std::nullopt;
  return UnitMemory(unit);
}

int BlockEmitter::UseMask(Value v, int part) {
  const Unit unit{v, kMask, StandInOf(v, part)};
  int reg = RegOf(unit);
  if (reg < 0) {
    reg = TakeRegister(unit);
    Reload(unit, reg);
  }
  PoolOf(unit).Pin(reg);
  return reg;
}

int BlockEmitter::Def(Value v, int part, int component) {
  return TakeRegister({v, static_cast<uint8_t>(component), static_cast<uint8_t>(part)});
}
int BlockEmitter::DefMask(Value v, int part) {
  return TakeRegister({v, kMask, static_cast<uint8_t>(part)});
}

bool BlockEmitter::Dies(Value v, int part) const {
  if (uses_.IsUsedAfter(v, position_)) return false;
  const bool is_broadcast = !IsLaneValue(v) && plan_.is_sliced[v.id] == 0;
  if (is_broadcast) return IsLastPart(part);
  return !IsForPartsFrom(v, StandInOf(v, part), part + 1);
}

void BlockEmitter::FreeUnit(Unit unit) {
  int8_t& reg = RegOf(unit);
  if (reg < 0) return;
  PoolOf(unit).Free(reg);
  reg = -1;
}

void BlockEmitter::FreeDying(const Inst& inst, int part) {
  for (int n = 0; n < inst.argument_count; ++n) {
    const Value v = inst.args[n];
    if (uses_.IsUsedAfter(v, position_)) continue;
    if (IsLastPart(part)) FreeUnit({v, kBroadcast, 0});
    const uint8_t of = StandInOf(v, part);
    if (IsForPartsFrom(v, of, part + 1)) continue;
    FreeUnit({v, 0, of});
    FreeUnit({v, 1, of});
    FreeUnit({v, kMask, of});
  }
}

int BlockEmitter::TakeOver(Value v, int part, Value result, int component) {
  const Unit from{v, static_cast<uint8_t>(component), StandInOf(v, part)};
  const Unit to{result, static_cast<uint8_t>(component), static_cast<uint8_t>(part)};
  const int8_t reg = RegOf(from);
  RegOf(from) = -1;
  RegOf(to) = reg;
  vectors_.SetUnit(reg, to);
  return reg;
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
  const auto unit = [v](int p) { return Unit{v, kMask, static_cast<uint8_t>(p)}; };
  const bool whole = parts_ * lanes_ == ir::kLanes && !masks_are_vectors_;
  if (!whole) return Spill(unit(part), RegOf(unit(part)));
  if (part != parts_ - 1) return;
  bool resident = true;
  for (int p = 0; p < parts_; ++p) resident &= RegOf(unit(p)) >= 0;
  if (resident) {
    StoreWholeMask(SlotMemory(SlotOf(v)), RegOf(unit(0)), RegOf(unit(1)), RegOf(unit(2)),
                   RegOf(unit(3)));
    homes_[v.id].stored |= 0xF000;
    return;
  }
  for (int p = 0; p < parts_; ++p) {
    if (RegOf(unit(p)) >= 0) Spill(unit(p), RegOf(unit(p)));
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
        StoreVector(VgprMemory(vgpr, p), RegOf({v, 0, static_cast<uint8_t>(part)}));
        home.stored |= static_cast<uint16_t>(1u << p);
      });
      home.vgpr = vgpr;
      return;
    }
  }
  if (!IsUsedInLaterStage(v)) return;
  for (uint8_t component = 0; component < (type == Type::kV64 ? 2 : 1); ++component) {
    const int reg = RegOf({v, component, static_cast<uint8_t>(part)});
    for_each_like([&](uint8_t p) { Spill({v, component, p}, reg); });
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
  if (plan_.is_fused[v.id] != 0) return;
  current_ = &inst;
  if (inst.op == Op::kNoteExec) {
    current_ = nullptr;
    return;
  }
  if (inst.op == Op::kSetVgpr) {
    EmitSetVgpr(inst);
    current_ = nullptr;
    return;
  }
  EmitLaneParts(v, inst);
  if (plan_.is_wave_mask[v.id] != 0) EmitWaveMask(v);
  FinishLaneOp(v, inst);
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
  for (uint8_t part = 0; part < parts_; ++part) FreeUnit({v, kMask, part});
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
  } else if (inst.type != Type::kVoid && RegOf({v, 0, static_cast<uint8_t>(part_)}) >= 0) {
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
  vectors_.UnpinAll();
  masks_.UnpinAll();
  current_ = nullptr;
}

void BlockEmitter::FinishLaneOp(Value v, const Inst& inst) {
  // A result that nobody reads needs no register.
  if (inst.type != Type::kVoid && !uses_.IsUsedAfter(v, position_)) {
    for (uint8_t part = 0; part < parts_; ++part) {
      FreeUnit({v, 0, part});
      FreeUnit({v, 1, part});
      FreeUnit({v, kMask, part});
    }
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
  const int slices = ir::kLanes / (parts_ * lanes_);
  if (shared_.listing != nullptr) shared_.listing->Lanes(slices);
  vectors_.Reset();
  masks_.Reset();
  a.lea(x86::r13, x86::ptr(x86::rbx, shared_.layout.vgpr));
  a.mov(x86::r14, x86::ptr(x86::r12, offsetof(RegionContext, temps)));
  a.xor_(x86::r15d, x86::r15d);
  const std::vector<AheadRequest> requests = PrepareAhead(stage);
  const asmjit::Label loop = a.newLabel();
  next_slice_ = a.newLabel();
  if (slices > 1) {
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
  in_lane_loop_ = false;
  FreeAhead(requests);
  FreeLdsGroups();
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
  ForgetRegisters();
}

// On to the next slice, if there is one.
void BlockEmitter::AdvanceSlice(const asmjit::Label& loop) {
  if (parts_ * lanes_ == ir::kLanes) return;
  a.add(x86::r13, parts_ * lanes_ * 4);
  a.add(x86::r14, parts_ * lanes_ * 4);
  a.add(x86::r15d, parts_ * lanes_ / 8);
  a.cmp(x86::r15d, ir::kLanes / 8);
  a.jb(loop);
}

void BlockEmitter::ForgetRegisters() {
  for (RegisterPool* pool : {&vectors_, &masks_}) {
    for (uint32_t left = pool->used(); left != 0; left &= left - 1) {
      RegOf(pool->UnitOf(__builtin_ctz(left))) = -1;
    }
    pool->Reset();
  }
}

// Leaves if an access of the stage has faulted.
void BlockEmitter::EmitFaultCheck(const Stage& stage) {
  const auto accesses = [this](Value v) {
    const ir::Effect effect = ir::InfoOf(function_[v].op).effect;
    return effect == ir::Effect::kRead || effect == ir::Effect::kWrite;
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
  a.add(x86::qword_ptr(x86::r12, offsetof(RegionContext, executed)),
        static_cast<int32_t>(block_.instruction_count));
  for (size_t n = 0; n < plan_.stages.size(); ++n) {
    stage_ = static_cast<int>(n);
    if (shared_.listing != nullptr) shared_.listing->Stage(n);
    const size_t common = n == 0 ? plan_.common_scalars : 0;
    if (common != 0) EmitCommonScalars(begin);
    for (size_t op = common; op < plan_.stages[n].scalar_ops.size(); ++op) {
      EmitScalarOp(plan_.stages[n].scalar_ops[op]);
    }
    EmitLaneLoop(plan_.stages[n]);
    EmitFaultCheck(plan_.stages[n]);
  }
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
    Note(v);
    EmitSetScalar(inst);
  }
}

const MemorySite* BlockEmitter::AddSite(Value v, const Inst& inst) {
  MemorySite site;
  site.pc = block_.guest_pcs[inst.guest];
  site.access = inst.access();
  // The runtime gets addresses.
  site.access.indexed = false;
  site.access.index_signed = false;
  site.access.index_shift = 0;
  site.is_lds = inst.op == Op::kLoadLds || inst.op == Op::kStoreLds || inst.op == Op::kAtomicLds;
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
      site.exec_slot = -1;
      site.exec_constant = static_cast<uint64_t>(source.imm);
    } else if (source.op == Op::kGetSgpr64) {
      site.exec_slot = -3 - static_cast<int32_t>(source.imm);
    } else {
      site.exec_slot = SlotOf(exec);
    }
  }
  site.index = static_cast<uint32_t>(shared_.sites.size());
  shared_.sites.push_back(site);
  return shared_.site_addresses + (shared_.sites.size() - 1);
}

}  // namespace gcnjit::backend
