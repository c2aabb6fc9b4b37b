// Consecutive operations of a loop that make lane masks of lane masks, with the operations before
// them that only the first of them reads. They are done part by part: intermediate masks die at
// once, and there are few registers for masks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "ir/function.h"

namespace gcnjit::backend {

// Is the operation's result a lane mask, made of its arguments alone?
inline bool MakesMask(const ir::Inst& inst) {
  return inst.type == ir::Type::kU64 && ir::InfoOf(inst.op).effect == ir::Effect::kPure;
}

// Where such a run ends that begins at ops[begin]; `begin` if none does. `uses`: CountUses's;
// `may_join`: of those operations that are done part by part at all.
template <typename F>
size_t EndOfMaskChain(const ir::Function& function, const std::vector<uint32_t>& uses,
                      const std::vector<ir::Value>& ops, size_t begin, const F& may_join) {
  const auto feeds_next = [&](size_t at) {
    const ir::Inst& inst = function[ops[at]];
    if (inst.type != ir::Type::kV32 || ir::InfoOf(inst.op).effect != ir::Effect::kPure)
      return false;
    if (inst.op == ir::Op::kPart) return false;  // comes with its load
    if (uses[ops[at].id] != 1 || at + 1 == ops.size()) return false;
    const ir::Inst& next = function[ops[at + 1]];
    for (int n = 0; n < next.argument_count; ++n) {
      if (next.args[n] == ops[at]) return true;
    }
    return false;
  };
  size_t end = begin;
  while (end < ops.size() && feeds_next(end) && may_join(ops[end])) ++end;
  const size_t first_mask = end;
  while (end < ops.size() && MakesMask(function[ops[end]]) && may_join(ops[end])) ++end;
  return end == first_mask ? begin : end;
}

}  // namespace gcnjit::backend
