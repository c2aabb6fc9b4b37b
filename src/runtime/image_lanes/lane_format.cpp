#include "runtime/image_lanes/lane_format.h"

#include <immintrin.h>

#include <bit>

#include "runtime/image_lanes/normaliser.h"
#include "runtime/interpreter/element.h"

namespace gcnjit::runtime {
namespace {

struct ElementField {
  int dword = 0;
  int shift = 0;
  int bits = 0;

  uint32_t Mask() const { return bits == 32 ? ~0u : (1u << bits) - 1; }
};

ElementField ElementFieldAt(const ElementFormat& format, int n) {
  int bit = 0;
  for (int k = 0; k < n; ++k) bit += format.bits[k];
  return {bit / 32, bit % 32, format.bits[n]};
}

void UnpackNumbers(const ElementField& field, NumberFormat number, const LaneDwords& from,
                   LaneDwords& values) {
  const uint32_t mask = field.Mask();
  const __m256i mask8 = EightDwords(mask);
  const __m128i shift = _mm_cvtsi32_si128(field.shift);
  const __m128i left = _mm_cvtsi32_si128(32 - field.bits - field.shift);
  const __m128i right = _mm_cvtsi32_si128(32 - field.bits);
  const auto whole = [&](int l) {
    return _mm256_and_si256(_mm256_srl_epi32(EightOf(from, l), shift), mask8);
  };
  const auto extended = [&](int l) {
    return _mm256_sra_epi32(_mm256_sll_epi32(EightOf(from, l), left), right);
  };
  switch (number) {
    case NumberFormat::kUint: return ForEachEight([&](int l) { PutEight(values, l, whole(l)); });
    case NumberFormat::kSint: return ForEachEight([&](int l) { PutEight(values, l, extended(l)); });
    case NumberFormat::kUnorm:
    case NumberFormat::kSrgb: {  // the fourth component
      const Normaliser normalise(mask);
      return ForEachEight(
          [&](int l) { PutEight(values, l, _mm256_castps_si256(normalise.Of(whole(l)))); });
    }
    default: {
      const Normaliser normalise(mask >> 1);
      const __m256 least = _mm256_set1_ps(-1.0f);
      return ForEachEight([&](int l) {
        PutEight(values, l, _mm256_castps_si256(_mm256_max_ps(normalise.Of(extended(l)), least)));
      });
    }
  }
}

void UnpackHalves(int shift, const LaneDwords& from, LaneDwords& values) {
  const __m256i low = EightDwords(0xFFFF);
  ForEachEight([&](int l) {
    const __m256i words = _mm256_and_si256(_mm256_srli_epi32(EightOf(from, l), shift), low);
    const __m128i halves =
        _mm_packus_epi32(_mm256_castsi256_si128(words), _mm256_extracti128_si256(words, 1));
    PutEight(values, l, _mm256_castps_si256(_mm256_cvtph_ps(halves)));
  });
}

void UnpackSrgb(int shift, const LaneDwords& from, LaneDwords& values) {
  const float* const linear = SrgbValues();
  ForEachEight([&](int l) {
    const __m256i bytes =
        _mm256_and_si256(_mm256_srli_epi32(EightOf(from, l), shift), EightDwords(0xFF));
    PutEight(values, l, _mm256_castps_si256(_mm256_i32gather_ps(linear, bytes, 4)));
  });
}

// Numbers from `least` to 1 as whole ones from `least` * `most` to `most`, to nearest even:
// products are exact in double. NaN becomes 0.
__m256i WholeNumbers(const uint32_t* singles, double least, double most) {
  const auto four = [&](const uint32_t* from) {
    const __m256d value = _mm256_cvtps_pd(_mm_loadu_ps(reinterpret_cast<const float*>(from)));
    const __m256d is_number = _mm256_cmp_pd(value, value, _CMP_ORD_Q);
    const __m256d number = _mm256_and_pd(value, is_number);
    const __m256d clamped =
        _mm256_min_pd(_mm256_max_pd(number, _mm256_set1_pd(least)), _mm256_set1_pd(1.0));
    return _mm256_cvtpd_epi32(_mm256_mul_pd(clamped, _mm256_set1_pd(most)));
  };
  return _mm256_set_m128i(four(singles + 4), four(singles));
}
__m256i LaneHalves(const uint32_t* singles) {
  const __m256 value = _mm256_loadu_ps(reinterpret_cast<const float*>(singles));
  return _mm256_cvtepu16_epi32(_mm256_cvtps_ph(value, _MM_FROUND_TO_NEAREST_INT));
}
// Of 1 to 32 bits.
__m256i Saturated(__m256i values, const ElementField& field, bool is_signed) {
  const uint32_t mask = field.Mask();
  if (!is_signed) return _mm256_min_epu32(values, EightDwords(mask));
  const __m256i most = EightDwords(mask >> 1);
  const __m256i least = _mm256_xor_si256(most, EightDwords(~0u));
  return _mm256_max_epi32(_mm256_min_epi32(values, most), least);
}
__m256i AsTheyAre(const uint32_t* values) {
  return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(values));
}

template <uint32_t kBytes>
void LoadLanesOf(uint64_t base, const LaneDwords& offsets, LaneElements& elements) {
  for (int lane = 0; lane < kImageLanes; ++lane) {
    uint32_t element[4] = {};
    LoadElement(element, reinterpret_cast<const void*>(base + offsets.at[lane]), kBytes);
    for (uint32_t d = 0; d * 4 < kBytes; ++d) elements.dwords[d].at[lane] = element[d];
  }
}

template <uint32_t kBytes>
void StoreLanesOf(uint64_t base, const LaneDwords& offsets, uint64_t mask,
                  const LaneElements& elements) {
  for (; mask != 0; mask &= mask - 1) {
    const int lane = std::countr_zero(mask);
    uint32_t element[(kBytes + 3) / 4];
    for (uint32_t d = 0; d * 4 < kBytes; ++d) element[d] = elements.dwords[d].at[lane];
    StoreElement(reinterpret_cast<void*>(base + offsets.at[lane]), element, kBytes);
  }
}

}  // namespace

