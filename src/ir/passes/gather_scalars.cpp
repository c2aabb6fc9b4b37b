// Sums of lanes with several scalars add the scalars up first: one scalar addition instead of one
// of all lanes; and what is left is lanes and one scalar, in which memory accesses see that their
// lanes are one run (backend_x64/emit/contiguous_accesses.cpp).
//
//   (lanes + a) - b   ->   lanes + (a - b)
//
// Constants stay with the lanes: the waves of a group differ in them (workgroup/specialise.h), and
// have the scalar in common.
#include <optional>
#include <utility>

#include "ir/append.h"
#include "ir/passes.h"

namespace gcnjit::ir {
namespace {

class ScalarGatherer {
 public:
  explicit ScalarGatherer(Function& function) : function_(function), uses_(function.insts.size()) {}

  void Run(Block& block) {
    for (const Value v : block.insts) {
      const Inst& inst = function_[v];
      for (int n = 0; n < inst.argument_count; ++n) ++uses_[inst.args[n].id];
    }
    out_.clear();
    out_.reserve(block.insts.size() + 16);
    for (const Value v : block.insts) {
      Gather(v);
      out_.push_back(v);
    }
    block.insts.swap(out_);
  }

 private:
  // lanes + scalar, or lanes - scalar
  struct Sum {
    Value lanes, scalar;
    Op op = Op::kAdd;
  };

  std::optional<Sum> SumOf(Value v) const {
    const Inst& inst = function_[v];
    if ((inst.op != Op::kAdd && inst.op != Op::kSub) || inst.type != Type::kV32) return {};
    Value lanes = inst.args[0];
    Value scalar = inst.args[1];
    if (inst.op == Op::kAdd && IsScalar(lanes)) std::swap(lanes, scalar);
    if (IsScalar(lanes) || !IsScalar(scalar) || function_[scalar].op == Op::kConst) return {};
    return Sum{lanes, scalar, inst.op};
  }
  bool IsScalar(Value v) const { return function_[v].type == Type::kU32; }

  void Gather(Value v) {
    const std::optional<Sum> outer = SumOf(v);
    if (!outer) return;
    const std::optional<Sum> inner = SumOf(outer->lanes);
    // If others use the inner sum as well, its lanes live longer, unless they are in no register.
    if (!inner || !(uses_[outer->lanes.id] == 1 || IsKnown(inner->lanes))) return;
    Inst scalar;
    scalar.type = Type::kU32;
    scalar.guest = function_[v].guest;
    scalar.op = outer->op == inner->op ? Op::kAdd : Op::kSub;
    scalar.argument_count = 2;
    // lanes - a + b = lanes + (b - a)
    const bool is_turned = inner->op == Op::kSub && outer->op == Op::kAdd;
    scalar.args[0] = is_turned ? outer->scalar : inner->scalar;
    scalar.args[1] = is_turned ? inner->scalar : outer->scalar;
    const Value sum = Append(function_, scalar);
    uses_.push_back(1);
    out_.push_back(sum);
    Inst& inst = function_[v];
    inst.op = is_turned ? Op::kAdd : inner->op;
    inst.args[0] = inner->lanes;
    inst.args[1] = sum;
  }

  // Lanes that follow from their numbers.
  bool IsKnown(Value v) const {
    const Inst* inst = &function_[v];
    while (inst->argument_count == 2 && function_[inst->args[1]].op == Op::kConst) {
      inst = &function_[inst->args[0]];
    }
    return inst->op == Op::kLaneId;
  }

  Function& function_;
  std::vector<uint32_t> uses_;  // by value id
  std::vector<Value> out_;
};

}  // namespace

void GatherScalars(Function& function) {
  ScalarGatherer gatherer(function);
  for (Block& block : function.blocks) gatherer.Run(block);
}

}  // namespace gcnjit::ir
