// Where the lane values of a block are while it is emitted: host registers, and memory for those
// that none is left for. Scalars' registers are in scalars.cpp.
#include <algorithm>

#include "backend_x64/emit/block.h"
#include "ir/analysis/uses.h"

namespace gcnjit::backend {

using ir::Inst;
using ir::Op;
using ir::Type;
using ir::Value;

namespace {
constexpr int kVgprBytes = ir::kLanes * 4;
}  // namespace

// ---- Memory

x86::Mem BlockEmitter::VgprMemory(int vgpr, int part) const {
  const int32_t offset = vgpr * kVgprBytes + part * lanes_ * 4;
  if (in_only_slice_) return x86::ptr(x86::rbx, shared_.layout.vgpr + offset);
  return x86::ptr(x86::r13, offset);
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
    case Op::kGetCommon: return SlotMemory(shared_.CommonSlot(inst.imm), byte_offset);
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
  if (in_only_slice_) return memory;
  if (function_[v].op == Op::kConst) {  // relative to the code: cannot have an index
    a.lea(x86::rax, memory);
    return x86::ptr(x86::rax, x86::r15);
  }
  memory.setIndex(x86::r15);
  return memory;
}

bool BlockEmitter::HasMemory(Unit unit) const {
  if (unit.component == Unit::kBroadcast) return true;
  if (unit.component == Unit::kMask && plan_.is_sliced[unit.value.id] == 0) return true;
  if (is_constant_[unit.value.id] != 0) return true;
  return (homes_[unit.value.id].stored >> (unit.component * 4 + unit.part) & 1) != 0;
}

x86::Mem BlockEmitter::UnitMemory(Unit unit) {
  if (is_constant_[unit.value.id] != 0) {
    ConstantPool::Vector lanes = {};
    for (int n = 0; n < lanes_; ++n) {
      const auto lane = static_cast<uint32_t>(unit.part * lanes_ + n);
      lanes[n] = KnownLane(unit.value, lane).value_or(0);
    }
    return shared_.constants.Whole(lanes);
  }
  const Home& home = homes_[unit.value.id];
  if (home.vgpr >= 0) return VgprMemory(home.vgpr, unit.part);
  return TempMemory(TempOf(unit.value) + unit.component, unit.part);
}

std::optional<uint32_t> BlockEmitter::KnownLane(Value v, uint32_t lane, int depth) const {
  const Inst& inst = function_[v];
  switch (inst.op) {
    case Op::kLaneId: return lane;
    case Op::kConst: return static_cast<uint32_t>(inst.imm);
    case Op::kAdd:
    case Op::kMul:
    case Op::kAnd:
    case Op::kShl:
    case Op::kLshr: break;
    default: return std::nullopt;
  }
  if (inst.type != Type::kV32 || depth == 0) return std::nullopt;
  const std::optional<uint32_t> x = KnownLane(inst.args[0], lane, depth - 1);
  const std::optional<uint32_t> y = x ? KnownLane(inst.args[1], lane, depth - 1) : std::nullopt;
  if (!y) return std::nullopt;
  switch (inst.op) {
    case Op::kAdd: return *x + *y;
    case Op::kMul: return *x * *y;
    case Op::kAnd: return *x & *y;
    case Op::kShl: return *x << (*y & 31);
    default: return *x >> (*y & 31);
  }
}

// Values that need not be computed, where no slice has other lanes than the first one. What is done
// between lane loops wants lanes in the wave's own memory.
void BlockEmitter::FindConstants() {
  for (const Stage& stage : plan_.stages) {
    parts_ = stage.slice_parts;
    if (!stage.lane_ops.empty() && SlicesOf(stage) != 1) return;
  }
  for (const Value v : block_.insts) {
    is_constant_[v.id] = function_[v].type == Type::kV32 && KnownLane(v, 0).has_value();
  }
  for (const Stage& stage : plan_.stages) {
    for (const Value v : stage.scalar_ops) {
      const Inst& inst = function_[v];
      for (int n = 0; n < inst.argument_count; ++n) is_constant_[inst.args[n].id] = 0;
    }
  }
}

// ---- Registers

int32_t BlockEmitter::NextUseOf(Unit unit) const {
  if (run_begin_ >= 0 && unit.component != Unit::kBroadcast) return NextUseInRun(unit);
  // An argument of the operation being emitted is used now if its part is yet to come.
  const bool pending =
      unit.component == Unit::kBroadcast || IsForPartsFrom(unit.value, unit.part, part_);
  if (pending && IsArgumentNow(unit.value)) return position_;
  const int32_t next = uses_.NextAfter(unit.value, position_);
  // What is wanted of a scalar behind the lane operations is not its copies in all lanes.
  return unit.component == Unit::kBroadcast && next >= EndOfLanes() ? UseLists::kNever : next;
}

// First position behind the stage's lane operations, and a loop's write-backs of lanes.
int32_t BlockEmitter::EndOfLanes() const {
  const int32_t sets = plan_.loop ? static_cast<int32_t>(plan_.loop->sets.size()) : 0;
  return uses_.EndOfStage(stage_) + sets;
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
  // What is in memory already is cheaper to give up.
  const RegisterFile::Taken taken = FileOf(unit).Take(unit, [this](Unit held) {
    const int32_t next = NextUseOf(held);
    return next == UseLists::kNever ? RegisterFile::kNever : next * 2 + HasMemory(held);
  });
  if (taken.has_failed) Fail("a lane operation needs more registers than there are");
  if (const std::optional<Unit> victim = taken.victim) {
    // A mask that fault reports may ask for is wanted even without a further use.
    const bool is_wanted =
        taken.is_wanted || (victim->component == Unit::kMask && homes_[victim->value.id].is_kept);
    if (is_wanted && !HasMemory(*victim)) Spill(*victim, taken.reg);
  }
  return taken.reg;
}

int BlockEmitter::LoadedRegister(Unit unit) {
  RegisterFile& file = FileOf(unit);
  std::optional<int> reg = file.Find(unit);
  if (!reg) {
    reg = TakeRegister(unit);
    Reload(unit, *reg);
  }
  file.Pin(*reg);
  return *reg;
}

void BlockEmitter::Spill(Unit unit, int reg) {
  if (unit.component == Unit::kMask) {
    StoreMask(MaskMemory(unit.value, unit.part), reg);
  } else {
    StoreVector(UnitMemory(unit), reg);
  }
  homes_[unit.value.id].stored |= static_cast<uint16_t>(1u << (unit.component * 4 + unit.part));
}

void BlockEmitter::Reload(Unit unit, int reg) {
  uint64_t constant = 0;
  if (unit.component == Unit::kMask) {
    if (IsConst(unit.value, &constant) && (constant == 0 || ~constant == 0)) {
      SetMask(reg, constant != 0);
    } else if (masks_are_vectors_ && ir::IsAllOrNone(function_, function_[unit.value])) {
      Broadcast32(reg, ScalarMemory(unit.value));
    } else {
      LoadMask(reg, MaskMemory(unit.value, unit.part));
    }
  } else if (unit.component == Unit::kBroadcast) {
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
  return LoadedRegister(IsLaneValue(v) ? Unit::Lanes(v, StandInOf(v, part), component)
                                       : Unit::Broadcast(v));
}

std::optional<x86::Mem> BlockEmitter::MemoryOperand(Value v, int part, int component) {
  if (!IsLaneValue(v)) return std::nullopt;
  const Unit unit = Unit::Lanes(v, StandInOf(v, part), component);
  if (vectors_.Holds(unit) || !HasMemory(unit)) return std::nullopt;
  const bool is_wanted_again = uses_.NextAfter(v, position_) < uses_.EndOfStage(stage_) ||
                               IsForPartsFrom(v, unit.part, part + 1);
  if (is_wanted_again) return std::nullopt;
  return UnitMemory(unit);
}

int BlockEmitter::UseMask(Value v, int part) {
  return LoadedRegister(Unit::Mask(v, StandInOf(v, part)));
}

int BlockEmitter::Def(Value v, int part, int component) {
  return TakeRegister(Unit::Lanes(v, part, component));
}
int BlockEmitter::DefMask(Value v, int part) { return TakeRegister(Unit::Mask(v, part)); }

bool BlockEmitter::Dies(Value v, int part) const {
  if (uses_.IsUsedAfter(v, position_)) return false;
  const bool is_broadcast = !IsLaneValue(v) && plan_.is_sliced[v.id] == 0;
  if (is_broadcast) return IsLastPart(part);
  return !IsForPartsFrom(v, StandInOf(v, part), part + 1);
}

void BlockEmitter::FreeDying(const Inst& inst, int part) {
  for (int n = 0; n < inst.argument_count; ++n) {
    const Value v = inst.args[n];
    if (uses_.IsUsedAfter(v, position_)) continue;
    if (IsLastPart(part)) vectors_.Free(Unit::Broadcast(v));
    const uint8_t of = StandInOf(v, part);
    if (!IsForPartsFrom(v, of, part + 1)) FreePart(v, of);
  }
}

void BlockEmitter::FreePart(Value v, int part) {
  vectors_.Free(Unit::Lanes(v, part, 0));
  vectors_.Free(Unit::Lanes(v, part, 1));
  FileOf(Unit::Mask(v, part)).Free(Unit::Mask(v, part));
}

void BlockEmitter::UnpinLanes() {
  vectors_.UnpinAll();
  masks_.UnpinAll();
}

int BlockEmitter::TakeOver(Value v, int part, Value result, int component) {
  return vectors_.Rename(Unit::Lanes(v, StandInOf(v, part), component),
                         Unit::Lanes(result, part, component));
}

}  // namespace gcnjit::backend
