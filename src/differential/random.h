// A small deterministic generator of random numbers: the same seed gives the same program on every
// machine and with every standard library.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace gcnjit::differential {

class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed) {}

  uint64_t Next() {  // splitmix64
    state_ += 0x9E3779B97F4A7C15;
    uint64_t z = state_;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
    return z ^ (z >> 31);
  }
  uint32_t Word() { return static_cast<uint32_t>(Next() >> 32); }
  uint32_t Bits(int count) { return static_cast<uint32_t>(Next() >> (64 - count)); }
  // 0 to n - 1.
  uint32_t Below(uint32_t n) {
    return static_cast<uint32_t>((static_cast<uint64_t>(Word()) * n) >> 32);
  }
  // first to last, both included.
  uint32_t Between(uint32_t first, uint32_t last) { return first + Below(last - first + 1); }
  bool Percent(uint32_t percent) { return Below(100) < percent; }

  template <typename T, size_t kCount>
  T Pick(const T (&values)[kCount]) {
    return values[Below(kCount)];
  }
  template <typename T>
  const T& Pick(const std::vector<T>& values) {
    return values[Below(static_cast<uint32_t>(values.size()))];
  }
  // An index, in proportion to the weights.
  template <size_t kCount>
  size_t Weighted(const int (&weights)[kCount]) {
    int total = 0;
    for (const int weight : weights) total += weight;
    int at = static_cast<int>(Below(static_cast<uint32_t>(total)));
    for (size_t n = 0; n < kCount; ++n) {
      at -= weights[n];
      if (at < 0) return n;
    }
    return 0;
  }

 private:
  uint64_t state_;
};

}  // namespace gcnjit::differential
