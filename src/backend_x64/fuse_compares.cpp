#include "backend_x64/fuse_compares.h"

#include <algorithm>

namespace gcnjit::backend {

using ir::Inst;
using ir::Op;
using ir::Type;
using ir::Value;

namespace {

// A compare of lanes of 32 bits. (64 bits take two instructions and one that joins their masks.)
bool IsNarrowCompare(const ir::Function& function, const Inst& inst) {
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
  return inst.type == Type::kU64 && !ir::Is64(function[inst.args[0]].type) &&
         !ir::Is64(function[inst.args[1]].type);
}

}  // namespace

std::vector<uint32_t> CountUses(const ir::Function& function, const ir::Block& block) {
  std::vector<uint32_t> uses(function.insts.size(), 0);
  for (const Value v : block.insts) {
    const Inst& inst = function[v];
    for (int n = 0; n < inst.argument_count; ++n) ++uses[inst.args[n].id];
  }
  return uses;
}

void FuseCompares(const ir::Function& function, const std::vector<uint32_t>& uses,
                  std::vector<Value>& lane_ops, std::vector<uint8_t>& is_fused) {
  // Compares that may still move down: a VGPR is overwritten behind its last use.
  std::vector<Value> candidates;
  std::vector<Value> order;
  order.reserve(lane_ops.size());
  for (const Value v : lane_ops) {
    const Inst& inst = function[v];
    if (inst.op == Op::kSetVgpr) candidates.clear();
    if (inst.type == Type::kU64 && (inst.op == Op::kAnd || inst.op == Op::kAndNot)) {
      // The latest of two; of andnot only what is complemented.
      const auto is_argument = [&](Value compare) {
        return compare == inst.args[1] || (inst.op == Op::kAnd && compare == inst.args[0]);
      };
      const auto found = std::find_if(candidates.rbegin(), candidates.rend(), is_argument);
      if (found != candidates.rend()) {
        const Value compare = *found;
        is_fused[compare.id] = 1;
        order.erase(std::find(order.rbegin(), order.rend(), compare).base() - 1);
        order.push_back(compare);
        candidates.erase(found.base() - 1);
      }
    } else if (IsNarrowCompare(function, inst) && uses[v.id] == 1) {
      is_fused[v.id] = 0;
      candidates.push_back(v);
    }
    order.push_back(v);
  }
  lane_ops = std::move(order);
}

}  // namespace gcnjit::backend
