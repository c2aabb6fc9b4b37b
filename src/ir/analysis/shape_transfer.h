// The shape of an operation's result from those of its arguments.
#pragma once

#include <vector>

#include "ir/analysis/lane_shape.h"
#include "ir/function.h"

namespace gcnjit::ir {

class ShapeTransfer {
 public:
  // `shapes` is by value id: those of the arguments are read. kGetVgpr is not asked for.
  ShapeTransfer(const Function& function, LanePatterns& patterns, std::vector<LaneShape>& shapes)
      : function_(function),
        patterns_(patterns),
        shapes_(shapes),
        low_shapes_(function.insts.size()),
        mask_runs_(function.insts.size(), 1),
        is_ones_(function.insts.size()) {}

  LaneShape Of(Value v);
  // Has a scalar nothing but ones? To be said of those that come from registers, before Of.
  void SetOnes(Value v, bool is_ones) { is_ones_[v.id] = is_ones; }
  bool IsOnes(Value v) const { return is_ones_[v.id]; }

 private:
  using Offsets = LanePatterns::Offsets;

  LaneShape OfAnyType(const Inst& inst);
  LaneShape LowOf(const Inst& inst, LaneShape whole);
  LaneShape OfLanes(const Inst& inst);
  LaneShape Uniform(const Inst& inst, int zeros = 0);
  LaneShape Linear(const Inst& inst);
  LaneShape Bitwise(const Inst& inst);
  // Argument n and a constant.
  template <typename F>
  LaneShape BitwiseByConstant(const Inst& inst, int n, uint64_t constant, const F& f);
  LaneShape Multiply(const Inst& inst);
  LaneShape ShiftRight(const Inst& inst);
  LaneShape Extend(const Inst& inst);
  LaneShape Pack(const Inst& inst);
  LaneShape Select(const Inst& inst);
  uint8_t MaskRun(const Inst& inst);
  bool MakesOnes(const Inst& inst) const;

  const Inst& Arg(const Inst& inst, int n) const { return function_[inst.args[n]]; }
  LaneShape ShapeOf(const Inst& inst, int n) const {
    const Value v = inst.args[n];
    return only_low_ && Is64(function_[v].type) ? low_shapes_[v.id] : shapes_[v.id];
  }
  bool IsWide(const Inst& inst) const { return Is64(inst.type) && !only_low_; }
  int WidthOf(const Inst& inst) const { return IsWide(inst) ? 64 : 32; }
  bool IsConst(const Inst& inst, int n, uint64_t* value) const;
  // Each argument's offset in a lane gives the result's.
  template <typename F>
  LaneShape Combine(const Inst& inst, LaneShape a, LaneShape b, int zeros, const F& f);

  const Function& function_;
  LanePatterns& patterns_;
  std::vector<LaneShape>& shapes_;
  std::vector<LaneShape> low_shapes_;  // of the low halves of 64-bit values
  bool only_low_ = false;              // low halves are being looked at
  std::vector<uint8_t> mask_runs_;  // of lane masks: lanes of an aligned run whose bits are alike
  std::vector<bool> is_ones_;
};

}  // namespace gcnjit::ir
