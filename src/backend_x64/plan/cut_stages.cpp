#include "backend_x64/plan/cut_stages.h"

#include <algorithm>

#include "backend_x64/plan/skipped_lanes.h"
#include "backend_x64/plan/whole_masks.h"
#include "ir/analysis/uses.h"

namespace gcnjit::backend {
namespace {

using ir::Effect;
using ir::Inst;
using ir::Op;
using ir::Type;
using ir::Value;

// Memory that an access may touch, as bits.
constexpr int kGlobalBit = 1;
constexpr int kLdsBit = 2;
int SpacesOf(const Inst& inst) {
  switch (inst.op) {
    case Op::kLoadLds:
    case Op::kStoreLds:
    case Op::kAtomicLds: return kLdsBit;
    case Op::kLoadScalar: return kGlobalBit;
    default: return inst.access().space == ir::Space::kFlat ? kGlobalBit | kLdsBit : kGlobalBit;
  }
}

class StageCutter {
 public:
  StageCutter(const ir::Function& function, const ir::Block& block, LoopAccesses accesses,
              bool for_loop)
      : function_(function), block_(block), accesses_(accesses) {
    plan_.stage_of.assign(function.insts.size(), 0);
    plan_.is_sliced.assign(function.insts.size(), 0);
    plan_.is_fused.assign(function.insts.size(), 0);
    plan_.is_wave_mask.assign(function.insts.size(), 0);
    // A loop that slices run to its end is one stage.
    if (!function.BranchesToItself(block)) skipped_ = FindSkippedLanes(function, block);
    if (!for_loop && skipped_.of.empty()) is_whole_ = FindWholeMasks(function, block);
  }

  StagePlan Run() {
    for (const Value v : block_.insts) Place(v);
    return std::move(plan_);
  }

 private:
  void Place(Value v) {
    const Inst& inst = function_[v];
    const Effect effect = ir::InfoOf(inst.op).effect;
    if (effect == Effect::kEnd || inst.op == Op::kSetSgpr || inst.op == Op::kSetSgpr64 ||
        inst.op == Op::kSetScc || inst.op == Op::kSetMode || inst.op == Op::kSkipped ||
        inst.op == Op::kMatrix) {
      plan_.final_ops.push_back(v);
      return;
    }
    if (inst.op == Op::kGetVgpr || inst.op == Op::kConst) return;  // where they are from the start
    const bool whole = effect == Effect::kWhole && !MayBeInSlice(inst);
    if (inst.op == Op::kNoteExec && plan_.is_sliced[inst.args[0].id] != 0) {
      return;  // the slices store it
    }
    const bool lanes = !whole && WorksOnLanes(v);
    int stage = 0;
    for (int n = 0; n < inst.argument_count; ++n) {
      const Value arg = inst.args[n];
      const int ready = plan_.stage_of[arg.id];
      const bool whole_argument = !lanes || effect == Effect::kWhole ||
                                  (function_[arg].type == Type::kU64 && !ir::TakesMask(inst, n));
      stage = std::max(stage, plan_.is_sliced[arg.id] && whole_argument ? ready + 1 : ready);
    }
    if (effect == Effect::kRead || effect == Effect::kWrite) {
      stage = std::max(stage, MemoryStage(inst, effect));
    } else if (lanes) {
      // In the last access's stage, not before it: fewer values cross from stage to stage.
      stage = std::max(stage, last_access_);
    }
    // VGPRs are written after reads whose numbers are not known, and before writes.
    if (inst.op == Op::kGetVgprAt) vgpr_read_at_ = std::max(vgpr_read_at_, stage);
    if (inst.op == Op::kSetVgpr) stage = std::max(stage, vgpr_read_at_);
    if (inst.op == Op::kSetVgprAt) {
      stage = std::max(stage, static_cast<int>(plan_.stages.size()) - 1);
    }
    if (inst.op == Op::kPart) {
      stage = plan_.stage_of[inst.args[0].id];
    } else if (lanes) {
      stage = FirstFrom(stage, skipped_.of.empty() ? Value() : skipped_.MaskOf(v));
    }
    if (effect == Effect::kRead || effect == Effect::kWrite) NoteAccess(inst, effect, stage);
    plan_.stage_of[v.id] = stage;
    plan_.is_sliced[v.id] = lanes;
    if (static_cast<size_t>(stage) >= plan_.stages.size()) plan_.stages.resize(stage + 1);
    Stage& s = plan_.stages[stage];
    (lanes ? s.lane_ops : s.scalar_ops).push_back(v);
  }

