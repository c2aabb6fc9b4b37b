#include "backend_x64/compile/early_scalars.h"

#include <algorithm>
#include <cstddef>

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

void HoistEarlyScalars(ir::Function& alone) {
  const EarlyScalars early(alone);
  std::vector<Value>& insts = alone.blocks[0].insts;
  // Registers are read where they are: they may have been written.
  std::vector<uint8_t> stays(alone.insts.size());
  std::vector<Value> moved;
  std::vector<Value> others;
  const size_t write = early.first_write() - 1;
  for (size_t n = write; n < insts.size(); ++n) {
    const Inst& inst = alone[insts[n]];
    const bool has_staying = std::any_of(inst.args, inst.args + inst.argument_count,
                                         [&](Value argument) { return stays[argument.id] != 0; });
    const bool is_pure = ir::InfoOf(inst.op).effect == ir::Effect::kPure && inst.op != Op::kPart;
    if (early.is_early()[insts[n].id] != 0 && is_pure && !has_staying) {
      moved.push_back(insts[n]);
    } else {
      others.push_back(insts[n]);
      stays[insts[n].id] = 1;
    }
  }
  insts.resize(write);
  insts.insert(insts.end(), moved.begin(), moved.end());
  insts.insert(insts.end(), others.begin(), others.end());
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
