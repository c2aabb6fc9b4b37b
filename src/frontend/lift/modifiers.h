// What SDWA and DPP do to operands, and f16 rounding: parts of the Lifter's operand layer.
#pragma once

#include "frontend/lift/lifter.h"

namespace gcnjit::frontend {

// Bit n of a field with one bit an operand: abs, neg, op_sel and the like.
inline bool BitOf(unsigned field, int n) { return (field >> n & 1) != 0; }

// The byte or half of a dword that SDWA selects, extended to 32 bits.
Value SelectSubDword(ir::Builder& b, Value v, SdwaSelect select, bool sign_extend);
// The dword that SDWA leaves in a register which held `old`: `v` at dst_sel, the rest by
// dst_unused.
Value PlaceSubDword(ir::Builder& b, Value v, Value old, const Sdwa& sdwa);

// src[0] of a DPP instruction, permuted. Lanes that the instruction does not write hold anything.
Value PermuteDpp(Lifter& l, const Dpp& dpp, Value v);
// The lanes that an instruction writes: EXEC, under DPP less those that it masks out.
Value WrittenLanes(Lifter& l, const Instruction& i);

// v & 0xffff, which is v where its upper half is known to be 0.
Value LowHalf(ir::Builder& b, Value v);

// An f32 result as f16 in the low half, the high one 0.
struct HalfNarrowing {
  bool flush_denormals = false;
  bool saturate = false;  // MODE.FP16_OVFL: finite values that overflow become +-65504
  uint32_t round = 0;     // as MODE counts: 0 nearest even, 1 +inf, 2 -inf, 3 toward zero
};
Value NarrowToF16(Lifter& l, Value f32, const HalfNarrowing& how);
// What MODE says of f16 results.
HalfNarrowing HalfNarrowingOf(const Lifter& l);
// To [0, 1]; the high half of `v` counts for nothing.
Value ClampF16(Lifter& l, Value v);

}  // namespace gcnjit::frontend
