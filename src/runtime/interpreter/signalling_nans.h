// Signalling NaNs while MODE.IEEE is off: what a result has of a NaN operand stays as it is, where
// the exec_* functions have quieted it. The quiet bit is put right before OMOD and clamp.
//
// Sources: llvm-project#139622 ("No floating point instruction will quiet a signaling nan in this
// mode") and #208733, which tried each on gfx90a, gfx950 and gfx1100; AMD's rocjitsu, fp_mode.h
// (quiets_nan); AnyPS5, which measured some thirty instructions on gfx1036. The manuals say of
// MODE.IEEE only that it makes float instructions quiet them.
#pragma once

#include <cstdint>

#include "runtime/interpreter/float_bits.h"
#include "runtime/interpreter/half.h"

namespace gcnjit::runtime {

// A result with the quiet bit of the first of the NaNs, in the result's format, that it is from.
// Other operands are no NaNs.
template <typename T>
struct KeptNan {
  using F = Format<T>;
  using Bits = typename F::Bits;
  Bits result;
  bool found = false;

  void Offer(Bits operand) {
    const bool is_source = F::IsNan(operand) && ((result ^ operand) & ~(F::kSign | F::kQuiet)) == 0;
    if (found || !is_source || !F::IsNan(result)) return;
    found = true;
    if ((operand & F::kQuiet) == 0) result &= ~F::kQuiet;
  }
};

// The NaN operands of an instruction under execution, as patterns of the result's format; 0 for
// what is no NaN.
struct NanOperands {
  int count = 0;
  alignas(64) uint64_t patterns[3][kLanes];
};

// Those of `i`, in the order in which they are preferred.
void ReadNanOperands(Wave& w, const Instruction& i, NanOperands& to);

template <typename T>
inline void KeepSignallingNans(const NanOperands& operands, T (&values)[kLanes]) {
  using F = Format<T>;
  for (int lane = 0; lane < kLanes; ++lane) {
    KeptNan<T> kept = {F::Of(values[lane])};
    for (int n = 0; n < operands.count; ++n) {
      kept.Offer(static_cast<typename F::Bits>(operands.patterns[n][lane]));
    }
    values[lane] = F::From(kept.result);
  }
}

}  // namespace gcnjit::runtime
