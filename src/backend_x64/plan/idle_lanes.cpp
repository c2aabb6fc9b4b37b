#include "backend_x64/plan/idle_lanes.h"

namespace gcnjit::backend {

using ir::Inst;
using ir::Op;
using ir::Value;

// Where a union has no lane, its parts have none.
IdleLanes::IdleLanes(const ir::Function& function, Value active) : function_(function) {
  std::vector<Value> left = {active};
  while (!left.empty()) {
    const Value v = left.back();
    left.pop_back();
    masks_[v.id] = {Mask::Kind::kZero};
    const Inst& inst = function_[v];
    if (inst.op == Op::kOr) left.insert(left.end(), {inst.args[0], inst.args[1]});
    exec_is_zero_ |= inst.op == Op::kGetSgpr64 && inst.imm == ir::kExec;
  }
}

IdleLanes::Mask IdleLanes::MaskOf(Value v) {
  if (const auto known = masks_.find(v.id); known != masks_.end()) return known->second;
  const Mask mask = Compute(v);
  masks_.emplace(v.id, mask);
  return mask;
}

IdleLanes::Mask IdleLanes::Compute(Value v) {
  using Kind = Mask::Kind;
  const Inst& inst = function_[v];
  switch (inst.op) {
    case Op::kGetSgpr64:
      return inst.imm == ir::kExec && exec_is_zero_ ? Mask{Kind::kZero}
                                                    : Mask{Kind::kPair, inst.imm};
    case Op::kConst: return inst.imm == 0 ? Mask{Kind::kZero} : Mask{};
    case Op::kAnd: {
      const Mask a = MaskOf(inst.args[0]);
      if (a.IsZero()) return a;
      const Mask b = MaskOf(inst.args[1]);
      return b.IsZero() ? b : Mask{};
    }
    case Op::kAndNot: {
      const Mask a = MaskOf(inst.args[0]);
      const Mask b = MaskOf(inst.args[1]);
      return a.IsZero() || b.IsZero() ? a : Mask{};
    }
    case Op::kOr:
    case Op::kXor: {
      const Mask a = MaskOf(inst.args[0]);
      const Mask b = MaskOf(inst.args[1]);
      if (a.IsZero()) return b;
      return b.IsZero() ? a : Mask{};
    }
    default: return {};
  }
}

bool IdleLanes::KeepVgpr(Value written, int64_t vgpr) {
  for (;;) {
    const Inst& inst = function_[written];
    if (inst.op == Op::kGetVgpr) return inst.imm == vgpr;
    if (inst.op != Op::kSelect || !MaskOf(inst.args[0]).IsZero()) return false;
    written = inst.args[2];
  }
}

}  // namespace gcnjit::backend