  // The first stage, not before that one, that is skipped without the mask's lanes.
  int FirstFrom(int stage, Value mask) {
    // Where slices make the mask, it is an operation of its stage, which so is not taken.
    if (mask) stage = std::max(stage, plan_.stage_of[mask.id]);
    const auto count = static_cast<int>(plan_.stages.size());
    while (stage < count && !MayTake(plan_.stages[static_cast<size_t>(stage)], mask)) ++stage;
    if (mask) {
      plan_.stages.resize(static_cast<size_t>(std::max(count, stage + 1)));
      plan_.stages[static_cast<size_t>(stage)].skipped_without = mask;
    }
    return stage;
  }
  static bool MayTake(const Stage& stage, Value mask) {
    if (stage.skipped_without == mask) return true;
    return mask && !stage.skipped_without && stage.lane_ops.empty();
  }

  // If it is to be seen when slices are known.
  bool MayBeInSlice(const Inst& inst) const {
    if (inst.op != Op::kPermute) return false;
    const Value source = inst.args[0];
    return plan_.is_sliced[source.id] != 0 || function_[source].op == Op::kGetVgpr;
  }

  bool IsWhole(Value v) const { return !is_whole_.empty() && is_whole_[v.id] != 0; }

  bool WorksOnLanes(Value v) const {
    const Inst& inst = function_[v];
    if (ir::IsLanes(inst.type) || inst.op == Op::kSetVgpr) return true;
    if (inst.op == Op::kSetVgprAt) return true;
    switch (inst.op) {
      case Op::kStore:
      case Op::kStoreSwizzled:
      case Op::kStoreLds:
      case Op::kAtomic:
      case Op::kAtomicLds: return true;
      default: break;
    }
    if (inst.type != Type::kU64) return false;
    switch (inst.op) {
      // A lane mask even if it compares two scalars: that would be a u1 otherwise.
      case Op::kFCmp:
      case Op::kEq:
      case Op::kNe:
      case Op::kLtU:
      case Op::kLeU:
      case Op::kLtS:
      case Op::kLeS: return true;
      default: break;
    }
    bool sliced = false;
    for (int n = 0; n < inst.argument_count; ++n) {
      if (ir::IsLanes(function_[inst.args[n]].type)) return true;  // a compare
      sliced |= plan_.is_sliced[inst.args[n].id] != 0;
    }
    // A mask made slice by slice can be worked on slice by slice.
    return sliced && ir::InfoOf(inst.op).Has(ir::Trait::kBitByBit) && !IsWhole(v);
  }

  // Loads may share a stage; a store must wait for all accesses before it, and all accesses after
  // it for the store.
  int MemoryStage(const Inst& inst, Effect effect) {
    if (accesses_ == LoopAccesses::kDisjoint) return 0;
    int stage = 0;
    const int spaces = SpacesOf(inst);
    const bool writes = effect == Effect::kWrite;
    for (int bit = 0; bit < 2; ++bit) {
      if ((spaces >> bit & 1) == 0) continue;
      stage = std::max(stage, last_store_[bit] + 1);
      if (writes) stage = std::max(stage, last_load_[bit] + 1);
    }
    // Faults count in program order: an access never overtakes another by a stage.
    stage = std::max(stage, last_access_);
    for (const Value arg : inst.args) {
      if (!arg) continue;
      const bool needs_whole = inst.op == Op::kLoadScalar && plan_.is_sliced[arg.id];
      stage = std::max(stage, plan_.stage_of[arg.id] + (needs_whole ? 1 : 0));
    }
    return stage;
  }
  void NoteAccess(const Inst& inst, Effect effect, int stage) {
    if (accesses_ == LoopAccesses::kDisjoint) return;
    const int spaces = SpacesOf(inst);
    for (int bit = 0; bit < 2; ++bit) {
      if ((spaces >> bit & 1) == 0) continue;
      (effect == Effect::kWrite ? last_store_ : last_load_)[bit] = stage;
    }
    last_access_ = stage;
  }

  const ir::Function& function_;
  const ir::Block& block_;
  const LoopAccesses accesses_;
  SkippedLanes skipped_;
  std::vector<uint8_t> is_whole_;  // FindWholeMasks; empty: none is
  StagePlan plan_;
  int last_load_[2] = {-1, -1};
  int last_store_[2] = {-1, -1};
  int last_access_ = 0;
  int vgpr_read_at_ = 0;  // the last stage of a kGetVgprAt
};

}  // namespace

StagePlan CutStages(const ir::Function& function, const ir::Block& block, LoopAccesses accesses,
                    bool for_loop) {
  return StageCutter(function, block, accesses, for_loop).Run();
}

}  // namespace gcnjit::backend
