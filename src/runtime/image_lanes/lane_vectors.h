// Values of a wave's lanes, and eight of them at a time.
#pragma once

#include <immintrin.h>

#include <cstdint>

namespace gcnjit::runtime {

inline constexpr int kImageLanes = 64;

template <typename T>
struct alignas(64) LaneArray {
  T at[kImageLanes];
};
using LaneDwords = LaneArray<uint32_t>;
using LaneSums = LaneArray<double>;

template <typename F>
inline void ForEachEight(F f) {
  for (int lane = 0; lane < kImageLanes; lane += 8) f(lane);
}

inline __m256i EightOf(const LaneDwords& lanes, int first) {
  return _mm256_load_si256(reinterpret_cast<const __m256i*>(lanes.at + first));
}
inline void PutEight(LaneDwords& lanes, int first, __m256i values) {
  _mm256_store_si256(reinterpret_cast<__m256i*>(lanes.at + first), values);
}
inline __m256i EightDwords(uint32_t value) { return _mm256_set1_epi32(static_cast<int>(value)); }

}  // namespace gcnjit::runtime
