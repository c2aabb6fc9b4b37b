#include "backend_x64/emit/lane_registers.h"

#include <algorithm>
#include <array>

#include "ir/analysis/uses.h"

namespace gcnjit::backend {

using ir::Inst;
using ir::Op;
using ir::Type;
using ir::Value;

LaneRegisters::LaneRegisters(RegionAssembler& region, const Cursor& at, ValueMemory& memory,
                             LaneIsa& isa)
    : region_(region),
      at_(at),
      block_(at.block),
      memory_(memory),
      isa_(isa),
      vectors_(block_.registers.vectors, block_.function.insts.size()),
      masks_(block_.IsLoop() ? block_.registers.loop_masks : block_.registers.masks,
             block_.function.insts.size()),
      vgpr_values_(ir::kVgprs),
      set_of_(block_.function.insts.size(), -1) {
  int64_t first_at = ir::kVgprs;  // of the VGPRs that are accessed by a number that is not known
  for (const Value v : block_.source.insts) {
    const Inst& inst = block_.function[v];
    if (inst.op == Op::kGetVgprAt || inst.op == Op::kSetVgprAt) {
      first_at = std::min(first_at, inst.imm);
    }
    if (inst.op == Op::kGetVgpr) vgpr_values_[static_cast<size_t>(inst.imm)] = v;
    if (inst.op == Op::kSetVgpr) set_of_[inst.args[0].id] = static_cast<int16_t>(inst.imm);
  }
  // Those keep what they have until the block writes them, and are no place for a value then.
  for (int16_t& vgpr : set_of_) {
    if (vgpr >= first_at) vgpr = -1;
  }
}

int LaneRegisters::Take(Unit unit) {
  // What is in memory already is cheaper to give up.
  const RegisterFile::Taken taken = FileOf(unit).Take(unit, [this](Unit held) {
    const int32_t next = at_.NextUseOf(held);
    return next == UseLists::kNever ? RegisterFile::kNever : next * 2 + memory_.Has(held);
  });
  if (taken.has_failed) region_.Fail("a lane operation needs more registers than there are");
  if (const std::optional<Unit> victim = taken.victim) {
    // A mask that fault reports may ask for is wanted even without a further use.
    const bool is_wanted =
        taken.is_wanted || (victim->component == Unit::kMask && memory_[victim->value].is_kept);
    if (is_wanted && !memory_.Has(*victim)) Spill(*victim, taken.reg);
  }
  return taken.reg;
}

int LaneRegisters::Loaded(Unit unit) {
  RegisterFile& file = FileOf(unit);
  std::optional<int> reg = file.Find(unit);
  if (!reg) {
    reg = Take(unit);
    Reload(unit, *reg);
  }
  file.Pin(*reg);
  return *reg;
}

void LaneRegisters::Store(Unit unit, int reg) {
  if (unit.component == Unit::kMask) {
    isa_.StoreMask(memory_.Mask(unit.value, unit.part), reg);
  } else {
    isa_.StoreVector(memory_.Of(unit), reg);
  }
  memory_[unit.value].stored |= static_cast<uint16_t>(1u << unit.Index());
}

// A mask in a vector register stays one: to make bits of it and to spread them again takes longer.
void LaneRegisters::Spill(Unit unit, int reg) {
  ValueMemory::Home& home = memory_[unit.value];
  if (unit.component != Unit::kMask || !block_.MasksAreVectors() || home.is_kept) {
    return Store(unit, reg);
  }
  const uint8_t bit = static_cast<uint8_t>(1u << unit.part);
  if ((home.spilled_masks & bit) != 0) return;
  isa_.StoreVector(memory_.Temp(memory_.TempOf(unit.value), unit.part), reg);
  home.spilled_masks |= bit;
}

void LaneRegisters::Reload(Unit unit, int reg) {
  const Value v = unit.value;
  uint64_t constant = 0;
  if (unit.component == Unit::kMask && (memory_[v].spilled_masks >> unit.part & 1) != 0) {
    isa_.LoadVector(reg, memory_.Temp(memory_.TempOf(v), unit.part));
  } else if (unit.component == Unit::kMask) {
    if (block_.IsConst(v, &constant) && (constant == 0 || ~constant == 0)) {
      isa_.SetMask(reg, constant != 0);
    } else if (block_.MasksAreVectors() && ir::IsAllOrNone(block_.function, block_.function[v])) {
      isa_.Broadcast32(reg, memory_.Scalar(v));
    } else {
      isa_.LoadMask(reg, memory_.Mask(v, unit.part));
    }
  } else if (unit.component == Unit::kBroadcast) {
    if (block_.function[v].type == Type::kU64) {
      isa_.Broadcast64(reg, memory_.Scalar(v));
    } else {
      isa_.Broadcast32(reg, memory_.Scalar(v));
    }
  } else {
    if (!memory_.Has(unit)) region_.Fail("a lane value is used before it is computed");
    isa_.LoadVector(reg, memory_.Of(unit));
  }
}

int LaneRegisters::Use(Value v, int part, int component) {
  return Loaded(block_.IsLaneValue(v) ? Unit::Lanes(v, block_.StandInOf(v, part), component)
                                      : Unit::Broadcast(v));
}

std::optional<x86::Mem> LaneRegisters::MemoryOperand(Value v, int part, int component) {
  if (!block_.IsLaneValue(v)) return std::nullopt;
  const Unit unit = Unit::Lanes(v, block_.StandInOf(v, part), component);
  if (vectors_.Holds(unit) || !memory_.Has(unit)) return std::nullopt;
  if (at_.IsUsedInStage(v) || at_.IsForPartsFrom(v, unit.part, part + 1)) return std::nullopt;
  return memory_.Of(unit);
}

int LaneRegisters::UseMask(Value v, int part) {
  return Loaded(Unit::Mask(v, block_.StandInOf(v, part)));
}

int LaneRegisters::Def(Value v, int part, int component) {
  return Take(Unit::Lanes(v, part, component));
}

int LaneRegisters::DefMask(Value v, int part) { return Take(Unit::Mask(v, part)); }

int LaneRegisters::TakeOver(Value v, int part, Value result, int component) {
  return vectors_.Rename(Unit::Lanes(v, block_.StandInOf(v, part), component),
                         Unit::Lanes(result, part, component));
}

bool LaneRegisters::Dies(Value v, int part) const {
  if (at_.IsRead(v)) return false;
  const bool is_broadcast = !block_.IsLaneValue(v) && block_.plan.is_sliced[v.id] == 0;
  if (is_broadcast) return at_.IsLastPart(part);
  return !at_.IsForPartsFrom(v, block_.StandInOf(v, part), part + 1);
}

void LaneRegisters::FreeDying(const Inst& inst, int part) {
  for (int n = 0; n < inst.argument_count; ++n) {
    const Value v = inst.args[n];
    if (at_.IsRead(v)) continue;
    if (at_.IsLastPart(part)) vectors_.Free(Unit::Broadcast(v));
    const uint8_t of = block_.StandInOf(v, part);
    if (!at_.IsForPartsFrom(v, of, part + 1)) FreePart(v, of);
  }
}

void LaneRegisters::FreePart(Value v, int part) {
  vectors_.Free(Unit::Lanes(v, part, 0));
  vectors_.Free(Unit::Lanes(v, part, 1));
  FileOf(Unit::Mask(v, part)).Free(Unit::Mask(v, part));
}

void LaneRegisters::UnpinAll() {
  vectors_.UnpinAll();
  masks_.UnpinAll();
}

void LaneRegisters::Clear() {
  vectors_.Clear();
  masks_.Clear();
}

// A mask that is read as a whole soon after had better be stored in as few pieces as can be: a load
// of several stores' bytes waits for all of them (ScalarRegisters::Load).
void LaneRegisters::StoreMaskHome(Value v, int part) {
  const auto register_of = [this, v](int p) { return Find(Unit::Mask(v, p)); };
  const int bytes = block_.lanes / 8;
  ValueMemory::Home& home = memory_[v];
  home.mask_piece = static_cast<uint8_t>(bytes);
  if (at_.parts == 1 || block_.MasksAreVectors()) {
    return Store(Unit::Mask(v, part), *register_of(part));
  }
  if (part != at_.parts - 1) return;
  std::array<int, 4> masks = {};
  bool all_are_held = true;
  for (int p = 0; p < at_.parts; ++p) {
    const std::optional<int> reg = register_of(p);
    all_are_held &= reg.has_value();
    masks[static_cast<size_t>(p)] = reg.value_or(0);
  }
  if (all_are_held) {
    isa_.StoreMasks(memory_.Mask(v, 0), std::span(masks).first(static_cast<size_t>(at_.parts)));
    home.stored |= 0xF000;
    home.mask_piece = static_cast<uint8_t>(at_.parts * bytes);
    return;
  }
  for (int p = 0; p < at_.parts; ++p) {
    if (const std::optional<int> reg = register_of(p)) Store(Unit::Mask(v, p), *reg);
  }
}

void LaneRegisters::StoreHome(Value v, int part) {
  if (block_.IsLoop()) return;  // results are written back once, after the loop
  const int slice_parts = block_.plan.stages[static_cast<size_t>(at_.stage)].slice_parts;
  const auto for_each_like = [&](const auto& f) {
    for (int p = part; p < slice_parts; ++p) {
      if (block_.StandInOf(v, p) == part) f(p);
    }
  };
  const Type type = block_.function[v].type;
  ValueMemory::Home& home = memory_[v];
  if (type == Type::kU64) {
    if (at_.IsUsedInLaterStage(v) || home.is_kept) StoreMaskHome(v, part);
    return;
  }
  const int vgpr = set_of_[v.id];
  if (type == Type::kV32 && vgpr >= 0) {
    // The register's own write-back, as soon as nothing reads its old value any more.
    const Value old = ReaderOf(vgpr);
    if (!old || !at_.IsRead(old)) {
      for_each_like([&](int p) {
        isa_.StoreVector(memory_.Vgpr(vgpr, p), *vectors_.Find(Unit::Lanes(v, part)));
        home.stored |= static_cast<uint16_t>(1u << p);
      });
      home.vgpr = vgpr;
      return;
    }
  }
  if (!at_.IsUsedInLaterStage(v)) return;
  for (int component = 0; component < (type == Type::kV64 ? 2 : 1); ++component) {
    const int reg = *vectors_.Find(Unit::Lanes(v, part, component));
    for_each_like([&](int p) { Store(Unit::Lanes(v, p, component), reg); });
  }
}

}  // namespace gcnjit::backend
