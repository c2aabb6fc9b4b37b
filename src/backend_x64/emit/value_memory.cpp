#include "backend_x64/emit/value_memory.h"

namespace gcnjit::backend {

using ir::Inst;
using ir::Op;
using ir::Type;
using ir::Value;

namespace {}  // namespace

ValueMemory::ValueMemory(RegionAssembler& region, const Cursor& at)
    : region_(region),
      at_(at),
      block_(at.block),
      homes_(block_.function.insts.size()),
      is_constant_(block_.function.insts.size()) {
  for (const Value v : block_.source.insts) {
    const Inst& inst = block_.function[v];
    if (inst.op == Op::kNoteExec && !block_.IsLoop()) homes_[inst.args[0].id].is_kept = true;
    if (inst.op == Op::kGetVgpr) {
      homes_[v.id].vgpr = static_cast<int>(inst.imm);
      homes_[v.id].stored = 0xF;
    }
  }
}

x86::Mem ValueMemory::Vgpr(int vgpr, int part) const {
  const int32_t offset = vgpr * kVgprBytes + part * block_.lanes * 4;
  if (at_.in_only_slice) return x86::ptr(x86::rbx, region_.options.layout.vgpr + offset);
  return x86::ptr(x86::r13, offset);
}

x86::Mem ValueMemory::Temp(int temp, int part) const {
  return x86::ptr(x86::r14, temp * kVgprBytes + part * block_.lanes * 4);
}

x86::Mem ValueMemory::Slot(int slot, int byte_offset) const {
  return x86::ptr(x86::rbp, slot * 8 + byte_offset);
}

int ValueMemory::TempOf(Value v) {
  Home& home = homes_[v.id];
  if (home.temp < 0) {
    home.temp = region_.frame.temps.Take(block_.function[v].type == Type::kV64 ? 2 : 1);
  }
  return home.temp;
}

int ValueMemory::SlotOf(Value v) {
  Home& home = homes_[v.id];
  if (home.slot < 0) home.slot = region_.frame.slots.Take();
  return home.slot;
}

bool ValueMemory::Has(Unit unit) const {
  if (unit.component == Unit::kBroadcast) return true;
  if (unit.component == Unit::kMask && block_.plan.is_sliced[unit.value.id] == 0) return true;
  if (IsConstant(unit.value)) return true;
  return (homes_[unit.value.id].stored >> unit.Index() & 1) != 0;
}

x86::Mem ValueMemory::Of(Unit unit) {
  if (IsConstant(unit.value)) {
    ConstantPool::Vector lanes = {};
    for (int n = 0; n < block_.lanes; ++n) {
      const auto lane = static_cast<uint32_t>(unit.part * block_.lanes + n);
      lanes[static_cast<size_t>(n)] = block_.KnownLane(unit.value, lane).value_or(0);
    }
    return region_.constants.Whole(lanes);
  }
  const Home& home = homes_[unit.value.id];
  if (home.vgpr >= 0) return Vgpr(home.vgpr, unit.part);
  return Temp(TempOf(unit.value) + unit.component, unit.part);
}

x86::Mem ValueMemory::Mask(Value v, int part) {
  const int byte = part * block_.lanes / 8;
  if (block_.plan.is_sliced[v.id] != 0) {
    x86::Mem memory = Slot(SlotOf(v), byte);
    memory.setIndex(x86::r15);
    return memory;
  }
  x86::Mem memory = Scalar(v, byte);
  if (at_.in_only_slice) return memory;
  if (block_.IsConst(v)) {  // relative to the code: cannot have an index
    region_.a.lea(x86::rax, memory);
    return x86::ptr(x86::rax, x86::r15);
  }
  memory.setIndex(x86::r15);
  return memory;
}

x86::Mem ValueMemory::Scalar(Value v, int byte_offset) {
  const Inst& inst = block_.function[v];
  switch (inst.op) {
    case Op::kConst: {
      x86::Mem memory = ir::Is64(inst.type)
                            ? region_.constants.Broadcast64(static_cast<uint64_t>(inst.imm))
                            : region_.constants.Broadcast32(static_cast<uint32_t>(inst.imm));
      memory.addOffset(byte_offset);
      return memory;
    }
    case Op::kGetCommon: return Slot(region_.frame.CommonSlot(inst.imm), byte_offset);
    case Op::kGetSgpr:
    case Op::kGetSgpr64:
      if (homes_[v.id].slot < 0) {
        return x86::ptr(x86::rbx, region_.options.layout.sgpr + static_cast<int32_t>(inst.imm) * 4 +
                                      byte_offset);
      }
      break;
    default: break;
  }
  return Slot(SlotOf(v), byte_offset);
}

x86::Mem ValueMemory::WholeLanes(Value v, const x86::Gp& address) {
  const Home& home = homes_[v.id];
  if (home.vgpr >= 0) {
    return x86::ptr(x86::rbx, region_.options.layout.vgpr + home.vgpr * kVgprBytes);
  }
  region_.a.mov(address, x86::ptr(x86::r12, offsetof(RegionContext, region.temps)));
  return x86::ptr(address, TempOf(v) * kVgprBytes);
}

bool ValueMemory::IsInPlace(Value v) const {
  const Op op = block_.function[v].op;
  return op == Op::kConst ||
         ((op == Op::kGetSgpr || op == Op::kGetSgpr64) && homes_[v.id].slot < 0);
}

// What is done between lane loops wants lanes in the wave's own memory.
void ValueMemory::FindConstants() {
  for (const Stage& stage : block_.plan.stages) {
    if (!stage.lane_ops.empty() && block_.SlicesOf(stage) != 1) return;
  }
  for (const Value v : block_.source.insts) {
    is_constant_[v.id] =
        block_.function[v].type == Type::kV32 && block_.KnownLane(v, 0).has_value();
  }
  const auto want_arguments = [&](Value v) {
    const Inst& inst = block_.function[v];
    for (int n = 0; n < inst.argument_count; ++n) is_constant_[inst.args[n].id] = 0;
  };
  for (const Stage& stage : block_.plan.stages) {
    for (const Value v : stage.scalar_ops) want_arguments(v);
  }
  for (const Value v : block_.plan.final_ops) {
    if (block_.function[v].op == Op::kMatrix) want_arguments(v);
  }
}

void ValueMemory::FreeArguments(const Inst& inst) {
  for (int n = 0; n < inst.argument_count; ++n) {
    const Value v = inst.args[n];
    Home& home = homes_[v.id];
    if ((home.temp < 0 && home.slot < 0) || home.is_kept || at_.IsRead(v)) continue;
    if (home.temp >= 0) {
      region_.frame.temps.Free(home.temp);
      if (block_.function[v].type == Type::kV64) region_.frame.temps.Free(home.temp + 1);
      home.temp = -1;
    }
    if (home.slot >= 0) {
      // The next slice may need it again.
      if (at_.in_lane_loop) {
        expired_slots_.push_back(home.slot);
      } else {
        region_.frame.slots.Free(home.slot);
      }
      home.slot = -1;
    }
  }
}

void ValueMemory::FreeExpired() {
  for (const int slot : expired_slots_) region_.frame.slots.Free(slot);
  expired_slots_.clear();
}

}  // namespace gcnjit::backend
