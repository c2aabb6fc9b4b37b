// The evaluator's loads, stores and atomics, one lane at a time in ascending order.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "ir/evaluator.h"

namespace gcnjit::ir {

// A value: a scalar is the same in all lanes.
using EvaluatorLanes = std::array<uint64_t, kLanes>;

inline constexpr int kMaxDwords = 16;  // of a scalar load; of lanes 4

struct EvaluatorAccess {
  const Inst& inst;
  const EvaluatorLanes* args[kMaxArguments];
  const EvaluatorState& state;
  EvaluatorLanes (&dwords)[kMaxDwords];  // results
};

// Each performs one operation of its kind; a fault if there was one.
std::optional<EvaluatorFault> EvaluateGlobalAccess(const EvaluatorAccess& access);
std::optional<EvaluatorFault> EvaluateSwizzledAccess(const EvaluatorAccess& access);
void EvaluateLdsLoadOrStore(const EvaluatorAccess& access);
std::optional<EvaluatorFault> EvaluateLdsAtomic(const EvaluatorAccess& access);
std::optional<EvaluatorFault> EvaluateScalarLoad(const EvaluatorAccess& access);

}  // namespace gcnjit::ir
