// Floats of the evaluator: the host's scalar instruction under an MXCSR of the operation's own,
// with the rules for NaNs and denormal inputs written out.
#include "ir/evaluator_float.h"

#include <immintrin.h>

#include <bit>
#include <limits>
#include <type_traits>

namespace gcnjit::ir {
namespace {

constexpr uint32_t kMaskExceptions = 0x1F80;

// MXCSR as `env` says while it lives. The instructions that depend on it are volatile assembly,
// which the compiler does not move over changes of MXCSR.
class FloatScope {
 public:
  explicit FloatScope(FloatEnv env) : saved_(_mm_getcsr()) {
    _mm_setcsr(env.bits | kMaskExceptions);
  }
  ~FloatScope() { _mm_setcsr(saved_); }
  FloatScope(const FloatScope&) = delete;
  FloatScope& operator=(const FloatScope&) = delete;

 private:
  uint32_t saved_;
};

// clang-format off
float  HostAdd(float a, float b)            { float r;  asm volatile("vaddss %2, %1, %0" : "=x"(r) : "x"(a), "x"(b)); return r; }
double HostAdd(double a, double b)          { double r; asm volatile("vaddsd %2, %1, %0" : "=x"(r) : "x"(a), "x"(b)); return r; }
float  HostSub(float a, float b)            { float r;  asm volatile("vsubss %2, %1, %0" : "=x"(r) : "x"(a), "x"(b)); return r; }
double HostSub(double a, double b)          { double r; asm volatile("vsubsd %2, %1, %0" : "=x"(r) : "x"(a), "x"(b)); return r; }
float  HostMul(float a, float b)            { float r;  asm volatile("vmulss %2, %1, %0" : "=x"(r) : "x"(a), "x"(b)); return r; }
double HostMul(double a, double b)          { double r; asm volatile("vmulsd %2, %1, %0" : "=x"(r) : "x"(a), "x"(b)); return r; }
float  HostDiv(float a, float b)            { float r;  asm volatile("vdivss %2, %1, %0" : "=x"(r) : "x"(a), "x"(b)); return r; }
double HostDiv(double a, double b)          { double r; asm volatile("vdivsd %2, %1, %0" : "=x"(r) : "x"(a), "x"(b)); return r; }
float  HostFma(float a, float b, float c)   { asm volatile("vfmadd213ss %2, %1, %0" : "+x"(a) : "x"(b), "x"(c)); return a; }
double HostFma(double a, double b, double c){ asm volatile("vfmadd213sd %2, %1, %0" : "+x"(a) : "x"(b), "x"(c)); return a; }
float  HostSqrt(float a)                    { float r;  asm volatile("vsqrtss %1, %1, %0" : "=x"(r) : "x"(a)); return r; }
double HostSqrt(double a)                   { double r; asm volatile("vsqrtsd %1, %1, %0" : "=x"(r) : "x"(a)); return r; }
float  HostToF32(int64_t a)                 { float r;  asm volatile("vcvtsi2ssq %1, %2, %0" : "=x"(r) : "r"(a), "x"(0.0f)); return r; }
float  HostToF32(double a)                  { float r;  asm volatile("vcvtsd2ss %1, %1, %0" : "=x"(r) : "x"(a)); return r; }
double HostToF64(float a)                   { double r; asm volatile("vcvtss2sd %1, %2, %0" : "=x"(r) : "x"(a), "x"(0.0)); return r; }
// clang-format on

template <typename Bits>
struct Format {
  static constexpr bool kDouble = sizeof(Bits) == 8;
  using Float = std::conditional_t<kDouble, double, float>;
  static constexpr int kFractionBits = kDouble ? 52 : 23;
  static constexpr Bits kSign = Bits{1} << (sizeof(Bits) * 8 - 1);
  static constexpr Bits kInfinity = static_cast<Bits>(kDouble ? 0x7FF : 0xFF) << kFractionBits;
  static constexpr Bits kQuiet = Bits{1} << (kFractionBits - 1);
  static constexpr Bits kDefaultNan = kSign | kInfinity | kQuiet;

