#include "ir/analysis/uses.h"

#include "ir/compute.h"

namespace gcnjit::ir {

std::vector<uint32_t> CountUses(const Function& function, const Block& block) {
  std::vector<uint32_t> uses(function.insts.size(), 0);
  for (const Value v : block.insts) {
    const Inst& inst = function[v];
    for (int n = 0; n < inst.argument_count; ++n) ++uses[inst.args[n].id];
  }
  return uses;
}

bool TakesMask(const Inst& inst, int n) {
  const OpInfo& info = InfoOf(inst.op);
  return info.TakesMask(n) || (inst.type == Type::kU64 && info.Has(Trait::kBitByBit));
}

bool IsAllOrNone(const Function& function, const Inst& inst) {
  if (inst.op != Op::kSelect || inst.type != Type::kU64) return false;
  const Inst& yes = function[inst.args[1]];
  const Inst& no = function[inst.args[2]];
  return function[inst.args[0]].type == Type::kU1 && yes.op == Op::kConst && yes.imm == -1 &&
         no.op == Op::kConst && no.imm == 0;
}

bool IsNarrowCompare(const Function& function, const Inst& inst) {
  if (!IsAnyCompare(inst.op)) return false;
  return inst.type == Type::kU64 && !Is64(function[inst.args[0]].type) &&
         !Is64(function[inst.args[1]].type);
}

}  // namespace gcnjit::ir
