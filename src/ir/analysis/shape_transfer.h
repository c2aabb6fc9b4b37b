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
        mask_runs_(function.insts.size(), 1) {}

  LaneShape Of(Value v);

 private:
  using Offsets = LanePatterns::Offsets;

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

  const Inst& Arg(const Inst& inst, int n) const { return function_[inst.args[n]]; }
  LaneShape ShapeOf(const Inst& inst, int n) const { return shapes_[inst.args[n].id]; }
  bool IsConst(const Inst& inst, int n, uint64_t* value) const;
  // Each argument's offset in a lane gives the result's.
  template <typename F>
  LaneShape Combine(const Inst& inst, LaneShape a, LaneShape b, int zeros, const F& f);

  const Function& function_;
  LanePatterns& patterns_;
  std::vector<LaneShape>& shapes_;
  std::vector<uint8_t> mask_runs_;  // of lane masks: lanes of an aligned run whose bits are alike
};

}  // namespace gcnjit::ir
