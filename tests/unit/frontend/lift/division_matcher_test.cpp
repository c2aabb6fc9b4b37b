// Divisions with each operand of each step replaced by each value that is there: what is taken for
// a quotient has to be one. The steps are evaluated on numbers of all sizes, and built as IR.
#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <random>
#include <type_traits>
#include <vector>

#include "frontend/lift/divisions.h"
#include "ir/builder.h"
#include "runtime/interpreter/division.h"

namespace gcnjit::frontend {
namespace {

using ir::Op;
using ir::Type;
using ir::Value;

enum class Kind : uint8_t { kScale, kReciprocal, kMul, kFma, kFmas, kFixup };

// Values are numbered: those that are there from the begin, then each step's.
constexpr int kDenominator = 0;
constexpr int kNumerator = 1;
constexpr int kOne = 2;
constexpr int kGiven = 3;

struct Step {
  Kind kind;
  std::array<int, 3> args;  // values; kScale: of, denominator, numerator
  bool negative = false;    // the first argument, with the other sign
  int mask = 0;             // kFmas: the scale whose mask counts, a value
};

// v_div_scale of both, so many steps for reciprocal and quotient, and the end.
std::vector<Step> DivisionOf(int reciprocal_steps, int quotient_steps) {
  std::vector<Step> steps;
  const auto add = [&](const Step& step) {
    steps.push_back(step);
    return kGiven + static_cast<int>(steps.size()) - 1;
  };
  const int d = add({Kind::kScale, {kDenominator, kDenominator, kNumerator}});
  const int n = add({Kind::kScale, {kNumerator, kDenominator, kNumerator}});
  int y = add({Kind::kReciprocal, {d, d, d}});
  for (int step = 0; step < reciprocal_steps; ++step) {
    const int e = add({Kind::kFma, {d, y, kOne}, true});
    y = add({Kind::kFma, {e, y, y}});
  }
  int q = add({Kind::kMul, {n, y, y}});
  for (int step = 0; step < quotient_steps; ++step) {
    const int e = add({Kind::kFma, {d, q, n}, true});
    q = add({Kind::kFma, {e, y, q}});
  }
  const int e = add({Kind::kFma, {d, q, n}, true});
  const int sum = add({Kind::kFmas, {e, y, q}, false, n});
  add({Kind::kFixup, {sum, kDenominator, kNumerator}});
  return steps;
}

template <typename T>
T Evaluate(const std::vector<Step>& steps, T d, T n) {
  using namespace runtime;
  std::vector<T> values = {d, n, T{1}};
  std::vector<bool> masks(values.size());
  for (const Step& step : steps) {
    const T x = step.negative ? -values[step.args[0]] : values[step.args[0]];
    const T y = values[step.args[1]];
    const T z = values[step.args[2]];
    Scaled<T> result = {};
    switch (step.kind) {
      case Kind::kScale: result = DivScale(x, y, z, false); break;
      case Kind::kReciprocal: result.value = T{1} / x; break;
      case Kind::kMul: result.value = x * y; break;
      case Kind::kFma: result.value = std::fma(x, y, z); break;
      case Kind::kFmas:
        result.value = DivFmas(x, y, z, masks[step.mask], Round::kNearest, false);
        break;
      case Kind::kFixup: result.value = DivFixup(x, y, z, Round::kNearest, Denormals{}); break;
    }
    values.push_back(result.value);
    masks.push_back(result.post_scale);
  }
  return values.back();
}

// Numbers of all sizes, and pairs that are far apart.
template <typename T>
bool IsRightOnAll(const std::vector<Step>& steps) {
  std::mt19937_64 random(1);
  constexpr int kTries = 2000;
  constexpr int kMost = sizeof(T) == 4 ? 126 : 1022;
  const auto number = [&] {
    const T fraction = 1 + std::ldexp(static_cast<T>(random() >> 40), -24);
    const int exponent = static_cast<int>(random() % (2 * kMost)) - kMost;
    return std::ldexp(random() % 2 == 0 ? fraction : -fraction,
                      exponent / static_cast<int>(1 + random() % 9));
  };
  for (int n = 0; n < kTries; ++n) {
    const T a = number();
    const T b = number();
    using Bits = std::conditional_t<sizeof(T) == 4, uint32_t, uint64_t>;
    if (std::bit_cast<Bits>(T{a / b}) != std::bit_cast<Bits>(Evaluate(steps, b, a))) return false;
  }
  return true;
}

// As the lifter has it.
bool IsTaken(const std::vector<Step>& steps, int bits) {
  ir::Function function;
  ir::Block& block = function.blocks.emplace_back();
  ir::Builder b(function, block);
  Divisions divisions;
  const bool is_wide = bits == 64;
  const auto dword = [&](int n) { return b.Emit(Op::kGetVgpr, Type::kV32, {}, n); };
  const auto read = [&](int vgpr) {
    return is_wide ? b.Pack(dword(vgpr), dword(vgpr + 1)) : dword(vgpr);
  };
  // Results of instructions that are a matter of their own.
  const auto opaque = [&](int n) { return b.Unary(Op::kNot, read(100 + 2 * n)); };
  const auto negative = [&](Value v) {
    return b.Xor(v, is_wide ? b.U64(uint64_t{1} << 63) : b.U32(0x80000000));
  };
  // Those that are there from the begin are in registers, and each instruction reads them anew.
  const std::vector<Value> dwords = {dword(0), dword(1), dword(2), dword(3)};
  const auto given = [&](int n) {
    if (n == kOne) return is_wide ? b.U64(0x3FF0000000000000) : b.U32(0x3F800000);
    return is_wide ? b.Pack(dwords[2 * n], dwords[2 * n + 1]) : dwords[2 * n];
  };
  std::vector<Value> values(kGiven);
  std::vector<Value> masks(kGiven);
  const auto value = [&](int n) { return n < kGiven ? given(n) : values[n]; };
  for (const Step& step : steps) {
    const Value x = step.negative ? negative(value(step.args[0])) : value(step.args[0]);
    const Value y = value(step.args[1]);
    const Value z = value(step.args[2]);
    const auto number = static_cast<int>(values.size());
    Value result;
    Value mask;
    switch (step.kind) {
      case Kind::kScale:
        result = opaque(number);
        mask = b.Emit(Op::kGetSgpr64, Type::kU64, {}, 2 * number);
        divisions.Add(Divisions::Scale{result, x, y, z, mask});
        break;
      case Kind::kReciprocal:
        result = opaque(number);
        divisions.AddReciprocal(result, x);
        break;
      case Kind::kMul: result = b.Float(Op::kFMul, {}, bits, {x, y}); break;
      case Kind::kFma: result = b.Float(Op::kFFma, {}, bits, {x, y, z}); break;
      case Kind::kFmas:
        result = opaque(number);
        divisions.Add(Divisions::Fmas{result, x, y, z, masks[step.mask]});
        break;
      case Kind::kFixup: return divisions.IsQuotient(function, x, y, z, {});
    }
    values.push_back(result);
    masks.push_back(mask);
  }
  return false;
}

template <typename T>
void TryAll(int reciprocal_steps, int quotient_steps) {
  constexpr int kBits = sizeof(T) * 8;
  const std::vector<Step> right = DivisionOf(reciprocal_steps, quotient_steps);
  ASSERT_TRUE(IsRightOnAll<T>(right));
  EXPECT_TRUE(IsTaken(right, kBits));
  int refused = 0;
  const auto check = [&](const std::vector<Step>& steps, size_t changed) {
    if (!IsTaken(steps, kBits)) {
      ++refused;
    } else {
      EXPECT_TRUE(IsRightOnAll<T>(steps)) << "step " << changed << " is another one";
    }
  };
  for (size_t n = 0; n < right.size(); ++n) {
    std::vector<Step> steps = right;
    const int there = kGiven + static_cast<int>(n);
    for (size_t argument = 0; argument < 3; ++argument) {
      for (int value = 0; value < there; ++value) {
        steps[n].args[argument] = value;
        check(steps, n);
      }
      steps[n].args[argument] = right[n].args[argument];
    }
    steps[n].negative = !steps[n].negative;
    check(steps, n);
    steps[n].negative = right[n].negative;
    if (right[n].kind != Kind::kFmas) continue;
    for (int value = 0; value < there; ++value) {  // without a mask: no lane is scaled
      steps[n].mask = value;
      check(steps, n);
    }
  }
  EXPECT_GT(refused, 50);
}

TEST(DivisionMatcher, TakesOnlyQuotientsOfF32) {
  for (int n = 0; n < 9; ++n) TryAll<float>(n / 3, n % 3);
}

TEST(DivisionMatcher, TakesOnlyQuotientsOfF64) {
  for (int n = 0; n < 9; ++n) TryAll<double>(n / 3, n % 3);
}

}  // namespace
}  // namespace gcnjit::frontend
