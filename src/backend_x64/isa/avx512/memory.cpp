// Memory accesses of a part, 16 lanes: their operands. What they do is in global.cpp and lds.cpp.
#include "backend_x64/isa/avx512/lanes.h"
#include "backend_x64/isa/avx512/slow_path.h"

namespace gcnjit::backend::avx512 {

using ir::Inst;
using ir::Op;
using ir::Value;

void LaneEmitter::EmitMemoryPart(Value v, const Inst& inst, int part) {
  switch (inst.op) {
    case Op::kLoad:
    case Op::kStore:
      if (inst.access().indexed) return EmitIndexed(v, inst, part);
      [[fallthrough]];
    case Op::kAtomic: EmitGlobal(v, inst, part); return;
    default: EmitLds(v, inst, part); return;
  }
}

// The registers that a load's dwords go to; -1 where nobody reads a dword.
void LaneEmitter::DefResults(Value v, const Inst& inst, int part, int (&result)[4]) {
  for (int n = 0; n < 4; ++n) result[n] = -1;
  if (inst.type == ir::Type::kVoid) return;
  if (IsRead(v)) result[0] = Def(v, part);
  for (Value p{v.id + 1};
       p.id < function_.insts.size() && InstOf(p).op == Op::kPart && InstOf(p).args[0] == v;
       ++p.id) {
    if (IsRead(p)) result[InstOf(p).imm] = Def(p, part);
  }
}

void LaneEmitter::EmitGlobal(Value v, const Inst& inst, int part) {
  if (IsUniformLoad(inst) || PointerMemoryOf(inst, part)) {
    if (part == 0) EmitUniformLoad(v, inst);
    return;
  }
  const bool is_atomic = inst.op == Op::kAtomic;
  const MemorySite* site = part == 0 ? AddSite(v, inst) : last_site_;
  last_site_ = site;
  SlowAccess slow;
  slow.site = site;
  slow.window = SiteOf(site).index;
  slow.part = part;
  slow.low = Use(inst.args[0], part);
  slow.high = Use(inst.args[1], part);
  slow.mask = is_atomic ? UseMask(inst.args[2], part) : AccessMask(inst.args[2], part);
  slow.last_lane = LastLaneOf(inst.args[2], part);
  for (int n = 3; n < inst.argument_count; ++n) slow.data[n - 3] = Use(inst.args[n], part);
  DefResults(v, inst, part, slow.result);
  slow.environment = current_mxcsr() != shared_.base_mxcsr;
  slow.entry = a.newLabel();
  slow.done = a.newLabel();
  slow.abort = NextSlice();
  const AccessGuard guard(shared_, site);
  if (is_atomic) {
    if (!EmitGuestAtomic(inst, slow.low, slow.high, slow.mask, slow.data, slow.result,
                         slow.entry)) {
      a.jmp(slow.entry);
    }
    a.bind(slow.done);
    shared_.cold.push_back([&shared = shared_, slow] { EmitSlow(shared, slow); });
    return;
  }
  EmitGlobalMove(inst, slow);
}

// LDS: (address, mask, limit, dwords...).
void LaneEmitter::EmitLds(Value v, const Inst& inst, int part) {
  const LdsGroup* group = inst.op == Op::kLoadLds ? LdsGroupOf(v) : nullptr;
  if (group != nullptr && group->shape.is_known) return EmitShapedLoad(v, inst, *group, part);
  const bool is_store = inst.op == Op::kStoreLds;
  if (is_store && EmitShapedStore(v, inst, part)) return;
  const bool is_atomic = inst.op == Op::kAtomicLds;
  const MemorySite* site = part == 0 ? AddSite(v, inst) : last_site_;
  last_site_ = site;
  SlowAccess slow;
  slow.site = site;
  slow.window = SiteOf(site).index;
  slow.part = part;
  slow.low = Use(inst.args[0], part);
  slow.mask = is_atomic ? UseMask(inst.args[1], part) : AccessMask(inst.args[1], part);
  for (int n = 3; n < inst.argument_count; ++n) slow.data[n - 3] = Use(inst.args[n], part);
  DefResults(v, inst, part, slow.result);
  slow.environment = current_mxcsr() != shared_.base_mxcsr;
  slow.entry = a.newLabel();
  slow.done = a.newLabel();
  slow.abort = NextSlice();
  const LdsLimit limit = LdsLimitOf(inst);
  if (is_atomic) {
    EmitLdsLimitForRuntime(a, limit);
    if (!EmitLdsAtomic(inst, slow.low, slow.mask, slow.data, slow.result, slow.entry)) {
      a.jmp(slow.entry);
    }
    a.bind(slow.done);
    shared_.cold.push_back([&shared = shared_, slow] { EmitSlow(shared, slow); });
    return;
  }
  if (is_store) {
    EmitLdsStore(inst, slow, limit);
  } else {
    EmitLdsLoad(v, inst, slow, limit);
  }
}

}  // namespace gcnjit::backend::avx512
