#include "backend_x64/plan/uniform_prologue.h"

#include <algorithm>
#include <utility>

namespace gcnjit::backend {

using ir::Effect;
using ir::Inst;
using ir::Op;
using ir::Value;

namespace {

// For each load, the first wave looks at each store's window.
constexpr int kMostStores = 4;
// Less is not worth looking for the others.
constexpr int kLeastOperations = 4;

bool IsExec(const Inst& get) {
  const bool is_pair = get.op == Op::kGetSgpr64;
  return get.imm == ir::kExec || get.imm == ir::kExec + 1 || (is_pair && get.imm + 1 == ir::kExec);
}

class ScalarFinder {
 public:
  // `row`: null for waves of a group.
  ScalarFinder(const ir::Function& function, const RowStart* row)
      : function_(function), row_(row), is_common_(function.insts.size()) {}

  // Of a scalar operation whose arguments have been asked for.
  bool IsCommon(Value v) {
    is_common_[v.id] = Find(function_[v]);
    return is_common_[v.id];
  }

 private:
  bool Find(const Inst& inst) const {
    switch (inst.op) {
      case Op::kCodeBase: return true;
      case Op::kGetSgpr:
      case Op::kGetSgpr64: return row_ == nullptr ? !IsExec(inst) : !Reads(inst, row_->sgpr);
      case Op::kNoteExec: break;
      case Op::kLoadScalar:
        if (row_ != nullptr && !ir::IsFixed(function_, inst, row_->fixed)) return false;
        break;
      default:
        if (ir::InfoOf(inst.op).effect != Effect::kPure || inst.argument_count == 0) return false;
        break;
    }
    return std::all_of(inst.args, inst.args + inst.argument_count, [this](Value argument) {
      return function_[argument].op == Op::kConst || is_common_[argument.id];
    });
  }

  static bool Reads(const Inst& get, int sgpr) {
    return get.imm == sgpr || (get.op == Op::kGetSgpr64 && get.imm + 1 == sgpr);
  }

  const ir::Function& function_;
  const RowStart* const row_;
  std::vector<bool> is_common_;
};

bool IsWork(const Inst& inst) {
  return inst.op != Op::kGetSgpr && inst.op != Op::kGetSgpr64 && inst.op != Op::kPart;
}

StagePlan WithFirst(const ir::Function& function, ScalarFinder finder, StagePlan plan) {
  if (plan.loop || plan.stages.empty()) return plan;
  std::vector<Value>& ops = plan.stages[0].scalar_ops;
  std::vector<Value> common;
  std::vector<Value> others;
  int work = 0;
  for (const Value v : ops) {
    if (finder.IsCommon(v)) {
      common.push_back(v);
      work += IsWork(function[v]);
    } else {
      others.push_back(v);
    }
  }
  if (work < kLeastOperations) return plan;
  plan.common_scalars = common.size();
  ops = std::move(common);
  ops.insert(ops.end(), others.begin(), others.end());
  return plan;
}

}  // namespace

bool IsInNoOrder(const ir::Function& function, const ir::Block& block) {
  return std::all_of(block.insts.begin(), block.insts.end(), [&](Value v) {
    const Inst& inst = function[v];
    switch (ir::InfoOf(inst.op).effect) {
      case Effect::kWrite: return inst.op == Op::kStore;
      case Effect::kRead: return inst.op != Op::kLoadLds;
      case Effect::kEnd:
        return inst.op == Op::kExit &&
               static_cast<ir::ExitReason>(inst.imm) == ir::ExitReason::kEnd;
      case Effect::kPure:
      case Effect::kState:
      case Effect::kWhole: break;
    }
    return true;
  });
}

bool MayHaveFollowers(const ir::Function& function, const ir::Block& block) {
  return ir::WaveOf(block.begin) < 0 &&
         std::count_if(block.insts.begin(), block.insts.end(),
                       [&](Value v) { return function[v].op == Op::kStore; }) <= kMostStores;
}

StagePlan WithCommonFirst(const ir::Function& function, StagePlan plan) {
  return WithFirst(function, ScalarFinder(function, nullptr), std::move(plan));
}

StagePlan WithCommonOfRowFirst(const ir::Function& function, const RowStart& row, StagePlan plan) {
  if (row.sgpr < 0) return plan;
  return WithFirst(function, ScalarFinder(function, &row), std::move(plan));
}

}  // namespace gcnjit::backend
