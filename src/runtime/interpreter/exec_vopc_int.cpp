// Vector compares of integers: v_cmp, and v_cmpx, which also writes EXEC.
#include "runtime/interpreter/lanes.h"

namespace gcnjit::runtime {
namespace {

constexpr bool kToExec = true;

template <typename T, typename F>
void Compare(Wave& w, const Instruction& i, bool to_exec, F f) {
  const uint64_t mask = CompareLanes<T, T>(w, i, f);
  WriteLaneMask(w, i.dst, mask);
  if (to_exec) w.state.SetPair(frontend::kCodeExecLo, mask);
}

const auto kF = [](auto, auto) { return false; };
const auto kLT = [](auto a, auto b) { return a < b; };
const auto kEQ = [](auto a, auto b) { return a == b; };
const auto kLE = [](auto a, auto b) { return a <= b; };
const auto kGT = [](auto a, auto b) { return a > b; };
const auto kLG = [](auto a, auto b) { return a != b; };
const auto kNE = kLG;
const auto kGE = [](auto a, auto b) { return a >= b; };
const auto kTRU = [](auto, auto) { return true; };
const auto kT = kTRU;

}  // namespace

// clang-format off
#define COMPARE(condition, type, T)                                         \
  void exec_V_CMP_##condition##_##type(Wave& w, const Instruction& i) {     \
    Compare<T>(w, i, !kToExec, k##condition);                               \
  }                                                                         \
  void exec_V_CMPX_##condition##_##type(Wave& w, const Instruction& i) {    \
    Compare<T>(w, i, kToExec, k##condition);                                \
  }
#define COMPARE_16(condition)                                               \
  COMPARE(condition, I16, int16_t)                                          \
  COMPARE(condition, U16, uint16_t)
#define COMPARE_32_64(condition)                                            \
  COMPARE(condition, I32, int32_t)                                          \
  COMPARE(condition, U32, uint32_t)                                         \
  COMPARE(condition, I64, int64_t)                                          \
  COMPARE(condition, U64, uint64_t)

COMPARE_16(F)
COMPARE_32_64(F)
COMPARE_16(LT)
COMPARE_32_64(LT)
COMPARE_16(EQ)
COMPARE_32_64(EQ)
COMPARE_16(LE)
COMPARE_32_64(LE)
COMPARE_16(GT)
COMPARE_32_64(GT)
COMPARE_16(GE)
COMPARE_32_64(GE)
COMPARE_16(NE)
COMPARE_16(T)
COMPARE_32_64(NE)
COMPARE_32_64(T)

#undef COMPARE_32_64
#undef COMPARE_16
#undef COMPARE
// clang-format on

}  // namespace gcnjit::runtime
