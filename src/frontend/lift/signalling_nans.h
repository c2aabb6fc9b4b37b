// Signalling NaNs while MODE.IEEE is off: a result has the quiet bit of the NaN operand that it is
// from, where arithmetic sets it. Sources: the interpreter's signalling_nans.h.
#pragma once

#include <span>

#include "frontend/lift/float_ops.h"

namespace gcnjit::frontend {

// `result` with the NaNs of the sources of `i` as they are, if that is what the row and MODE say.
// Before OMOD and clamp.
Value KeepSignallingNans(Lifter& l, const Instruction& i, FloatType type, Value result);

// The same of operands all of which turn the result into a NaN, the first into its own.
Value KeepSignallingNans(Lifter& l, FloatType type, Value result, std::span<const Value> operands);

}  // namespace gcnjit::frontend
