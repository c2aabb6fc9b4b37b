#include "runtime/image_lanes/lane_registers.h"

#include <bit>

#include "runtime/interpreter/image_data.h"

namespace gcnjit::runtime {
namespace {

// As NarrowComponent and WidenComponent.
__m256i NarrowEight(const ElementFormat& format, __m256i wide) {
  if (format.IsInteger()) return _mm256_and_si256(wide, EightDwords(0xFFFF));
  const __m256 singles = _mm256_castsi256_ps(wide);
  return _mm256_cvtepu16_epi32(_mm256_cvtps_ph(singles, _MM_FROUND_TO_NEAREST_INT));
}
__m256i WidenEight(const ElementFormat& format, __m256i low_halves) {
  if (format.number == NumberFormat::kSint) {
    return _mm256_srai_epi32(_mm256_slli_epi32(low_halves, 16), 16);
  }
  const __m256i words = _mm256_and_si256(low_halves, EightDwords(0xFFFF));
  if (format.IsInteger()) return words;
  const __m128i halves =
      _mm_packus_epi32(_mm256_castsi256_si128(words), _mm256_extracti128_si256(words, 1));
  return _mm256_castps_si256(_mm256_cvtph_ps(halves));
}

}  // namespace

LaneResults::LaneResults(Wave& w, const Instruction& i, const ElementFormat& format)
    : w_(w), i_(i), format_(format), packs_(PacksHalves(w, i)) {}

void LaneResults::PutRegister(int vgpr, const LaneDwords& values) {
  uint32_t(&to)[kImageLanes] = w_.state.vgpr[vgpr];
  const uint64_t exec = w_.exec();
  if (exec == ~uint64_t{0}) {
    std::copy_n(values.at, kImageLanes, to);
    return;
  }
  for (uint64_t left = exec; left != 0; left &= left - 1) {
    const int lane = std::countr_zero(left);
    to[lane] = values.at[lane];
  }
}

void LaneResults::PutHalves(const LaneDwords& values) {
  const int n = next_++;
  LaneDwords registers;
  if (!packs_) {
    ForEachEight([&](int l) { PutEight(registers, l, NarrowEight(format_, EightOf(values, l))); });
    return PutRegister(i_.dst.index + n, registers);
  }
  const int vgpr = i_.dst.index + n / 2;
  const bool is_high = n % 2 == 1;
  const uint32_t kept = is_high ? 0xFFFF : i_.zeroes_half ? 0 : 0xFFFF0000;
  ForEachEight([&](int l) {
    const auto* const from = reinterpret_cast<const __m256i*>(w_.state.vgpr[vgpr] + l);
    const __m256i half = NarrowEight(format_, EightOf(values, l));
    const __m256i old = _mm256_and_si256(_mm256_load_si256(from), EightDwords(kept));
    PutEight(registers, l, _mm256_or_si256(old, is_high ? _mm256_slli_epi32(half, 16) : half));
  });
  PutRegister(vgpr, registers);
}

void LaneResults::Put(const LaneDwords& values) {
  if (i_.d16) return PutHalves(values);
  PutRegister(i_.dst.index + next_++, values);
}

const uint32_t (&StoredLanes(const Wave& w, const Instruction& i, const ElementFormat& format,
                             int n, LaneDwords& room))[kImageLanes] {
  if (!i.d16) return w.state.vgpr[i.src[1].index + n];
  const bool packs = PacksHalves(w, i);
  const uint32_t* const from = w.state.vgpr[i.src[1].index + (packs ? n / 2 : n)];
  const bool is_high = packs && n % 2 == 1;
  ForEachEight([&](int l) {
    const __m256i dwords = _mm256_load_si256(reinterpret_cast<const __m256i*>(from + l));
    PutEight(room, l, WidenEight(format, is_high ? _mm256_srli_epi32(dwords, 16) : dwords));
  });
  return room.at;
}

}  // namespace gcnjit::runtime
