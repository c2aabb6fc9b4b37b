#include "backend_x64/plan/empty_slices.h"

#include <algorithm>
#include <array>

#include "backend_x64/plan/idle_lanes.h"
#include "backend_x64/plan/stages.h"
#include "ir/analysis/uses.h"

namespace gcnjit::backend {
namespace {

using ir::Effect;
using ir::Inst;
using ir::Op;
using ir::Type;
using ir::Value;

constexpr int kElsewhere = -1;  // no stage's operation

class EmptySliceFinder {
 public:
  EmptySliceFinder(const ir::Function& function, const ir::Block& block, const Wanted& wanted,
                   const std::vector<ir::LaneShape>& shapes, int lanes_per_register,
                   StagePlan& plan, Value active)
      : plan_(plan),
        function_(function),
        block_(block),
        wanted_(wanted),
        shapes_(shapes),
        lanes_per_register_(lanes_per_register),
        idle_(function, active),
        lanes_of_(function.insts.size(), kElsewhere),
        scalars_of_(function.insts.size(), kElsewhere),
        users_(function.insts.size()) {
    for (size_t n = 0; n < plan.stages.size(); ++n) {
      for (const Value v : plan.stages[n].lane_ops) lanes_of_[v.id] = static_cast<int>(n);
      for (const Value v : plan.stages[n].scalar_ops) scalars_of_[v.id] = static_cast<int>(n);
    }
    for (const Value v : block.insts) {
      if (function[v].op == Op::kGetVgpr) reader_of_[static_cast<size_t>(function[v].imm)] = v;
      for (int n = 0; n < function[v].argument_count; ++n) {
        users_[function[v].args[n].id].push_back(v);
      }
    }
  }

  // Is EXEC within the active lanes throughout the block?
  bool HasAllOfExec() {
    const auto is_within = [&](Value v) {
      return function_[v].op != Op::kNoteExec || idle_.MaskOf(function_[v].args[0]).IsZero();
    };
    return idle_.ExecIsZero() && std::all_of(block_.insts.begin(), block_.insts.end(), is_within);
  }

  // From stage `first` on. The last stage first: what reads a stage's lanes must leave out its
  // slices as well.
  void Run(size_t first) {
    for (size_t n = plan_.stages.size(); n-- > first;) {
      if (SlicesOf(plan_.stages[n], wanted_, lanes_per_register_) == 1) continue;
      std::vector<IdleMask> masks;
      const std::vector<Value>& ops = plan_.stages[n].lane_ops;
      const bool ok = std::all_of(ops.begin(), ops.end(),
                                  [&](Value v) { return HasNoEffect(v) && IsUnread(v, masks); });
      if (ok) plan_.stages[n].idle_masks = std::move(masks);
    }
  }

 private:
  bool HasNoEffect(Value v) {
    const Inst& inst = function_[v];
    switch (ir::InfoOf(inst.op).effect) {
      case Effect::kPure: return true;
      case Effect::kRead:
      case Effect::kWrite: return TakesNoIdleLane(inst);
      default: break;
    }
    if (inst.op == Op::kGetVgprAt) return true;
    if (inst.op != Op::kSetVgpr) return false;
    return IsOldUnread(inst.imm, lanes_of_[v.id]) &&
           ((inst.aux != 0 && !IsKnown(v)) || idle_.KeepVgpr(inst.args[0], inst.imm));
  }

  // Does nothing read, after stage `own` has written a VGPR, what that had before? Slices that do
  // not write it do not keep that either.
  bool IsOldUnread(int64_t vgpr, int own) const {
    const Value reader = reader_of_[static_cast<size_t>(vgpr)];
    if (!reader) return true;
    const std::vector<Value>& users = users_[reader.id];
    return std::all_of(users.begin(), users.end(), [&](Value user) {
      const int lanes = lanes_of_[user.id];
      const int scalars = scalars_of_[user.id];
      if (lanes == kElsewhere) return scalars != kElsewhere && scalars <= own;
      return lanes <= own || IsLeftOutWith(lanes, own);
    });
  }

  bool TakesNoIdleLane(const Inst& inst) {
    for (int n = 0; n < inst.argument_count; ++n) {
      if (function_[inst.args[n]].type == Type::kU64 && ir::TakesMask(inst, n)) {
        return idle_.MaskOf(inst.args[n]).IsZero();
      }
    }
    return false;
  }

  // Nothing reads the operation's result but what is left out as well, and readers of masks.
  bool IsUnread(Value v, std::vector<IdleMask>& masks) {
    const int own = lanes_of_[v.id];
    const std::vector<Value>& users = users_[v.id];
    const auto is_own = [&](Value user) { return lanes_of_[user.id] == own; };
    if (std::all_of(users.begin(), users.end(), is_own)) return true;
    if (function_[v].type == Type::kU64) return TakeMask(v, masks);
    if (IsKnown(v)) return false;
    return std::all_of(users.begin(), users.end(), [&](Value user) {
      return lanes_of_[user.id] == own || IsLeftOutWith(lanes_of_[user.id], own);
    });
  }

  // Is anything known of the lanes of a value, or of what is written to a VGPR?
  bool IsKnown(Value v) const { return shapes_[v.id].run != 1; }

  // Are slices of a later stage left out where those of `own` are? Wider ones need not be empty.
  bool IsLeftOutWith(int later, int own) const {
    if (later == kElsewhere) return false;
    const Stage& stage = plan_.stages[static_cast<size_t>(later)];
    return stage.idle_masks &&
           stage.slice_parts <= plan_.stages[static_cast<size_t>(own)].slice_parts;
  }

  // A mask that is read elsewhere.
  bool TakeMask(Value v, std::vector<IdleMask>& masks) {
    const IdleLanes::Mask mask = idle_.MaskOf(v);
    if (mask.kind == IdleLanes::Mask::Kind::kUnknown) return false;
    masks.push_back({v, mask.IsZero() ? std::nullopt : std::optional(static_cast<int>(mask.pair))});
    return true;
  }

  StagePlan& plan_;
  const ir::Function& function_;
  const ir::Block& block_;
  const Wanted& wanted_;
  const std::vector<ir::LaneShape>& shapes_;
  const int lanes_per_register_;
  IdleLanes idle_;
  std::vector<int> lanes_of_;                  // by value id: the stage whose slices compute it
  std::vector<int> scalars_of_;                // whose scalar part does
  std::vector<std::vector<Value>> users_;      // by value id
  std::array<Value, ir::kVgprs> reader_of_{};  // by VGPR: the block's read of it
};

}  // namespace

void FindEmptySlices(const ir::Function& function, const ir::Block& block, const Wanted& wanted,
                     const std::vector<ir::LaneShape>& shapes, int lanes_per_register,
                     StagePlan& plan) {
  for (const Value v : block.insts) {
    const Inst& inst = function[v];
    const bool is_exec = inst.op == Op::kGetSgpr64 && inst.imm == ir::kExec;
    if (!is_exec && inst.op != Op::kNoteExec) continue;
    const Value active = is_exec ? v : inst.args[0];
    if (function[active].op == Op::kConst || plan.is_sliced[active.id] != 0) continue;
    EmptySliceFinder finder(function, block, wanted, shapes, lanes_per_register, plan, active);
    if (!finder.HasAllOfExec()) continue;
    plan.active = active;
    finder.Run(static_cast<size_t>(plan.stage_of[active.id]));
    return;
  }
}

}  // namespace gcnjit::backend
