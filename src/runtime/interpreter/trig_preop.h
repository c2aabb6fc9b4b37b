// v_trig_preop_f64: 53 bits of 2/pi, for the argument reduction of sine and cosine.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

#include "runtime/interpreter/float_bits.h"

namespace gcnjit::runtime {

// The first 1184 bits of the binary expansion of 2/pi, the highest first; the instruction knows no
// more (measured on gfx12 hardware, as LLVM's constant folding has it; the manual says 1201).
inline constexpr int kTwoOverPiBits = 1184;
inline constexpr uint32_t kTwoOverPi[kTwoOverPiBits / 32] = {
    // clang-format off
    0xa2f9836e, 0x4e441529, 0xfc2757d1, 0xf534ddc0, 0xdb629599, 0x3c439041, 0xfe5163ab, 0xdebbc561,
    0xb7246e3a, 0x424dd2e0, 0x06492eea, 0x09d1921c, 0xfe1deb1c, 0xb129a73e, 0xe88235f5, 0x2ebb4484,
    0xe99c7026, 0xb45f7e41, 0x3991d639, 0x835339f4, 0x9c845f8b, 0xbdf9283b, 0x1ff897ff, 0xde05980f,
    0xef2f118b, 0x5a0a6d1f, 0x6d367ecf, 0x27cb09b7, 0x4f463f66, 0x9e5fea2d, 0x7527bac7, 0xebe5f17b,
    0x3d0739f7, 0x8a5292ea, 0x6bfb5fb1, 0x1f8d5d08, 0x56033046,
    // clang-format on
};

// Bits [first, first + 53) as an integer; zeros beyond the end.
inline uint64_t TwoOverPiBits(int first) {
  const auto word = [](int n) -> uint64_t { return n < kTwoOverPiBits / 32 ? kTwoOverPi[n] : 0; };
  const int n = first / 32;
  const int skip = first % 32;
  const uint64_t top = word(n) << 32 | word(n + 1);
  const uint64_t joined = skip == 0 ? top : top << skip | word(n + 2) >> (32 - skip);
  return joined >> 11;
}

// Arguments from 2^55 on skip the bits that only yield whole turns; those from 2^945 on get their
// result scaled by 2^128, against underflow.
inline double TrigPreop(double x, uint32_t segment) {
  using D = Format<double>;
  const int exponent = D::Exponent(D::Of(x));
  const int shift =
      std::min(static_cast<int>(segment & 31) * 53 + std::max(exponent - 1077, 0), kTwoOverPiBits);
  const uint64_t significand = TwoOverPiBits(shift);
  if (significand == 0) return 0;
  // significand * 2^scale, rounded toward zero.
  const int scale = -53 - shift + (exponent >= 1968 ? 128 : 0);
  const int leading = 63 - std::countl_zero(significand);
  const int biased = leading + scale + D::kBias;
  if (biased > 0) {
    const uint64_t fraction = significand << (D::kFractionBits - leading) & D::kFraction;
    return D::From(static_cast<uint64_t>(biased) << D::kFractionBits | fraction);
  }
  const int drop = -(scale + D::kBias - 1 + D::kFractionBits);  // to units of 2^-1074
  return D::From(drop <= 0 ? significand << -drop : drop < 64 ? significand >> drop : 0);
}

}  // namespace gcnjit::runtime
