// Memory accesses of a part, 8 lanes: their operands. What they do is in global.cpp and lds.cpp.
#include "backend_x64/isa/avx2/lanes.h"
#include "backend_x64/isa/avx2/slow_path.h"

namespace gcnjit::backend::avx2 {

using ir::Inst;
using ir::Op;
using ir::Value;

void LaneEmitter::EmitMemoryPart(Value v, const Inst& inst, int part) {
  switch (inst.op) {
    case Op::kLoad:
    case Op::kStore:
      if (inst.access().indexed) return EmitIndexed(v, inst, part);
      if (PointerMemoryOf(inst, part) ||
          (inst.access().Dwords() == 1 && IsUniformLoad(inst) && StandInsOf(v) <= 2)) {
        // No more, since all have their registers at once.
        if (part == 0) EmitUniformLoad(v, inst);
        return;
      }
      [[fallthrough]];
    case Op::kAtomic: EmitGlobal(v, inst, part); return;
    default: EmitLds(v, inst, part); return;
  }
}

// The registers that a load's dwords go to; -1 where nobody reads a dword.
void LaneEmitter::DefResults(Value v, const Inst& inst, int part, int (&result)[4]) {
  if (inst.type == ir::Type::kVoid) return;
  if (IsRead(v)) result[0] = Def(v, part);
  for (Value p{v.id + 1};
       p.id < function_.insts.size() && InstOf(p).op == Op::kPart && InstOf(p).args[0] == v;
       ++p.id) {
    if (IsRead(p)) result[InstOf(p).imm] = Def(p, part);
  }
}

Operands LaneEmitter::GlobalOperands(Value v, const Inst& inst, int part) {
  if (part == 0) last_site_ = AddSite(v, inst);
  Operands s;
  s.site = last_site_;
  s.access = inst.access();
  s.is_store = inst.op == Op::kStore;
  s.imm = static_cast<int32_t>(inst.imm);
  s.window = SiteOf(s.site).index;
  s.part = part;
  s.pointer = PointerMemoryOf(inst, part);
  if (!s.pointer) {
    s.low = Use(inst.args[0], part);
    s.high = Use(inst.args[1], part);
  }
  s.mask = inst.op == Op::kAtomic ? UseMask(inst.args[2], part) : AccessMask(inst.args[2], part);
  for (int n = 3; n < inst.argument_count; ++n) s.data[n - 3] = Use(inst.args[n], part);
  DefResults(v, inst, part, s.result);
  s.environment = current_mxcsr() != shared_.base_mxcsr;
  s.slow = a.newLabel();
  s.done = a.newLabel();
  s.abort = NextSlice();
  return s;
}

void LaneEmitter::EmitGlobal(Value v, const Inst& inst, int part) {
  const Operands s = GlobalOperands(v, inst, part);
  const AccessGuard guard(shared_, s.site);
  if (inst.op == Op::kAtomic) {
    if (!EmitGuestAtomic(inst, s.low, s.high, s.mask, s.data, s.result, s.slow)) a.jmp(s.slow);
    a.bind(s.done);
    shared_.cold.push_back([&shared = shared_, s] { EmitSlow(shared, s); });
    return;
  }
  EmitGlobalMove(inst, s);
}

// LDS: (address, mask, limit, dwords...).
void LaneEmitter::EmitLds(Value v, const Inst& inst, int part) {
  const LdsGroup* group = inst.op == Op::kLoadLds ? LdsGroupOf(v) : nullptr;
  if (group != nullptr && group->shape.is_known) return EmitShapedLoad(v, inst, *group, part);
  if (part == 0) last_site_ = AddSite(v, inst);
  Operands s;
  s.site = last_site_;
  s.access = inst.access();
  s.is_store = inst.op == Op::kStoreLds;
  s.imm = static_cast<int32_t>(inst.imm);
  s.part = part;
  s.low = Use(inst.args[0], part);
  s.mask = inst.op == Op::kAtomicLds ? UseMask(inst.args[1], part) : AccessMask(inst.args[1], part);
  for (int n = 3; n < inst.argument_count; ++n) s.data[n - 3] = Use(inst.args[n], part);
  DefResults(v, inst, part, s.result);
  s.environment = current_mxcsr() != shared_.base_mxcsr;
  s.slow = a.newLabel();
  s.done = a.newLabel();
  s.abort = NextSlice();
  if (inst.op == Op::kAtomicLds) {
    EmitLdsLimitForRuntime(a, LdsLimitOf(inst));
    if (!EmitLdsAtomic(inst, s.low, s.mask, s.data, s.result, s.slow)) a.jmp(s.slow);
    a.bind(s.done);
    shared_.cold.push_back([&shared = shared_, s] { EmitSlow(shared, s); });
    return;
  }
  EmitLdsMove(inst, s);
}

}  // namespace gcnjit::backend::avx2
