#include "backend_x64/plan/loops.h"

#include <algorithm>
#include <bitset>

#include "backend_x64/plan/from_memory.h"
#include "backend_x64/plan/fuse_compares.h"
#include "backend_x64/plan/idle_lanes.h"
#include "backend_x64/plan/slice_masks.h"
#include "backend_x64/plan/stages.h"
#include "backend_x64/plan/streams.h"
#include "ir/analysis/uses.h"
#include "ir/rewrite/exit_masks.h"

namespace gcnjit::backend {
namespace {

using ir::Effect;
using ir::Inst;
using ir::Op;
using ir::Type;
using ir::Value;

class LoopFinder {
 public:
  LoopFinder(const ir::Function& function, const ir::Block& block, const StagePlan& plan,
             LoopAccesses accesses)
      : function_(function), block_(block), plan_(plan), accesses_(accesses) {}

  std::optional<LoopPlan> Find() {
    if (!FindBranch() || !CheckEffects()) return std::nullopt;
    CollectSets();
    if (!CheckMasks()) return std::nullopt;
    const bool ok = loop_.until_no_lane ? IsTransparent() : IsTheSameForAllSlices();
    if (!ok) return std::nullopt;
    if (loop_.until_no_lane) TakeCollectors();
    CollectReads();
    loop_.streams = FindStreams(function_, block_);
    loop_.stores_rows = loop_.stores && StoresRows(function_, block_);
    return std::move(loop_);
  }

 private:
  const Inst& Of(Value v) const { return function_[v]; }
  bool IsSliced(Value v) const { return plan_.is_sliced[v.id] != 0; }

  bool FindBranch() {
    const Inst& branch = Of(block_.insts.back());
    const bool first = block_.targets[0] == block_.begin;
    loop_.branch.after = block_.targets[first ? 1 : 0];
    loop_.branch.continues_if = first;
    loop_.branch.condition = branch.args[0];
    if (plan_.stages[0].lane_ops.empty()) return false;
    if (plan_.stages.size() == 1) return true;
    // The second kind: a stage of its own for the test of the mask, and nothing else.
    if (plan_.stages.size() != 2 || !plan_.stages[1].lane_ops.empty()) return false;
    const std::vector<Value>& tests = plan_.stages[1].scalar_ops;
    if (tests.size() != 1 || !(tests[0] == loop_.branch.condition)) return false;
    const Inst& test = Of(loop_.branch.condition);
    if (test.op != Op::kNe && test.op != Op::kEq) return false;
    const Inst& zero = Of(test.args[1]);
    if (zero.op != Op::kConst || zero.imm != 0 || !IsSliced(test.args[0])) return false;
    if ((test.op == Op::kNe) != loop_.branch.continues_if) return false;
    for (const Value v : plan_.final_ops) {
      const Inst& inst = Of(v);
      if (inst.op != Op::kBranch && inst.args[0] == loop_.branch.condition) return false;
    }
    loop_.until_no_lane = true;
    loop_.branch.condition = test.args[0];
    return true;
  }

  bool CheckEffects() {
    for (const Value v : block_.insts) {
      const Op op = Of(v).op;
      const Effect effect = ir::InfoOf(op).effect;
      if (effect == Effect::kWhole) return false;
      if (effect == Effect::kWrite) {
        if (accesses_ != LoopAccesses::kDisjoint || op != Op::kStore) return false;
        loop_.stores = true;
      }
      if (op == Op::kSetMode) return false;
      if (op == Op::kSkipped) {
        if (!IsSliced(Of(v).args[0])) return false;
        loop_.skips.push_back(v);
      }
      if (op == Op::kGetVgprAt || op == Op::kSetVgprAt || op == Op::kMatrix) return false;
      reads_memory_ |= effect == Effect::kRead;
      notes_exec_ |= op == Op::kNoteExec;
      // v_writelane writes whatever EXEC is.
      if (op == Op::kLaneId && loop_.until_no_lane) return false;
    }
    return loop_.skips.size() <= LoopPlan::kMostSkips;
  }

