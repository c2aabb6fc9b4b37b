// Vector compares of floats: v_cmp, v_cmpx (also writes EXEC), and gfx6-7's v_cmps and v_cmpsx,
// which differ in the exceptions that they signal only.
//
// A compare with a NaN is false; its negation (N...) is then true. Denormal operands are flushed as
// MODE says, which the host's compare does for f32 and f64.
#include <bit>
#include <type_traits>

#include "runtime/interpreter/half.h"
#include "runtime/interpreter/lanes.h"

namespace gcnjit::runtime {
namespace {

constexpr bool kToExec = true;

void WriteResult(Wave& w, const Instruction& i, uint64_t mask, bool to_exec) {
  WriteLaneMask(w, i.dst, mask);
  if (to_exec) w.state.SetPair(frontend::kCodeExecLo, mask);
}

template <typename F>
uint64_t CompareHalves(Wave& w, const Instruction& i, F f) {
  alignas(64) float a[kLanes];
  alignas(64) float b[kLanes];
  alignas(64) uint8_t holds[kLanes];
  ReadHalves(w, i, 0, a);
  ReadHalves(w, i, 1, b);
  for (int lane = 0; lane < kLanes; ++lane) holds[lane] = f(a[lane], b[lane]) ? 0xFF : 0;
  return MaskOfBytes(holds) & w.exec();
}

// f32 and f64 (T), or f16 (Half, compared as floats).
template <typename T, typename F>
void Compare(Wave& w, const Instruction& i, bool to_exec, F f) {
  if constexpr (std::is_same_v<T, Half>) {
    WriteResult(w, i, CompareHalves(w, i, f), to_exec);
  } else {
    WriteResult(w, i, CompareLanes<T, T>(w, i, f), to_exec);
  }
}

const auto kF = [](auto, auto) { return false; };
const auto kLT = [](auto a, auto b) { return a < b; };
const auto kEQ = [](auto a, auto b) { return a == b; };
const auto kLE = [](auto a, auto b) { return a <= b; };
const auto kGT = [](auto a, auto b) { return a > b; };
const auto kLG = [](auto a, auto b) { return a < b || a > b; };
const auto kGE = [](auto a, auto b) { return a >= b; };
const auto kO = [](auto a, auto b) { return a == a && b == b; };
const auto kU = [](auto a, auto b) { return a != a || b != b; };
const auto kNGE = [](auto a, auto b) { return !(a >= b); };
const auto kNLG = [](auto a, auto b) { return !(a < b || a > b); };
const auto kNGT = [](auto a, auto b) { return !(a > b); };
const auto kNLE = [](auto a, auto b) { return !(a <= b); };
const auto kNEQ = [](auto a, auto b) { return !(a == b); };
const auto kNLT = [](auto a, auto b) { return !(a < b); };
const auto kTRU = [](auto, auto) { return true; };

}  // namespace

// clang-format off
#define COMPARE(condition, id, T)                                           \
  void exec_V_CMP##id(Wave& w, const Instruction& i) {                      \
    Compare<T>(w, i, !kToExec, k##condition);                               \
  }
#define COMPARE_X(condition, id, T)                                         \
  void exec_V_CMP##id(Wave& w, const Instruction& i) {                      \
    Compare<T>(w, i, kToExec, k##condition);                                \
  }
#define COMPARE_ALL(condition)                                              \
  COMPARE(condition, _##condition##_F16, Half)                              \
  COMPARE_X(condition, X_##condition##_F16, Half)                           \
  COMPARE(condition, _##condition##_F32, float)                             \
  COMPARE_X(condition, X_##condition##_F32, float)                          \
  COMPARE(condition, S_##condition##_F32, float)                            \
  COMPARE_X(condition, SX_##condition##_F32, float)                         \
  COMPARE(condition, _##condition##_F64, double)                            \
  COMPARE_X(condition, X_##condition##_F64, double)                         \
  COMPARE(condition, S_##condition##_F64, double)                           \
  COMPARE_X(condition, SX_##condition##_F64, double)

COMPARE_ALL(F)
COMPARE_ALL(LT)
COMPARE_ALL(EQ)
COMPARE_ALL(LE)
COMPARE_ALL(GT)
COMPARE_ALL(LG)
COMPARE_ALL(GE)
COMPARE_ALL(O)
COMPARE_ALL(U)
COMPARE_ALL(NGE)
COMPARE_ALL(NLG)
COMPARE_ALL(NGT)
COMPARE_ALL(NLE)
COMPARE_ALL(NEQ)
COMPARE_ALL(NLT)
COMPARE_ALL(TRU)

#undef COMPARE_ALL
#undef COMPARE_X
#undef COMPARE
// clang-format on

// ---- Classes: bit n of src1 asks for class n. No denormal is flushed.

namespace {

template <typename Bits>
bool IsOfClass(Bits bits, Bits infinity, uint32_t wanted) {
  constexpr int kWidth = 8 * sizeof(Bits);
  const auto magnitude = static_cast<Bits>(bits & static_cast<Bits>(~(Bits{1} << (kWidth - 1))));
  const bool negative = (bits >> (kWidth - 1) & 1) != 0;
  const Bits smallest_normal = infinity & static_cast<Bits>(~infinity + 1);  // its lowest set bit
  const Bits quiet_bit = smallest_normal >> 1;
  uint32_t positive_class = magnitude == 0                ? 6
                            : magnitude < smallest_normal ? 7
                            : magnitude < infinity        ? 8
                                                          : 9;
  uint32_t number = negative ? 11 - positive_class : positive_class;
  if (magnitude > infinity) number = (magnitude & quiet_bit) != 0 ? 1 : 0;
  return (wanted >> number & 1) != 0;
}

template <typename T, typename Bits>
void Classify(Wave& w, const Instruction& i, Bits infinity, bool to_exec) {
  const uint64_t mask = CompareLanes<T, uint32_t>(w, i, [infinity](T a, uint32_t wanted) {
    return IsOfClass(std::bit_cast<Bits>(a), infinity, wanted);
  });
  WriteResult(w, i, mask, to_exec);
}

constexpr uint16_t kInfinity16 = 0x7C00;
constexpr uint32_t kInfinity32 = 0x7F800000;
constexpr uint64_t kInfinity64 = 0x7FF0000000000000;

}  // namespace

void exec_V_CMP_CLASS_F16(Wave& w, const Instruction& i) {
  Classify<Half>(w, i, kInfinity16, !kToExec);
}
void exec_V_CMPX_CLASS_F16(Wave& w, const Instruction& i) {
  Classify<Half>(w, i, kInfinity16, kToExec);
}
void exec_V_CMP_CLASS_F32(Wave& w, const Instruction& i) {
  Classify<float>(w, i, kInfinity32, !kToExec);
}
void exec_V_CMPX_CLASS_F32(Wave& w, const Instruction& i) {
  Classify<float>(w, i, kInfinity32, kToExec);
}
void exec_V_CMP_CLASS_F64(Wave& w, const Instruction& i) {
  Classify<double>(w, i, kInfinity64, !kToExec);
}
void exec_V_CMPX_CLASS_F64(Wave& w, const Instruction& i) {
  Classify<double>(w, i, kInfinity64, kToExec);
}

}  // namespace gcnjit::runtime
