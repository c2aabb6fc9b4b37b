#include "backend_x64/emit/memory_code.h"

#include "backend_x64/emit/lane_atomic.h"

namespace gcnjit::backend {

using ir::Inst;
using ir::Op;
using ir::Value;

PartAccess MemoryCode::PartOf(const Inst& inst, SiteId site, int part) {
  PartAccess s;
  s.site = site;
  s.access = inst.access();
  s.is_store = inst.op == Op::kStore || inst.op == Op::kStoreSwizzled || inst.op == Op::kStoreLds;
  s.address.imm = static_cast<int32_t>(inst.imm);
  s.part = part;
  if (inst.op == Op::kAtomic || inst.op == Op::kAtomicLds) {
    if (const auto env = LaneAtomic::EnvironmentOf(s.access)) b_.environment.Set(*env);
  }
  s.environment = !b_.environment.IsBase();
  s.exits.abort = b_.at.next_slice;
  return s;
}

PartAccess MemoryCode::GuestPart(Value v, const Inst& inst, int part) {
  PartAccess s = PartOf(inst, SiteOf(v, part), part);
  s.address.pointer = b_.accesses.pointers.MemoryOf(inst, part);
  s.address.counted = b_.accesses.pointers.LanesOf(inst, part);
  if (s.address.counted) {
    s.address.low = b_.lanes.Take(Unit::Lanes(inst.args[0], part));
    s.address.high = b_.lanes.Take(Unit::Lanes(inst.args[1], part));
  } else if (!s.address.pointer) {
    s.address.low = Use(inst.args[0], part);
    s.address.high = Use(inst.args[1], part);
  }
  const Value mask = inst.args[2];
  s.mask = inst.op == Op::kAtomic ? UseMask(mask, part) : AccessMask(mask, part);
  s.last_lane = b_.at.LastLaneOf(mask, part);
  if (ir::IsSwizzled(inst.op)) {
    s.data[AccessBlock::kPlaceData] = Use(inst.args[3], part);
    if (s.is_store) s.data[0] = Use(inst.args[4], part);
  } else {
    UseData(inst, part, s.data);
  }
  DefResults(v, inst, part, s.result);
  s.exits.slow = a.newLabel();
  s.exits.done = a.newLabel();
  return s;
}

void MemoryCode::LoadAddress(const PartAddress& address) {
  if (!address.counted) return;
  b_.isa.LoadVector(address.low, address.counted->low);
  b_.isa.LoadVector(address.high, address.counted->high);
  b_.isa.AddToHalves(address.low, address.high, address.counted->sum);
}

void MemoryCode::FreeAddress(const Inst& inst, const PartAccess& s) {
  if (!s.address.counted) return;
  for (const Value half : {inst.args[0], inst.args[1]}) b_.lanes.FreePart(half, s.part);
}

PartAccess MemoryCode::LdsPart(Value v, const Inst& inst, int part) {
  PartAccess s = PartOf(inst, SiteOf(v, part), part);
  s.address.low = Use(inst.args[0], part);
  const Value mask = inst.args[1];
  s.mask = inst.op == Op::kAtomicLds ? UseMask(mask, part) : AccessMask(mask, part);
  UseData(inst, part, s.data);
  DefResults(v, inst, part, s.result);
  s.exits.slow = a.newLabel();
  s.exits.done = a.newLabel();
  return s;
}

std::optional<StreamBuffer> MemoryCode::StreamOf(Value v, const Inst& inst, int part) const {
  const AddressShape low = b_.at.ShapeOfAddress(inst.args[0]);
  if (low.IsUniform(part) || low.HasStep(part, inst.access().bytes)) return std::nullopt;
  return b_.accesses.streams.Of(v, part);
}

}  // namespace gcnjit::backend