bool HasLaneFormat(const ElementFormat& format) {
  for (int n = 0; n < format.components; ++n) {
    const int bits = format.bits[n];
    switch (format.number) {
      case NumberFormat::kUnorm:
      case NumberFormat::kSrgb: break;
      case NumberFormat::kSnorm:
        if (bits < 2) return false;
        break;
      case NumberFormat::kUint:
      case NumberFormat::kSint: break;
      case NumberFormat::kFloat:
        if (bits < 16) return false;
        break;
      default: return false;
    }
  }
  return true;
}

void LoadLanes(const ElementFormat& format, uint64_t base, const LaneDwords& offsets,
               LaneElements& elements) {
  switch (format.bytes) {
    case 1: return LoadLanesOf<1>(base, offsets, elements);
    case 2: return LoadLanesOf<2>(base, offsets, elements);
    case 4: return LoadLanesOf<4>(base, offsets, elements);
    case 8: return LoadLanesOf<8>(base, offsets, elements);
    case 12: return LoadLanesOf<12>(base, offsets, elements);
    default: return LoadLanesOf<16>(base, offsets, elements);
  }
}

void StoreLanes(const ElementFormat& format, uint64_t base, const LaneDwords& offsets,
                uint64_t mask, const LaneElements& elements) {
  switch (format.bytes) {
    case 1: return StoreLanesOf<1>(base, offsets, mask, elements);
    case 2: return StoreLanesOf<2>(base, offsets, mask, elements);
    case 4: return StoreLanesOf<4>(base, offsets, mask, elements);
    case 8: return StoreLanesOf<8>(base, offsets, mask, elements);
    case 12: return StoreLanesOf<12>(base, offsets, mask, elements);
    default: return StoreLanesOf<16>(base, offsets, mask, elements);
  }
}

void UnpackLanes(const ElementFormat& format, int n, const LaneElements& elements,
                 LaneDwords& values) {
  const ElementField field = ElementFieldAt(format, n);
  const LaneDwords& from = elements.dwords[field.dword];
  if (field.bits == 32) {
    values = from;
  } else if (format.number == NumberFormat::kFloat) {
    UnpackHalves(field.shift, from, values);
  } else if (format.number == NumberFormat::kSrgb && n < 3) {
    UnpackSrgb(field.shift, from, values);
  } else {
    UnpackNumbers(field, format.number, from, values);
  }
}

void PackLanes(const ElementFormat& format, int n, const uint32_t (&values)[kImageLanes],
               LaneElements& elements) {
  const ElementField field = ElementFieldAt(format, n);
  const uint32_t mask = field.Mask();
  LaneDwords& to = elements.dwords[field.dword];
  const __m256i mask8 = EightDwords(mask);
  const __m128i shift = _mm_cvtsi32_si128(field.shift);
  const auto put = [&](auto convert) {
    ForEachEight([&](int l) {
      const __m256i bits = _mm256_sll_epi32(_mm256_and_si256(convert(values + l), mask8), shift);
      PutEight(to, l, _mm256_or_si256(EightOf(to, l), bits));
    });
  };
  switch (format.number) {
    case NumberFormat::kUnorm:
      return put([mask](const uint32_t* v) { return WholeNumbers(v, 0, mask); });
    case NumberFormat::kSnorm:
      return put([mask](const uint32_t* v) { return WholeNumbers(v, -1, mask >> 1); });
    case NumberFormat::kFloat:
      if (field.bits == 16) return put(LaneHalves);
      return put(AsTheyAre);
    default: {
      const bool is_signed = format.number == NumberFormat::kSint;
      return put([&](const uint32_t* v) { return Saturated(AsTheyAre(v), field, is_signed); });
    }
  }
}

}  // namespace gcnjit::runtime
