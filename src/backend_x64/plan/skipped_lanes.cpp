#include "backend_x64/plan/skipped_lanes.h"

#include <algorithm>
#include <vector>

#include "backend_x64/plan/idle_lanes.h"
#include "ir/analysis/uses.h"

namespace gcnjit::backend {
namespace {

using ir::Effect;
using ir::Inst;
using ir::Op;
using ir::Type;
using ir::Value;

constexpr size_t kMostMasks = 32;
// Fewer operations are done for nothing sooner than values are carried from stage to stage.
constexpr int kLeastSkipped = 24;

bool IsDoneInLanes(const Inst& inst) {
  if (inst.op == Op::kConst || inst.op == Op::kGetVgpr) return false;
  const Effect effect = ir::InfoOf(inst.op).effect;
  if (effect == Effect::kPure) return ir::IsLanes(inst.type) || inst.type == Type::kU64;
  if (effect == Effect::kRead) return ir::IsLanes(inst.type);
  return effect == Effect::kWrite;
}

// What nothing wants where one mask is empty. Operations that are skipped with another mask are
// executed whether this one is empty or not.
class Unwanted {
 public:
  Unwanted(const ir::Function& function, const ir::Block& block, Value mask,
           const std::vector<uint8_t>& skipped)
      : function_(function),
        idle_(function, mask),
        is_wanted_(function.insts.size(), 0),
        is_used_(function.insts.size(), 0) {
    for (size_t n = block.insts.size(); n-- > 0;) {
      const Value v = block.insts[n];
      const bool is_own = skipped[v.id] == 0 && MayLeaveOut(v);
      if (!is_own) is_wanted_[v.id] = 1;
      // Uses come before what they use.
      const Inst& inst = function[v];
      for (int use = 0; use < inst.argument_count; ++use) {
        is_used_[inst.args[use].id] = 1;
        if (!is_own && !IsExcused(inst, use)) is_wanted_[inst.args[use].id] = 1;
      }
    }
  }

  bool Has(Value v) const { return is_wanted_[v.id] == 0; }

 private:
  bool MayLeaveOut(Value v) {
    const Inst& inst = function_[v];
    if (is_wanted_[v.id] != 0 || !IsDoneInLanes(inst)) return false;
    const Effect effect = ir::InfoOf(inst.op).effect;
    if (effect == Effect::kPure) return is_used_[v.id] != 0;
    for (int n = 0; n < inst.argument_count; ++n) {
      if (function_[inst.args[n]].type == Type::kU64 && ir::TakesMask(inst, n))
        return IsEmpty(inst.args[n]);
    }
    return false;
  }

  // Is a lane mask empty where the body's is?
  bool IsEmpty(Value mask) { return idle_.MaskOf(mask).IsZero(); }

  // Does it not matter what the argument is, since another one is an empty mask?
  bool IsExcused(const Inst& inst, int argument) {
    if (argument != 1) {
      // Of two empty masks the first is wanted, or neither would be empty.
      return argument == 0 && inst.op == Op::kAnd && inst.type == Type::kU64 &&
             IsEmpty(inst.args[1]) && !IsEmpty(inst.args[0]);
    }
    const bool is_narrowed =
        inst.type == Type::kU64 && (inst.op == Op::kAnd || inst.op == Op::kAndNot);
    const bool is_chosen = inst.op == Op::kSelect && function_[inst.args[0]].type == Type::kU64;
    return (is_narrowed || is_chosen) && IsEmpty(inst.args[0]);
  }

  const ir::Function& function_;
  IdleLanes idle_;
  std::vector<uint8_t> is_wanted_;  // by value id
  std::vector<uint8_t> is_used_;    // likewise
};

}  // namespace

SkippedLanes FindSkippedLanes(const ir::Function& function, const ir::Block& block) {
  SkippedLanes found;
  found.of.assign(function.insts.size(), 0);
  // Bodies within bodies are the outer one's, which comes first.
  for (const Value skipped : block.insts) {
    const Inst& inst = function[skipped];
    if (inst.op != Op::kSkipped || inst.aux == 0 || found.masks.size() == kMostMasks) continue;
    const Value mask = inst.args[0];
    if (function[mask].op == Op::kConst) continue;
    const Unwanted unwanted(function, block, mask, found.of);
    // What was computed before the mask is known stays there.
    const auto begin = std::find(block.insts.begin(), block.insts.end(), mask);
    const auto count =
        std::count_if(begin, block.insts.end(), [&](Value v) { return unwanted.Has(v); });
    if (begin == block.insts.end() || count < kLeastSkipped) continue;
    found.masks.push_back(mask);
    for (auto at = begin; at != block.insts.end(); ++at) {
      if (unwanted.Has(*at)) found.of[at->id] = static_cast<uint8_t>(found.masks.size());
    }
  }
  return found;
}

}  // namespace gcnjit::backend
