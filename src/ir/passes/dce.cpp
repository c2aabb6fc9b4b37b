// Dead code: pure operations and reads of registers whose value is not used. Loads stay: they may
// fault.
#include <algorithm>

#include "ir/passes.h"

namespace gcnjit::ir {
namespace {

bool IsNeededByItself(const Inst& inst) {
  switch (InfoOf(inst.op).effect) {
    case Effect::kPure:
    case Effect::kWhole: return false;
    case Effect::kState: return inst.type == Type::kVoid;
    case Effect::kRead:
    case Effect::kWrite:
    case Effect::kEnd: return true;
  }
  return true;
}

}  // namespace

void RemoveDead(Function& function) {
  std::vector<bool> needed(function.insts.size());
  for (Block& block : function.blocks) {
    for (size_t n = block.insts.size(); n-- > 0;) {
      const Value value = block.insts[n];
      const Inst& inst = function[value];
      if (!needed[value.id] && !IsNeededByItself(inst)) continue;
      needed[value.id] = true;
      for (int a = 0; a < inst.argument_count; ++a) needed[inst.args[a].id] = true;
    }
    std::erase_if(block.insts, [&](Value value) { return !needed[value.id]; });
  }
}

}  // namespace gcnjit::ir
