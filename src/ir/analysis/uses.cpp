#include "ir/analysis/uses.h"

namespace gcnjit::ir {

std::vector<uint32_t> CountUses(const Function& function, const Block& block) {
  std::vector<uint32_t> uses(function.insts.size(), 0);
  for (const Value v : block.insts) {
    const Inst& inst = function[v];
    for (int n = 0; n < inst.argument_count; ++n) ++uses[inst.args[n].id];
  }
  return uses;
}

bool IsMaskOperation(Op op) {
  return op == Op::kAnd || op == Op::kOr || op == Op::kXor || op == Op::kAndNot || op == Op::kNot;
}

bool TakesMask(const Inst& inst, int n) {
  switch (inst.op) {
    case Op::kSelect: return n == 0;
    case Op::kLoad:
    case Op::kStore:
    case Op::kAtomic: return n == 2;
    case Op::kLoadLds:
    case Op::kStoreLds:
    case Op::kAtomicLds: return n == 1;
    default: return inst.type == Type::kU64 && IsMaskOperation(inst.op);
  }
}

bool IsAllOrNone(const Function& function, const Inst& inst) {
  if (inst.op != Op::kSelect || inst.type != Type::kU64) return false;
  const Inst& yes = function[inst.args[1]];
  const Inst& no = function[inst.args[2]];
  return function[inst.args[0]].type == Type::kU1 && yes.op == Op::kConst && yes.imm == -1 &&
         no.op == Op::kConst && no.imm == 0;
}

bool IsNarrowCompare(const Function& function, const Inst& inst) {
  switch (inst.op) {
    case Op::kEq:
    case Op::kNe:
    case Op::kLtU:
    case Op::kLeU:
    case Op::kLtS:
    case Op::kLeS:
    case Op::kFCmp: break;
    default: return false;
  }
  return inst.type == Type::kU64 && !Is64(function[inst.args[0]].type) &&
         !Is64(function[inst.args[1]].type);
}

}  // namespace gcnjit::ir