  void CollectSets() {
    for (const Value v : plan_.stages[0].lane_ops) {
      if (Of(v).op == Op::kSetVgpr) loop_.lanes.sets.push_back(v);
    }
    for (const Value v : plan_.final_ops) {
      const Inst& inst = Of(v);
      if (inst.op == Op::kSetSgpr64 && IsSliced(inst.args[0])) {
        loop_.lanes.sets.push_back(v);
        mask_pairs_.set(static_cast<size_t>(inst.imm));
      } else if (inst.op == Op::kSetSgpr || inst.op == Op::kSetSgpr64) {
        written_.set(static_cast<size_t>(inst.imm));
        if (inst.op == Op::kSetSgpr64) written_.set(static_cast<size_t>(inst.imm) + 1);
      } else if (inst.op == Op::kSetScc) {
        written_.set(kScc);
      }
    }
  }

  // Lane masks that the loop carries are masks everywhere in it.
  bool CheckMasks() {
    for (size_t pair = 0; pair < 128; ++pair) {
      if (!mask_pairs_.test(pair)) continue;
      if (written_.test(pair) || written_.test(pair + 1) || mask_pairs_.test(pair + 1))
        return false;
    }
    const bool changes_exec = notes_exec_ || mask_pairs_.test(ir::kExec) ||
                              written_.test(ir::kExec) || written_.test(ir::kExec + 1);
    // Faults are reported with EXEC as it was for all slices.
    if (reads_memory_ && changes_exec && !loop_.until_no_lane) return false;
    loop_.is_undone_if_fault =
        (reads_memory_ && loop_.until_no_lane) || accesses_ != LoopAccesses::kAny;
    std::vector<uint8_t> is_carried(function_.insts.size(), 0);
    for (const Value v : block_.insts) {
      const Inst& inst = Of(v);
      if (inst.op == Op::kNoteExec) continue;
      if (inst.op == Op::kGetSgpr64) {
        const auto pair = static_cast<size_t>(inst.imm);
        if (mask_pairs_.test(pair)) {
          is_carried[v.id] = 1;
        } else if (mask_pairs_.test(pair + 1) || (pair > 0 && mask_pairs_.test(pair - 1))) {
          return false;
        }
      } else if (inst.op == Op::kGetSgpr) {
        const auto sgpr = static_cast<size_t>(inst.imm);
        if (mask_pairs_.test(sgpr) || (sgpr > 0 && mask_pairs_.test(sgpr - 1))) return false;
      }
      for (int n = 0; n < inst.argument_count; ++n) {
        if (is_carried[inst.args[n].id] == 0) continue;
        if (!IsSliced(v) || !ir::TakesMask(inst, n)) return false;
      }
    }
    return true;
  }

  // The branch must not depend on memory, which another group may change between two slices: not in
  // this iteration and not by registers that it leaves to the next.
  bool IsTheSameForAllSlices() const {
    return FindFromMemory(function_, block_)[loop_.branch.condition.id] == 0 &&
           !IsSliced(loop_.branch.condition);
  }

  bool IsTransparent() {
    bool sets_exec = false;
    // EXEC within the loop, where it may have grown.
    for (const Value v : block_.insts) {
      const Inst& inst = Of(v);
      if (inst.op == Op::kNoteExec && !idle_.MaskOf(inst.args[0]).IsZero()) {
        return false;
      }
    }
    for (const Value v : loop_.lanes.sets) {
      const Inst& set = Of(v);
      if (set.op == Op::kSetSgpr64) {
        const IdleLanes::Mask mask = idle_.MaskOf(set.args[0]);
        if (set.imm == ir::kExec) {
          sets_exec = set.args[0] == loop_.branch.condition && mask.IsZero();
          if (!sets_exec) return false;
        } else if (mask.kind != IdleLanes::Mask::Kind::kPair || mask.pair != set.imm) {
          return false;
        }
        continue;
      }
      if (set.aux == 0 && !idle_.KeepVgpr(set.args[0], set.imm)) return false;
    }
    return sets_exec;
  }

