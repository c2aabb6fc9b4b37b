// Read-modify-write of a data share, and the operations that only DS instructions have.
#pragma once

#include <cstdint>
#include <cstring>

#include "runtime/interpreter/atomics.h"
#include "runtime/interpreter/memory_segments.h"
#include "runtime/interpreter/wave.h"

namespace gcnjit::runtime {

// GDS atomics are atomic on the host too, where they need natural alignment: the base in M0[31:16]
// must have it, whatever the lanes' addresses. False after a fault.
template <typename T>
inline bool CheckShareBase(Wave& w, const DataShare& share) {
  if (!share.shared_by_groups || reinterpret_cast<uintptr_t>(share.bytes) % sizeof(T) == 0) {
    return true;
  }
  w.RaiseUnsupported("a GDS atomic whose base, M0[31:16], is not a multiple of its size");
  return false;
}

// Applies an operation at a naturally aligned address inside the share; returns the old value.
template <typename T, typename Op>
inline T UpdateShare(const DataShare& share, uint32_t address, const Op& op, T data, T data2) {
  auto* memory = reinterpret_cast<T*>(share.bytes + address);
  if (share.shared_by_groups) return AtomicUpdate(memory, op, data, data2);
  T old;
  std::memcpy(&old, memory, sizeof old);
  const T result = op(old, data, data2);
  std::memcpy(memory, &result, sizeof result);
  return old;
}

// What MODE says of denormals to a float addition in LDS: f64 ones are kept whatever it says.
// Sources: CDNA3 ISA 9.2.2, "Denorm Handling Rules for Memory Ops"; AMD's rocjitsu; LLVM
// SITargetLowering ("DS FP atomics do respect the denormal mode": of f32).
template <typename T>
inline Denormals DenormalsInLds(const Wave& w) {
  return sizeof(T) == 4 ? Denormals32(w) : Denormals{};
}

// Float addition: always to nearest even; of NaNs the first, quieted.
// Sources: CDNA3 ISA 9.2.1, 9.2.3; LLVM SITargetLowering ("the rounding mode is fixed to
// round-to-nearest-even").
template <typename T>
struct AddFloat {
  using F = Format<T>;
  using Bits = typename F::Bits;
  Denormals denormals;

  static AddFloat For(Wave& w) {
    w.UseFloatClass(FloatClass::kNearest);
    return {DenormalsInLds<T>(w)};
  }
  template <typename>
  AddFloat InLds(const Wave& w) const {
    return {DenormalsInLds<T>(w)};
  }
  Bits operator()(Bits old, Bits data, Bits) const {
    if (F::IsNan(old)) return old | F::kQuiet;
    if (F::IsNan(data)) return data | F::kQuiet;
    const T a = F::From(denormals.flush_inputs ? F::FlushDenormal(old) : old);
    const T b = F::From(denormals.flush_inputs ? F::FlushDenormal(data) : data);
    const Bits sum = F::Of(a + b);
    return denormals.flush_outputs ? F::FlushDenormal(sum) : sum;
  }
};
using AddF32 = AddFloat<float>;
using AddF64 = AddFloat<double>;

struct AtomicConditionalExchange {
  uint32_t operator()(uint32_t old, uint32_t data, uint32_t) const {
    return data >> 31 != 0 ? data & 0x7FFFFFFF : old;
  }
};

}  // namespace gcnjit::runtime
