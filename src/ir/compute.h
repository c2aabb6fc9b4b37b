// What operations give on patterns that are known.
#pragma once

#include <cstdint>

#include "ir/function.h"

namespace gcnjit::ir {

// Of integers, not of lanes: `width` is that of the first argument in bits, beyond which the
// others' bits are zeros, too; those of the result need not be. False for operations that it does
// not know.
bool Compute(Op op, int width, uint64_t a, uint64_t b, uint64_t c, uint64_t* r);

// Bits of a value of the type, of each lane if it has lanes.
inline int WidthOf(Type type) { return type == Type::kU1 ? 1 : Is64(type) ? 64 : 32; }
inline uint64_t OnesOf(Type type) { return ~uint64_t{0} >> (64 - WidthOf(type)); }

constexpr bool IsCompare(Op op) { return InfoOf(op).Has(Trait::kCompare); }
// Of integers or floats.
constexpr bool IsAnyCompare(Op op) { return IsCompare(op) || op == Op::kFCmp; }

}  // namespace gcnjit::ir
