// Sums of products of matrices as CDNA 3 forms them of f16, bf16, xf32 and 8-bit floats: products
// are shifted to the largest exponent among them and cut off, then added as integers; their sum and
// the addend likewise; the result is rounded to nearest even.
//
// Source: microsoft/MMA-Sim, which measured hardware. The one there is: what NaNs look like is
// ours.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "isa/matrix_shape.h"
#include "runtime/interpreter/float_bits.h"

namespace gcnjit::runtime {

// significand * 2^exponent; significands of normal numbers are in [1, 2).
struct AlignedPart {
  double significand = 0;
  int exponent = -126;  // zero's
};

// `least`: the smallest exponent of the format's normal numbers.
inline AlignedPart PartOf(double value, int least) {
  if (value == 0) return {};
  const int exponent = std::max(std::ilogb(value), least);
  return {std::ldexp(value, -exponent), exponent};
}

// The significand as an integer of units of 2^(exponent - bits), cut off.
inline int64_t CutOff(const AlignedPart& part, int exponent, int bits) {
  return static_cast<int64_t>(
      std::trunc(std::ldexp(part.significand, bits + part.exponent - exponent)));
}
// The same, toward minus infinity.
inline int64_t Lowered(double significand, int shift) {
  return static_cast<int64_t>(std::floor(std::ldexp(significand, shift)));
}

inline constexpr int kAlignedBits = 24;
inline constexpr int kSumBits = 31;

inline AlignedPart SumOf(const AlignedPart* products, int count, int step) {
  AlignedPart sum = {0, products[0].exponent};
  for (int n = 0; n < count; n += step) sum.exponent = std::max(sum.exponent, products[n].exponent);
  int64_t units = 0;
  for (int n = 0; n < count; n += step) units += CutOff(products[n], sum.exponent, kAlignedBits);
  sum.significand = std::ldexp(static_cast<double>(units), -kAlignedBits);
  return sum;
}

// Sums of the even and of the odd products, which are lowered to the larger exponent.
inline AlignedPart SumOfHalves(const AlignedPart* products, int count) {
  const AlignedPart even = SumOf(products, count, 2);
  const AlignedPart odd = SumOf(products + 1, count - 1, 2);
  const int exponent = std::max(even.exponent, odd.exponent);
  const int64_t units = Lowered(even.significand, kAlignedBits + even.exponent - exponent) +
                        Lowered(odd.significand, kAlignedBits + odd.exponent - exponent);
  return {std::ldexp(static_cast<double>(units), -kAlignedBits), exponent};
}

// The sum of products and addend, as f32. An addend that is much smaller than 8-bit products is 0.
inline float WithAddend(const AlignedPart& sum, float addend, bool of_bytes) {
  const AlignedPart c = PartOf(addend, -126);
  const int exponent = std::max(sum.exponent, c.exponent);
  const double products = std::ldexp(
      static_cast<double>(Lowered(sum.significand, kSumBits + sum.exponent - exponent)), -kSumBits);
  const bool counts = !of_bytes || c.exponent >= exponent - kAlignedBits - 1;
  const int64_t units = counts ? Lowered(c.significand, kAlignedBits + c.exponent - exponent) : 0;
  const double total = products + std::ldexp(static_cast<double>(units), -kAlignedBits);
  return static_cast<float>(std::ldexp(total, exponent));
}

inline bool IsBytes(frontend::MatrixElement element) {
  return element >= frontend::MatrixElement::kBf8Bf8;
}

// Of a row of A and a column of B, of k elements, and C's element.
class AlignedDot {
 public:
  using Element = float;
  using Word = uint32_t;
  explicit AlignedDot(frontend::MatrixElement element) : element_(element) {
    group_ = IsBytes(element) ? 16 : element == frontend::MatrixElement::kXf32 ? 4 : 8;
  }
  Word operator()(const float* a, const float* b, int k, Word c) {
    float sum = Noted(F::From(c));
    for (int n = 0; n < k; n += group_) {
      sum = Noted(Sum(a + n, b + n, std::min(group_, k - n), sum));
    }
    return F::Of(sum);
  }
  // Of addends and sums.
  bool met_denormal() const { return met_denormal_; }

 private:
  using F = Format<float>;

  float Noted(float value) {
    met_denormal_ |= std::fpclassify(value) == FP_SUBNORMAL;
    return value;
  }
  static int LeastExponent(frontend::MatrixElement element, bool of_a) {
    switch (element) {
      using enum frontend::MatrixElement;
      case kF16: return -14;
      case kBf8Bf8: return -15;
      case kFp8Fp8: return -7;
      case kBf8Fp8: return of_a ? -15 : -7;
      case kFp8Bf8: return of_a ? -7 : -15;
      default: return -126;
    }
  }
  float Sum(const float* a, const float* b, int count, float addend) const {
    constexpr double kTooLarge = 0x1p128;
    double rough = addend;
    double large = 0;  // of infinities that products are alone
    for (int n = 0; n < count; ++n) {
      const double product = double{a[n]} * double{b[n]};
      rough += product;
      if (std::fabs(product) >= kTooLarge) large += std::copysign(HUGE_VAL, product);
    }
    if (std::isnan(rough) || std::isnan(large)) return F::From(0x7FC00000);
    if (std::isinf(rough)) return static_cast<float>(rough);
    if (large != 0) return static_cast<float>(large);
    // All numbers are finite.
    AlignedPart products[16];
    for (int n = 0; n < count; ++n) {
      const AlignedPart x = PartOf(a[n], LeastExponent(element_, true));
      const AlignedPart y = PartOf(b[n], LeastExponent(element_, false));
      products[n] = {x.significand * y.significand, x.exponent + y.exponent};
    }
    const bool of_bytes = IsBytes(element_);
    const AlignedPart sum = of_bytes ? SumOfHalves(products, count) : SumOf(products, count, 1);
    return WithAddend(sum, addend, of_bytes);
  }

  const frontend::MatrixElement element_;
  int group_;
  bool met_denormal_ = false;
};

}  // namespace gcnjit::runtime
