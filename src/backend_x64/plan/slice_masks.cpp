#include "backend_x64/plan/slice_masks.h"

#include <bitset>
#include <vector>

#include "ir/analysis/uses.h"

namespace gcnjit::backend {
namespace {

using ir::Inst;
using ir::Op;
using ir::Type;
using ir::Value;

class MaskSlicer {
 public:
  MaskSlicer(const ir::Function& function, const ir::Block& block, StagePlan& plan)
      : function_(function), block_(block), plan_(plan), is_one_(function.insts.size(), 0) {}

  void Run() {
    FindCarried();
    if (carried_.none()) return;
    FindOperations();
    LeaveOutNumbers();
    std::vector<Value> sliced;
    for (const Value v : plan_.stages[0].scalar_ops) {
      if (is_one_[v.id] == 0) continue;
      plan_.is_sliced[v.id] = 1;
      sliced.push_back(v);
    }
    plan_.MoveToLanes(block_, plan_.stages[0].scalar_ops, sliced);
  }

 private:
  // SGPR pairs that get a mask which slices make.
  void FindCarried() {
    for (const Value v : plan_.final_ops) {
      const Inst& inst = function_[v];
      if (inst.op == Op::kSetSgpr64 && plan_.is_sliced[inst.args[0].id] != 0) {
        carried_.set(static_cast<size_t>(inst.imm));
      }
    }
  }

  bool IsCarried(const Inst& inst) const {
    return inst.op == Op::kGetSgpr64 && carried_.test(static_cast<size_t>(inst.imm));
  }

  void FindOperations() {
    for (const Value v : plan_.stages[0].scalar_ops) {
      const Inst& inst = function_[v];
      if (inst.type != Type::kU64 || !ir::InfoOf(inst.op).Has(ir::Trait::kBitByBit)) continue;
      for (int n = 0; n < inst.argument_count; ++n) {
        const Value arg = inst.args[n];
        if (IsCarried(function_[arg]) || is_one_[arg.id] != 0) is_one_[v.id] = 1;
      }
    }
  }

  // What is used as a number, as by a test of the mask, stays scalar; so does what goes into that.
  void LeaveOutNumbers() {
    for (auto at = block_.insts.rbegin(); at != block_.insts.rend(); ++at) {
      const Inst& inst = function_[*at];
      if (inst.op == Op::kSetSgpr64 || inst.op == Op::kNoteExec || inst.op == Op::kSkipped)
        continue;
      const bool is_mask = plan_.is_sliced[at->id] != 0 || is_one_[at->id] != 0;
      for (int n = 0; n < inst.argument_count; ++n) {
        if (!is_mask || !ir::TakesMask(inst, n)) is_one_[inst.args[n].id] = 0;
      }
    }
  }

  const ir::Function& function_;
  const ir::Block& block_;
  StagePlan& plan_;
  std::bitset<129> carried_;
  std::vector<uint8_t> is_one_;  // by value id: an operation that becomes a lane operation
};

}  // namespace

void SliceMasks(const ir::Function& function, const ir::Block& block, StagePlan& plan) {
  MaskSlicer(function, block, plan).Run();
}

}  // namespace gcnjit::backend
