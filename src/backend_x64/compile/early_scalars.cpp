#include "backend_x64/compile/early_scalars.h"

#include <algorithm>

namespace gcnjit::backend {

using ir::Inst;
using ir::Op;
using ir::Value;

EarlyScalars::EarlyScalars(const ir::Function& function)
    : is_early_(function.insts.size()), place_of_(function.insts.size()) {
  const std::vector<Value>& insts = function.blocks[0].insts;
  bool has_written = false;
  for (size_t n = 0; n < insts.size(); ++n) {
    const Inst& inst = function[insts[n]];
    place_of_[insts[n].id] = n;
    if (!has_written) first_write_ = n + 1;
    has_written |= ir::InfoOf(inst.op).effect == ir::Effect::kWrite;
    is_early_[insts[n].id] = !ir::IsLanes(inst.type) && IsEarly(inst, has_written);
  }
}

bool EarlyScalars::IsEarly(const Inst& inst, bool has_written) const {
  switch (inst.op) {
    case Op::kGetSgpr:
    case Op::kGetSgpr64: return inst.imm != ir::kExec && inst.imm != ir::kExec + 1;
    case Op::kLoadScalar:
      if (has_written) return false;
      break;
    default:
      if (ir::InfoOf(inst.op).effect != ir::Effect::kPure) return false;
      break;
  }
  return std::all_of(inst.args, inst.args + inst.argument_count,
                     [this](Value argument) { return is_early_[argument.id]; });
}

}  // namespace gcnjit::backend
