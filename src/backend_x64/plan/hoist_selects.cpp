#include "backend_x64/plan/hoist_selects.h"

#include <algorithm>
#include <cstddef>
#include <span>
#include <utility>

#include "backend_x64/plan/mask_chains.h"

namespace gcnjit::backend {

using ir::Inst;
using ir::Op;
using ir::Value;

namespace {

// Operations that a select may pass: of a long loop not all are looked at.
constexpr size_t kFarthest = 64;

std::span<const Value> ArgumentsOf(const Inst& inst) {
  return {inst.args, static_cast<size_t>(inst.argument_count)};
}

bool Uses(const Inst& inst, Value v) {
  const std::span<const Value> arguments = ArgumentsOf(inst);
  return std::find(arguments.begin(), arguments.end(), v) != arguments.end();
}

// Does it choose lanes by a mask, and do nothing else with that?
bool IsMaskedWrite(const ir::Function& function, const Inst& inst) {
  return inst.op == Op::kSelect && function[inst.args[0]].type == ir::Type::kU64 &&
         inst.args[1] != inst.args[0] && inst.args[2] != inst.args[0];
}

// May the operation at `from` be done before the one at `to`, without a register being taken for
// longer than it was?
bool MayMove(const ir::Function& function, const std::vector<Value>& lane_ops, size_t from,
             size_t to, const std::vector<size_t>& last_use) {
  if (from - to > kFarthest) return false;
  const Inst& select = function[lane_ops[from]];
  // The register of what other lanes keep becomes the result's.
  const Value kept = select.args[2];
  if (last_use[kept.id] != from) return false;
  for (size_t at = to; at < from; ++at) {
    if (Uses(select, lane_ops[at]) || Uses(function[lane_ops[at]], kept)) return false;
  }
  return true;
}

}  // namespace

void HoistSelects(const ir::Function& function, const std::vector<uint32_t>& uses,
                  std::vector<Value>& lane_ops) {
  constexpr size_t kNowhere = ~size_t{0};
  // By value: where it is used last, and where by anything but a masked write.
  std::vector<size_t> last_use(function.insts.size(), kNowhere);
  std::vector<size_t> last_other_use(function.insts.size(), kNowhere);
  for (size_t at = 0; at < lane_ops.size(); ++at) {
    const Inst& inst = function[lane_ops[at]];
    for (const Value argument : ArgumentsOf(inst)) last_use[argument.id] = at;
    if (IsMaskedWrite(function, inst)) continue;
    for (const Value argument : ArgumentsOf(inst)) last_other_use[argument.id] = at;
  }
  // Masks that are made one after the other stay together, so that each part's are done at once.
  std::vector<size_t> run_begin(lane_ops.size());
  for (size_t at = 0; at < lane_ops.size();) {
    const size_t begin = at;
    const size_t end = EndOfMaskChain(function, uses, lane_ops, at, [](Value) { return true; });
    do run_begin[at] = begin;
    while (++at < end);
  }
  // A mask only dies earlier if all writes after its last other use are brought before that.
  std::vector<uint8_t> lives_on(function.insts.size(), 0);
  const auto wanted_at = [&](size_t at) {
    const Inst& inst = function[lane_ops[at]];
    const size_t use = IsMaskedWrite(function, inst) ? last_other_use[inst.args[0].id] : kNowhere;
    if (use == kNowhere || use > at) return at;
    const size_t begin = run_begin[use];
    return MayMove(function, lane_ops, at, begin, last_use) ? begin : use;
  };
  for (size_t at = 0; at < lane_ops.size(); ++at) {
    const size_t to = wanted_at(at);
    if (to != at && !MayMove(function, lane_ops, at, to, last_use)) {
      lives_on[function[lane_ops[at]].args[0].id] = 1;
    }
  }
  std::vector<std::pair<size_t, Value>> order;  // twice the new place, odd for operations that stay
  order.reserve(lane_ops.size());
  for (size_t at = 0; at < lane_ops.size(); ++at) {
    const size_t to = wanted_at(at);
    const bool moves = to != at && lives_on[function[lane_ops[at]].args[0].id] == 0;
    order.emplace_back(moves ? to * 2 : at * 2 + 1, lane_ops[at]);
  }
  std::stable_sort(order.begin(), order.end(),
                   [](const auto& x, const auto& y) { return x.first < y.first; });
  std::transform(order.begin(), order.end(), lane_ops.begin(),
                 [](const auto& entry) { return entry.second; });
}

}  // namespace gcnjit::backend
