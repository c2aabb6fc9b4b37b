// What operations give on patterns that are known.
#pragma once

#include <cstdint>

#include "ir/function.h"

namespace gcnjit::ir {

// Of integers, not of lanes: `width` is that of the first argument in bits, beyond which the
// others' bits are zeros, too; those of the result need not be. False for operations that it does
// not know.
bool Compute(Op op, int width, uint64_t a, uint64_t b, uint64_t c, uint64_t* r);

inline bool IsCompare(Op op) {
  return op == Op::kEq || op == Op::kNe || op == Op::kLtU || op == Op::kLeU || op == Op::kLtS ||
         op == Op::kLeS;
}

}  // namespace gcnjit::ir
