#include "backend_x64/plan/fuse_compares.h"

#include <cstddef>
#include <utility>

#include "ir/analysis/uses.h"

namespace gcnjit::backend {

using ir::Inst;
using ir::Op;
using ir::Type;
using ir::Value;

void FuseCompares(const ir::Function& function, const std::vector<uint32_t>& uses,
                  std::vector<Value>& lane_ops, std::vector<uint8_t>& is_fused) {
  constexpr size_t kNowhere = 0;
  // By value, from 1: where a compare is that may be fused.
  std::vector<size_t> place(function.insts.size(), kNowhere);
  // By place: the compare that the operation there takes in.
  std::vector<Value> taken(lane_ops.size() + 1);
  size_t first = 1;  // compares may not move past a written VGPR: it is overwritten after its uses
  for (size_t at = 1; at <= lane_ops.size(); ++at) {
    const Value v = lane_ops[at - 1];
    const Inst& inst = function[v];
    if (inst.op == Op::kSetVgpr || inst.op == Op::kSetVgprAt) first = at;
    if (ir::IsNarrowCompare(function, inst) && uses[v.id] == 1) {
      is_fused[v.id] = 0;
      place[v.id] = at;
    }
    if (inst.type != Type::kU64 || (inst.op != Op::kAnd && inst.op != Op::kAndNot)) continue;
    // The later one of two; of andnot only what is complemented.
    Value compare = inst.args[1];
    if (inst.op == Op::kAnd && place[inst.args[0].id] > place[compare.id]) compare = inst.args[0];
    if (place[compare.id] == kNowhere || place[compare.id] < first) continue;
    is_fused[compare.id] = 1;
    taken[at] = compare;
  }
  std::vector<Value> order;
  order.reserve(lane_ops.size());
  for (size_t at = 1; at <= lane_ops.size(); ++at) {
    const Value v = lane_ops[at - 1];
    if (is_fused[v.id] != 0) continue;
    if (taken[at]) order.push_back(taken[at]);
    order.push_back(v);
  }
  lane_ops = std::move(order);
}

}  // namespace gcnjit::backend
