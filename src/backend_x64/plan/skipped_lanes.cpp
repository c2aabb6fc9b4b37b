#include "backend_x64/plan/skipped_lanes.h"

#include <algorithm>
#include <bit>
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

// Bits of the masks that are empty where an operation, or a use of a value, is not wanted.
using Masks = uint32_t;
constexpr size_t kMostMasks = 32;
// Fewer operations are done for nothing sooner than values are carried from stage to stage.
constexpr int kLeastSkipped = 24;

class SkippedFinder {
 public:
  SkippedFinder(const ir::Function& function, const ir::Block& block)
      : function_(function),
        block_(block),
        without_(function.insts.size(), 0),
        seen_(function.insts.size(), 0) {}

  SkippedLanes Run() {
    SkippedLanes found;
    found.of.assign(function_.insts.size(), 0);
    CollectMasks();
    if (masks_.empty()) return found;
    for (size_t n = block_.insts.size(); n-- > 0;) Follow(block_.insts[n]);
    std::vector<int> operations(masks_.size(), 0);
    for (const Value v : block_.insts) {
      if (const Masks all = WantedMasksOf(v); all != 0) ++operations[First(all)];
    }
    std::vector<uint8_t> is_computed(function_.insts.size(), 0);
    for (const Value v : block_.insts) {
      is_computed[v.id] = 1;
      const Masks all = WantedMasksOf(v);
      if (all == 0 || operations[First(all)] < kLeastSkipped) continue;
      const Value mask = masks_[First(all)];
      // What was computed before the mask is known stays there.
      if (is_computed[mask.id] == 0) continue;
      found.of[v.id] = static_cast<uint8_t>(IndexOf(mask, found.masks) + 1);
    }
    return found;
  }

 private:
  void CollectMasks() {
    for (const Value v : block_.insts) {
      const Inst& inst = function_[v];
      if (inst.op != Op::kSkipped || inst.aux == 0 || masks_.size() == kMostMasks) continue;
      const Value mask = inst.args[0];
      if (function_[mask].op == Op::kConst) continue;
      masks_.push_back(mask);
      idle_.emplace_back(function_, mask);
    }
  }

  // Bodies within bodies are the outer one's.
  static size_t First(Masks masks) { return static_cast<size_t>(std::countr_zero(masks)); }
  static size_t IndexOf(Value mask, std::vector<Value>& masks) {
    const auto at = std::find(masks.begin(), masks.end(), mask);
    const auto index = static_cast<size_t>(at - masks.begin());
    if (at == masks.end()) masks.push_back(mask);
    return index;
  }

  // Of an operation on lanes; 0: of any other.
  Masks WantedMasksOf(Value v) const {
    const Inst& inst = function_[v];
    if (inst.op == Op::kConst || inst.op == Op::kGetVgpr) return 0;
    return IsDoneInLanes(inst) ? without_[v.id] : 0;
  }

  static bool IsDoneInLanes(const Inst& inst) {
    const Effect effect = ir::InfoOf(inst.op).effect;
    if (effect == Effect::kPure) return ir::IsLanes(inst.type) || inst.type == Type::kU64;
    if (effect == Effect::kRead) return ir::IsLanes(inst.type);
    return effect == Effect::kWrite;
  }

  Masks All() const { return masks_.size() == kMostMasks ? ~0u : (1u << masks_.size()) - 1; }

  // Of which of them is the lane mask a part?
  Masks PartOf(Value mask) {
    Masks parts = 0;
    for (size_t n = 0; n < masks_.size(); ++n) {
      if (idle_[n].MaskOf(mask).IsZero()) parts |= Masks{1} << n;
    }
    return parts;
  }

  // Uses come before what they use.
  void Follow(Value v) {
    const Inst& inst = function_[v];
    const Effect effect = ir::InfoOf(inst.op).effect;
    Masks own = seen_[v.id] != 0 ? without_[v.id] : effect == Effect::kWrite ? All() : 0;
    if (effect == Effect::kRead || effect == Effect::kWrite) {
      Value mask;
      for (int n = 0; n < inst.argument_count; ++n) {
        if (function_[inst.args[n]].type == Type::kU64 && ir::TakesMask(inst, n))
          mask = inst.args[n];
      }
      own &= mask ? PartOf(mask) : 0;
    }
    if (!IsDoneInLanes(inst)) own = 0;
    without_[v.id] = own;
    for (int n = 0; n < inst.argument_count; ++n) Use(inst.args[n], own | UseMasks(inst, n));
  }

  // Where is an argument not wanted, though the result may be?
  Masks UseMasks(const Inst& inst, int argument) {
    const bool selects_lanes = inst.op == Op::kSelect && function_[inst.args[0]].type == Type::kU64;
    if (selects_lanes) return argument == 1 ? PartOf(inst.args[0]) : 0;
    if (inst.type != Type::kU64) return 0;
    // Of two parts the first is wanted: it must be empty there for the second not to be.
    if (inst.op == Op::kAnd && argument == 0) return PartOf(inst.args[1]) & ~PartOf(inst.args[0]);
    const bool is_narrowed = inst.op == Op::kAnd || inst.op == Op::kAndNot;
    return is_narrowed && argument == 1 ? PartOf(inst.args[0]) : 0;
  }

  void Use(Value v, Masks masks) {
    without_[v.id] = seen_[v.id] != 0 ? without_[v.id] & masks : masks;
    seen_[v.id] = 1;
  }

  const ir::Function& function_;
  const ir::Block& block_;
  std::vector<Value> masks_;
  std::vector<IdleLanes> idle_;  // for each of them
  std::vector<Masks> without_;   // by value id: of its uses so far, then its own
  std::vector<uint8_t> seen_;    // has it been used?
};

}  // namespace

SkippedLanes FindSkippedLanes(const ir::Function& function, const ir::Block& block) {
  return SkippedFinder(function, block).Run();
}

}  // namespace gcnjit::backend