  static bool IsNan(Bits a) { return (a & ~kSign) > kInfinity; }
  static bool IsSignalling(Bits a) { return IsNan(a) && (a & kQuiet) == 0; }
  static Bits Flush(Bits a) { return (a & kInfinity) == 0 ? a & kSign : a; }
  static Float In(bool flush, Bits a) { return std::bit_cast<Float>(flush ? Flush(a) : a); }
  static Float In(FloatEnv env, Bits a) { return In((env.bits & FloatEnv::kFlushInputs) != 0, a); }
};

// The NaN rule of opcodes.def.
template <typename Bits, typename... Args>
Bits WithNan(typename Format<Bits>::Float result, Args... args) {
  using F = Format<Bits>;
  Bits nan = 0;
  ((nan = nan == 0 && F::IsNan(args) ? args | F::kQuiet : nan), ...);
  if (nan != 0) return nan;
  const Bits bits = std::bit_cast<Bits>(result);
  return F::IsNan(bits) ? F::kDefaultNan : bits;
}

// Ascending with the value, -0 before +0; not for NaNs.
template <typename Bits>
Bits OrderKey(Bits bits) {
  return (bits & Format<Bits>::kSign) != 0 ? ~bits : bits | Format<Bits>::kSign;
}

template <typename Int, typename Float>
Int Saturate(Float value) {
  const double exact = value;
  if (exact != exact) return 0;
  if (exact <= std::numeric_limits<Int>::min()) return std::numeric_limits<Int>::min();
  if (exact >= std::numeric_limits<Int>::max()) return std::numeric_limits<Int>::max();
  return static_cast<Int>(exact);
}

}  // namespace

template <typename Bits>
Bits FloatOps<Bits>::Add(FloatEnv env, Bits a, Bits b) {
  using F = Format<Bits>;
  const FloatScope scope(env);
  return WithNan<Bits>(HostAdd(F::In(env, a), F::In(env, b)), a, b);
}

template <typename Bits>
Bits FloatOps<Bits>::Sub(FloatEnv env, Bits a, Bits b) {
  using F = Format<Bits>;
  const FloatScope scope(env);
  return WithNan<Bits>(HostSub(F::In(env, a), F::In(env, b)), a, b);
}

template <typename Bits>
Bits FloatOps<Bits>::Mul(FloatEnv env, Bits a, Bits b) {
  using F = Format<Bits>;
  const FloatScope scope(env);
  return WithNan<Bits>(HostMul(F::In(env, a), F::In(env, b)), a, b);
}

template <typename Bits>
Bits FloatOps<Bits>::Div(FloatEnv env, Bits a, Bits b) {
  using F = Format<Bits>;
  const FloatScope scope(env);
  return WithNan<Bits>(HostDiv(F::In(env, a), F::In(env, b)), a, b);
}

template <typename Bits>
Bits FloatOps<Bits>::Fma(FloatEnv env, Bits a, Bits b, Bits c) {
  using F = Format<Bits>;
  const FloatScope scope(env);
  return WithNan<Bits>(HostFma(F::In(env, a), F::In(env, b), F::In(env, c)), a, b, c);
}

template <typename Bits>
Bits FloatOps<Bits>::Sqrt(FloatEnv env, Bits a) {
  using F = Format<Bits>;
  const FloatScope scope(env);
  return WithNan<Bits>(HostSqrt(F::In(env, a)), a);
}

// The integer's bits follow from those of `a`, so that no host rounding is involved.
template <typename Bits>
Bits FloatOps<Bits>::Round(FloatEnv env, int64_t how, Bits a) {
  using F = Format<Bits>;
  if (F::IsNan(a)) return a | F::kQuiet;
  const Bits value = std::bit_cast<Bits>(F::In(env, a));
  const Bits sign = value & F::kSign;
  const Bits magnitude = value & ~F::kSign;
  constexpr int kBias = F::kDouble ? 1023 : 127;
  const int exponent = static_cast<int>(magnitude >> F::kFractionBits) - kBias;
  if (exponent >= F::kFractionBits || magnitude == 0) return value;
  const Bits one = Bits{kBias} << F::kFractionBits;
  const bool upward = how == 2 ? sign == 0 : how == 1 && sign != 0;  // away from zero
  if (exponent < 0) {
    const Bits half = Bits{kBias - 1} << F::kFractionBits;
    const bool away = how == 0 ? magnitude > half : upward;
    return sign | (away ? one : Bits{0});
  }
  const Bits unit = Bits{1} << (F::kFractionBits - exponent);
  const Bits rest = magnitude & (unit - 1);
  const Bits whole = magnitude - rest;
  const bool odd = (whole & unit) != 0;
  const bool away = rest != 0 && (how == 0 ? rest > unit / 2 || (rest == unit / 2 && odd) : upward);
  return sign | (away ? whole + unit : whole);
}

template <typename Bits>
bool FloatOps<Bits>::Compare(FloatEnv env, int64_t predicate, Bits a, Bits b) {
  using F = Format<Bits>;
  // Which of less, equal, greater, unordered make a predicate true; those above 15 differ from
  // these in the exceptions that they raise, only.
  constexpr int kLess = 1, kEqual = 2, kGreater = 4, kUnordered = 8;
  constexpr int kTrueIf[16] = {
      kEqual,                          // EQ_OQ
      kLess,                           // LT_OS
      kLess | kEqual,                  // LE_OS
      kUnordered,                      // UNORD_Q
      kLess | kGreater | kUnordered,   // NEQ_UQ
      kEqual | kGreater | kUnordered,  // NLT_US
      kGreater | kUnordered,           // NLE_US
      kLess | kEqual | kGreater,       // ORD_Q
      kEqual | kUnordered,             // EQ_UQ
      kLess | kUnordered,              // NGE_US
      kLess | kEqual | kUnordered,     // NGT_US
      0,                               // FALSE_OQ
      kLess | kGreater,                // NEQ_OQ
      kGreater | kEqual,               // GE_OS
      kGreater,                        // GT_OS
      kLess | kEqual | kGreater | kUnordered,
  };
  const bool flush = (env.bits & FloatEnv::kFlushInputs) != 0;
  const Bits x = flush ? F::Flush(a) : a;
  const Bits y = flush ? F::Flush(b) : b;
  const bool zeros = ((x | y) & ~F::kSign) == 0;
  const int relation = F::IsNan(x) || F::IsNan(y)  ? kUnordered
                       : x == y || zeros           ? kEqual
                       : OrderKey(x) < OrderKey(y) ? kLess
                                                   : kGreater;
  return (kTrueIf[predicate & 15] & relation) != 0;
}

template <typename Bits>
uint32_t FloatOps<Bits>::ToI32(Bits a) {
  return static_cast<uint32_t>(Saturate<int32_t>(std::bit_cast<typename Format<Bits>::Float>(a)));
}

template <typename Bits>
uint32_t FloatOps<Bits>::ToU32(Bits a) {
  return Saturate<uint32_t>(std::bit_cast<typename Format<Bits>::Float>(a));
}

template struct FloatOps<uint32_t>;
template struct FloatOps<uint64_t>;

uint32_t IntToF32(FloatEnv env, int64_t value) {
  const FloatScope scope(env);
  return std::bit_cast<uint32_t>(HostToF32(value));
}

uint64_t IntToF64(int64_t value) { return std::bit_cast<uint64_t>(static_cast<double>(value)); }

uint64_t F32ToF64(FloatEnv env, uint32_t a) {
  const FloatScope scope(env);
  // NaNs keep their leading bits and are quieted; the host does just that.
  return std::bit_cast<uint64_t>(HostToF64(Format<uint32_t>::In(env, a)));
}

uint32_t F64ToF32(FloatEnv env, uint64_t a) {
  const FloatScope scope(env);
  return std::bit_cast<uint32_t>(HostToF32(Format<uint64_t>::In(env, a)));
}

uint32_t F16ToF32(uint32_t a) {
  return std::bit_cast<uint32_t>(_cvtsh_ss(static_cast<uint16_t>(a)));
}

uint32_t F32ToF16(FloatEnv env, int64_t mode_rounding, uint32_t a) {
  const FloatScope scope({});
  const float value = Format<uint32_t>::In(env, a);
  switch (mode_rounding & 3) {
    case 0: return _cvtss_sh(value, _MM_FROUND_TO_NEAREST_INT);
    case 1: return _cvtss_sh(value, _MM_FROUND_TO_POS_INF);
    case 2: return _cvtss_sh(value, _MM_FROUND_TO_NEG_INF);
    default: return _cvtss_sh(value, _MM_FROUND_TO_ZERO);
  }
}

template <typename Bits>
Bits AtomicFloatAdd(MemoryAccess access, Bits old, Bits data) {
  using F = Format<Bits>;
  const FloatScope scope({});
  const Bits sum = WithNan<Bits>(
      HostAdd(F::In(access.flush_inputs, old), F::In(access.flush_inputs, data)), old, data);
  return access.flush_results ? F::Flush(sum) : sum;
}

template <typename Bits>
Bits AtomicFloatSelect(MemoryAccess access, bool maximum, Bits old, Bits data) {
  using F = Format<Bits>;
  if (F::IsSignalling(old)) return old | F::kQuiet;
  if (F::IsSignalling(data)) return data | F::kQuiet;
  if (F::IsNan(data)) return old;
  if (F::IsNan(old)) return data;
  const Bits old_key = OrderKey(access.flush_inputs ? F::Flush(old) : old);
  const Bits data_key = OrderKey(access.flush_inputs ? F::Flush(data) : data);
  return (maximum ? data_key > old_key : data_key < old_key) ? data : old;
}

template <typename Bits>
Bits AtomicFloatSwap(MemoryAccess access, Bits old, Bits compared, Bits data) {
  const FloatEnv env{access.flush_inputs ? FloatEnv::kFlushInputs : uint16_t{0}};
  const Bits value = FloatOps<Bits>::Compare(env, 0, old, compared) ? data : old;
  return access.flush_inputs ? Format<Bits>::Flush(value) : value;
}

template uint32_t AtomicFloatAdd(MemoryAccess, uint32_t, uint32_t);
template uint64_t AtomicFloatAdd(MemoryAccess, uint64_t, uint64_t);
template uint32_t AtomicFloatSelect(MemoryAccess, bool, uint32_t, uint32_t);
template uint64_t AtomicFloatSelect(MemoryAccess, bool, uint64_t, uint64_t);
template uint32_t AtomicFloatSwap(MemoryAccess, uint32_t, uint32_t, uint32_t);
template uint64_t AtomicFloatSwap(MemoryAccess, uint64_t, uint64_t, uint64_t);

}  // namespace gcnjit::ir