  void TakeCollectors() {
    const std::vector<uint32_t> uses = ir::CountUses(function_, block_);
    const auto collects = [&](Value set) {
      return ir::IsCollector(function_, uses, set, loop_.branch.condition);
    };
    const auto collectors = std::stable_partition(loop_.lanes.sets.begin(), loop_.lanes.sets.end(),
                                                  [&](Value set) { return !collects(set); });
    loop_.lanes.collectors.assign(collectors, loop_.lanes.sets.end());
    loop_.lanes.sets.erase(collectors, loop_.lanes.sets.end());
    for (const Value set : loop_.lanes.collectors)
      mask_pairs_.reset(static_cast<size_t>(Of(set).imm));
  }

  void CollectReads() {
    std::bitset<ir::kVgprs> written_vgprs;
    for (const Value v : loop_.lanes.sets) {
      if (Of(v).op == Op::kSetVgpr) written_vgprs.set(static_cast<size_t>(Of(v).imm));
    }
    for (const Value v : block_.insts) {
      const Inst& inst = Of(v);
      const auto at = static_cast<size_t>(inst.imm);
      if (inst.op == Op::kGetVgpr) {
        (written_vgprs.test(at) ? loop_.lanes.carried : loop_.lanes.invariant).push_back(v);
      } else if (inst.op == Op::kGetSgpr64 && mask_pairs_.test(at)) {
        loop_.lanes.carried.push_back(v);
      }
    }
  }

  static constexpr size_t kScc = 128;

  const ir::Function& function_;
  const ir::Block& block_;
  const StagePlan& plan_;
  const LoopAccesses accesses_;
  LoopPlan loop_;
  bool reads_memory_ = false;
  bool notes_exec_ = false;
  std::bitset<kScc + 2> mask_pairs_;
  std::bitset<kScc + 2> written_;
  IdleLanes idle_{function_};
};

}  // namespace

std::optional<LoopPlan> PlanLoop(const ir::Function& function, const ir::Block& block,
                                 StagePlan& plan, LoopAccesses accesses) {
  if (!function.BranchesToItself(block) || plan.stages.empty()) return std::nullopt;
  StagePlan of_loop = plan;
  SliceMasks(function, block, of_loop);
  std::optional<LoopPlan> loop = LoopFinder(function, block, of_loop, accesses).Find();
  if (!loop) return loop;
  plan = std::move(of_loop);
  plan.stages.resize(1);
  plan.MoveToLanes(block, plan.final_ops, loop->skips);
  std::vector<uint8_t> is_gone(function.insts.size(), 0);
  for (const Value v : loop->lanes.sets) is_gone[v.id] = 1;
  // No fault is reported with an EXEC that the loop has changed.
  for (const Value v : block.insts) {
    if (function[v].op == Op::kNoteExec) is_gone[v.id] = 1;
  }
  const std::vector<uint32_t> uses = ir::CountUses(function, block);
  for (const Value v : loop->lanes.collectors) {
    is_gone[v.id] = 1;
    for (const Value of : ir::OperationsOf(function, v)) {
      is_gone[of.id] = 1;
      // A copy of a compare that is for this alone (clone_compares.h).
      for (int n = 0; n < function[of].argument_count; ++n) {
        const Value arg = function[of].args[n];
        if (uses[arg.id] == 1 && ir::InfoOf(function[arg].op).effect == ir::Effect::kPure) {
          is_gone[arg.id] = 1;
        }
      }
    }
  }
  const auto goes = [&](Value v) { return is_gone[v.id] != 0; };
  std::erase_if(plan.stages[0].scalar_ops, goes);
  std::erase_if(plan.stages[0].lane_ops, goes);
  std::erase_if(plan.final_ops, goes);
  for (const Value v : loop->lanes.carried) {
    if (function[v].type == Type::kU64) plan.is_sliced[v.id] = 1;
  }
  return loop;
}

}  // namespace gcnjit::backend
