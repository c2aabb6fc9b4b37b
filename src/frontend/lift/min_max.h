// Minimum, maximum and median of floats. They choose an operand without arithmetic: -0 is less than
// +0, a NaN loses against a number, of two NaNs the first stays, and under MODE.IEEE a signalling
// NaN gives its quiet form.
#pragma once

#include <utility>
#include <vector>

#include "frontend/lift/float_ops.h"

namespace gcnjit::frontend {

class MinMax {
 public:
  MinMax(Lifter& l, FloatType type);

  enum class Wanted : uint8_t { kMin, kMax };
  // Denormals count among themselves here; Finish flushes. That gives what flushing the operands
  // first would: their order is the same, only finer.
  Value Of(Wanted wanted, Value x, Value y);
  Value Median(Value x, Value y, Value z);
  // Only gfx9 flushes denormals, as MODE says.
  Value Finish(Value result);

 private:
  Value Number(Value pattern);  // as f32 or f64
  Value Compare(Predicate predicate, Value x, Value y);
  Value Quieted(Value pattern);
  Value UnlessSignals(Value x, Value result);
  Value OfConstant(Wanted wanted, Value x, Value constant);
  Value OrderKey(Value v);
  Value MedianOfNumbers(Value x, Value y, Value z);
  Value MedianOfConstants(Value x, int position, Value low, Value high, Value last);
  // The pattern of a constant that is a number.
  bool IsNumber(Value v, uint64_t* pattern) const;

  Lifter& l_;
  ir::Builder& b_;
  const FloatType type_;
  const bool ieee_;
  bool flush_inputs_ = false;
  bool flush_results_ = false;
  std::vector<std::pair<Value, Value>> widened_;  // halves, and the same as f32
};

// Whether sources 0 and 1 are the same in every respect: v_max x, x is how compilers write "make x
// canonical".
bool SameSources(const Instruction& i);

}  // namespace gcnjit::frontend
