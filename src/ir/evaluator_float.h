// The evaluator's floating-point operations on the bits of one lane.
#pragma once

#include <cstdint>

#include "ir/types.h"

namespace gcnjit::ir {

// The operations of one format; `Bits` is uint32_t (f32) or uint64_t (f64).
template <typename Bits>
struct FloatOps {
  static Bits Add(FloatEnv env, Bits a, Bits b);
  static Bits Sub(FloatEnv env, Bits a, Bits b);
  static Bits Mul(FloatEnv env, Bits a, Bits b);
  static Bits Div(FloatEnv env, Bits a, Bits b);
  static Bits Fma(FloatEnv env, Bits a, Bits b, Bits c);
  static Bits Sqrt(FloatEnv env, Bits a);
  static Bits Round(FloatEnv env, int64_t how, Bits a);  // `how` as kFRound's imm
  static bool Compare(FloatEnv env, int64_t predicate, Bits a, Bits b);
  static uint32_t ToI32(Bits a);
  static uint32_t ToU32(Bits a);
};
extern template struct FloatOps<uint32_t>;
extern template struct FloatOps<uint64_t>;

uint32_t IntToF32(FloatEnv env, int64_t value);
uint64_t IntToF64(int64_t value);  // of 32 significant bits: exact
uint64_t F32ToF64(FloatEnv env, uint32_t a);
uint32_t F64ToF32(FloatEnv env, uint64_t a);
uint32_t F16ToF32(uint32_t a);
uint32_t F32ToF16(FloatEnv env, int64_t mode_rounding, uint32_t a);

// Float atomics: always to nearest even.
template <typename Bits>
Bits AtomicFloatAdd(MemoryAccess access, Bits old, Bits data);
template <typename Bits>
Bits AtomicFloatSelect(MemoryAccess access, bool maximum, Bits old, Bits data);
template <typename Bits>
Bits AtomicFloatSwap(MemoryAccess access, Bits old, Bits compared, Bits data);

}  // namespace gcnjit::ir
