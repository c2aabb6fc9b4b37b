// References of apps.cl.
#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>
#include <string_view>

#include "harness.h"

namespace gcnjit::kernel_tests {
namespace apps_kernels {
namespace {

std::vector<float> WholeFloats(Run& run, size_t count, int limit) {
  std::vector<float> values;
  for (size_t i = 0; i < count; ++i) {
    values.push_back(static_cast<float>(run.random().Between(-limit, limit)));
  }
  return values;
}

// Numbers within `bound` of what is wanted, element by element.
void OutWithin(Run& run, const std::vector<double>& want, std::vector<double> bounds,
               const std::vector<float>& before) {
  run.Judged<float>(before, [want, bounds](const std::vector<float>& got) {
    for (size_t i = 0; i < got.size(); ++i) {
      const double bound = bounds[i % bounds.size()];
      if (std::fabs(double{got[i]} - want[i]) <= bound) continue;
      return "element " + std::to_string(i) + ": got " + std::to_string(got[i]) + ", want " +
             std::to_string(want[i]) + " within " + std::to_string(bound);
    }
    return std::string();
  });
}

void Saxpy(Run& run) {
  constexpr int32_t kCount = 1000;
  run.Grid({1024}, {256});
  const auto x = WholeFloats(run, kCount, 5000);
  const auto before = WholeFloats(run, kCount, 5000);
  auto after = before;  // whole numbers: contraction does not matter
  for (size_t i = 0; i < kCount; ++i) after[i] += 3 * x[i];
  run.InOut(before, after);
  run.In(x);
  run.Value(3.0f);
  run.Value(kCount);
}

void SgemmNaive(Run& run) {
  constexpr uint32_t kSize = 32;
  run.Grid({kSize, kSize}, {8, 8});
  const auto a = WholeFloats(run, kSize * kSize, 300);
  const auto b = WholeFloats(run, kSize * kSize, 300);
  std::vector<float> c;
  for (size_t i = 0; i < kSize * kSize; ++i) {
    float sum = 0;
    for (size_t k = 0; k < kSize; ++k) sum += a[i / kSize * kSize + k] * b[k * kSize + i % kSize];
    c.push_back(sum);
  }
  run.Out(c);
  run.In(a);
  run.In(b);
  run.Value(static_cast<int32_t>(kSize));
}

void Nbody(Run& run) {
  constexpr uint32_t kBodies = 128;
  run.Grid({kBodies}, {64});
  auto bodies = run.random().Floats(kBodies * 4, -1, 1);
  for (size_t i = 3; i < bodies.size(); i += 4) bodies[i] = std::fabs(bodies[i]);
  std::vector<double> want;
  std::vector<double> bounds;
  for (size_t i = 0; i < kBodies; ++i) {
    std::array<double, 3> sum{};
    std::array<double, 3> magnitude{};
    for (size_t j = 0; j < kBodies; ++j) {
      std::array<double, 3> d{};
      double r2 = 0.01;
      for (size_t k = 0; k < 3; ++k) {
        d[k] = double{bodies[4 * j + k]} - bodies[4 * i + k];
        r2 += d[k] * d[k];
      }
      for (size_t k = 0; k < 3; ++k) {
        const double term = d[k] * bodies[4 * j + 3] / (r2 * std::sqrt(r2));
        sum[k] += term;
        magnitude[k] += std::fabs(term);
      }
    }
    // Each term: three factors of a 2 ulp rsqrt, about ten roundings; each partial sum another.
    for (size_t k = 0; k < 3; ++k) {
      want.push_back(sum[k]);
      bounds.push_back(magnitude[k] * 100 * 0x1p-24);
    }
    want.push_back(0);
    bounds.push_back(0);
  }
  OutWithin(run, want, bounds, std::vector<float>(kBodies * 4, 7));
  run.In(bodies);
  run.Value(static_cast<int32_t>(kBodies));
}

// FIPS 180-4, straight: the constants are fractional bits of roots of primes.
class Sha256 {
 public:
  Sha256() {
    int found = 0;
    for (uint32_t n = 2; found < 64; ++n) {
      bool prime = true;
      for (uint32_t d = 2; d * d <= n; ++d) prime &= n % d != 0;
      if (!prime) continue;
      const long double cube = std::cbrt(static_cast<long double>(n));
      const long double square = std::sqrt(static_cast<long double>(n));
      k_[static_cast<size_t>(found)] = Fraction(cube);
      if (found < 8) start_[static_cast<size_t>(found)] = Fraction(square);
      ++found;
    }
  }
  std::array<uint32_t, 8> Block(const uint32_t* words) const {
    std::array<uint32_t, 64> w{};
    for (size_t t = 0; t < 64; ++t) {
      w[t] = t < 16 ? words[t]
                    : (std::rotr(w[t - 2], 17) ^ std::rotr(w[t - 2], 19) ^ (w[t - 2] >> 10)) +
                          w[t - 7] +
                          (std::rotr(w[t - 15], 7) ^ std::rotr(w[t - 15], 18) ^ (w[t - 15] >> 3)) +
                          w[t - 16];
    }
    auto s = start_;
    for (size_t t = 0; t < 64; ++t) {
      const uint32_t choose = (s[4] & s[5]) ^ (~s[4] & s[6]);
      const uint32_t majority = (s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]);
      const uint32_t t1 = s[7] + (std::rotr(s[4], 6) ^ std::rotr(s[4], 11) ^ std::rotr(s[4], 25)) +
                          choose + k_[t] + w[t];
      const uint32_t t2 =
          (std::rotr(s[0], 2) ^ std::rotr(s[0], 13) ^ std::rotr(s[0], 22)) + majority;
      s = {t1 + t2, s[0], s[1], s[2], s[3] + t1, s[4], s[5], s[6]};
    }
    for (size_t j = 0; j < 8; ++j) s[j] += start_[j];
    return s;
  }

 private:
  static uint32_t Fraction(long double root) {
    return static_cast<uint32_t>((root - std::floor(root)) * 0x1p32L);
  }
  std::array<uint32_t, 64> k_{};
  std::array<uint32_t, 8> start_{};
};

void Sha(Run& run) {
  constexpr uint32_t kItems = 192;
  run.Grid({kItems}, {64});
  auto blocks = run.random().Integers<uint32_t>(kItems * 16);
  std::fill(blocks.begin(), blocks.begin() + 16, 0);  // "abc", padded
  blocks[0] = 0x61626380;
  blocks[15] = 24;
  const Sha256 sha;
  std::vector<uint32_t> out;
  for (size_t i = 0; i < kItems; ++i) {
    const auto digest = sha.Block(&blocks[16 * i]);
    out.insert(out.end(), digest.begin(), digest.end());
  }
  const std::array<uint32_t, 8> abc = {0xba7816bf, 0x8f01cfea, 0x414140de, 0x5dae2223,
                                       0xb00361a3, 0x96177a9c, 0xb410ff61, 0xf20015ad};
  std::copy(abc.begin(), abc.end(), out.begin());  // the standard's own example
  run.Out(out);
  run.In(blocks);
}

void Stencil(Run& run) {
  constexpr int32_t kWidth = 50;
  constexpr int32_t kHeight = 21;
  run.Grid({64, 24}, {16, 8});
  const auto in = WholeFloats(run, kWidth * kHeight, 1000);
  auto out = in;  // multiples of 1/8: exact
  for (size_t y = 1; y < kHeight - 1; ++y) {
    for (size_t x = 1; x < kWidth - 1; ++x) {
      const size_t at = y * kWidth + x;
      out[at] = (4 * in[at] + in[at - 1] + in[at + 1] + in[at - kWidth] + in[at + kWidth]) / 8;
    }
  }
  run.Out(out);
  run.In(in);
  run.Value(kWidth);
  run.Value(kHeight);
}

void BlackScholes(Run& run) {
  constexpr uint32_t kItems = 256;
  constexpr float kRate = 0.02f;
  constexpr float kVolatility = 0.3f;
  run.Grid({kItems}, {64});
  const auto spot = run.random().Floats(kItems, 5, 30);
  const auto strike = run.random().Floats(kItems, 1, 100);
  const auto years = run.random().Floats(kItems, 0.25, 10);
  std::vector<double> want;
  for (size_t i = 0; i < kItems; ++i) {
    const double s = spot[i], k = strike[i], t = years[i], r = kRate, v = kVolatility;
    const auto cdf = [](double x) { return std::erfc(-x / std::numbers::sqrt2) / 2; };
    const double d1 = (std::log(s / k) + (r + v * v / 2) * t) / (v * std::sqrt(t));
    const double d2 = d1 - v * std::sqrt(t);
    want.push_back(s * cdf(d1) - k * std::exp(-r * t) * cdf(d2));
    want.push_back(k * std::exp(-r * t) * cdf(-d2) - s * cdf(-d1));
  }
  // Differences of numbers up to 100, each with a relative error of some 20 roundings (erfc: 16
  // ulp; a division of 2.5 ulp): 100 * 2^-19.
  OutWithin(run, want, {2e-4}, std::vector<float>(2 * kItems));
  run.In(spot);
  run.In(strike);
  run.In(years);
  run.Value(kRate);
  run.Value(kVolatility);
}

void Crc32(Run& run) {
  constexpr uint32_t kItems = 100;
  run.Grid({kItems}, {64});
  std::vector<uint32_t> starts = {0};
  std::vector<uint8_t> data;
  for (const char c : std::string_view("123456789")) data.push_back(static_cast<uint8_t>(c));
  starts.push_back(9);
  while (starts.size() <= kItems) {
    starts.push_back(starts.back() + static_cast<uint32_t>(run.random().Between(0, 60)));
  }
  while (data.size() < starts.back()) data.push_back(static_cast<uint8_t>(run.random().Next()));
  std::vector<uint32_t> out;
  for (size_t i = 0; i < kItems; ++i) {
    uint32_t crc = ~0u;
    for (size_t j = starts[i]; j < starts[i + 1]; ++j) {
      crc ^= data[j];
      for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ ((crc & 1) != 0 ? 0xedb88320u : 0u);
    }
    out.push_back(~crc);
  }
  out[0] = 0xcbf43926;  // the check value that every catalogue of CRCs lists
  run.Out(out);
  run.In(data);
  run.In(starts);
}

void XorshiftPi(Run& run) {
  constexpr uint32_t kItems = 192;
  constexpr int32_t kRounds = 100;
  run.Grid({kItems}, {64});
  const auto states = run.random().Integers<uint64_t>(kItems);
  auto after = states;
  std::vector<uint32_t> hits;
  for (uint64_t& s : after) {
    uint32_t count = 0;
    for (int j = 0; j < kRounds; ++j) {
      s ^= s >> 12;
      s ^= s << 25;
      s ^= s >> 27;
      const uint64_t r = s * 0x2545f4914f6cdd1d;
      const uint64_t x = r >> 34;
      const uint64_t y = r % (1u << 30);
      count += x * x + y * y < uint64_t{1} << 60;
    }
    hits.push_back(count);
  }
  run.Out(hits);
  run.InOut(states, after);
  run.Value(kRounds);
}

void StringSearch(Run& run) {
  constexpr int32_t kSize = 4000;
  const std::string pattern = "abba";
  std::string text;
  for (int i = 0; i < kSize; ++i) text += static_cast<char>('a' + run.random().Next() % 2);
  run.Grid({128}, {64});
  std::vector<int32_t> first(128, -1);
  uint32_t count = 0;
  for (size_t at = text.find(pattern); at != std::string::npos; at = text.find(pattern, at + 1)) {
    ++count;
    if (first[at / 32] < 0) first[at / 32] = static_cast<int32_t>(at);
  }
  run.Out(first);
  run.InOut<uint32_t>({0}, {count});
  run.In(std::vector<char>(text.begin(), text.end()));
  run.Value(kSize);
  run.In(std::vector<char>(pattern.begin(), pattern.end()));
  run.Value(static_cast<int32_t>(pattern.size()));
}

void Fft(Run& run) {
  constexpr size_t kPoints = 256;
  constexpr size_t kGroups = 3;
  run.Grid({128 * kGroups}, {128});
  const auto data = run.random().Floats(2 * kPoints * kGroups, -1, 1);
  std::vector<double> want;
  for (size_t group = 0; group < kGroups; ++group) {
    for (size_t k = 0; k < kPoints; ++k) {
      std::complex<double> sum = 0;
      for (size_t j = 0; j < kPoints; ++j) {
        const size_t at = 2 * (group * kPoints + j);
        const double angle = -2 * std::numbers::pi * static_cast<double>(j * k % kPoints) / kPoints;
        sum += std::complex<double>(data[at], data[at + 1]) * std::polar(1.0, angle);
      }
      want.push_back(sum.real());
      want.push_back(sum.imag());
    }
  }
  // Eight passes over values up to 360; typical values are 13, each pass adds a few 2^-24 of that.
  OutWithin(run, want, {1e-4}, data);
}

void ScanChained(Run& run) {
  constexpr uint32_t kGroups = 12;
  constexpr uint32_t kItems = kGroups * 128;
  run.Grid({kItems}, {128});
  const auto in = run.random().Integers<uint32_t>(kItems);
  std::vector<uint32_t> out, totals;
  uint32_t sum = 0;
  for (size_t i = 0; i < kItems; ++i) {
    out.push_back(sum += in[i]);
    if (i % 128 == 127) totals.push_back(sum);
  }
  run.Out(out);
  run.In(in);
  run.InOut(std::vector<uint32_t>(kGroups), totals);
  run.InOut(std::vector<int32_t>(kGroups), std::vector<int32_t>(kGroups, 1));
}

void Solve(Run& run) {
  constexpr size_t kItems = 100;
  run.Grid({kItems}, {64});
  auto a = run.random().Doubles(kItems * 36, -1, 1);
  // Diagonally dominant in a shuffled row order: well conditioned, and pivots move.
  for (size_t i = 0; i < kItems; ++i) {
    for (size_t r = 0; r < 6; ++r) a[i * 36 + r * 6 + (r * 5 + i) % 6] += 8;
  }
  const auto x = run.random().Doubles(kItems * 6, -10, 10);
  std::vector<double> b;
  for (size_t i = 0; i < kItems; ++i) {
    for (size_t r = 0; r < 6; ++r) {
      double sum = 0;
      for (size_t c = 0; c < 6; ++c) sum += a[i * 36 + r * 6 + c] * x[i * 6 + c];
      b.push_back(sum);
    }
  }
  // Condition numbers below 10, about 100 roundings of numbers up to 100.
  run.Out(x, Ulps(0, 1e-11));
  run.In(a);
  run.In(b);
}

void Life(Run& run) {
  constexpr int32_t kWidth = 48;
  constexpr int32_t kHeight = 32;
  run.Grid({kWidth, kHeight}, {16, 8});
  std::vector<uint8_t> now;
  for (int i = 0; i < kWidth * kHeight; ++i) now.push_back(run.random().Next() % 3 == 0);
  std::vector<uint8_t> next(now.size());
  for (size_t y = 0; y < kHeight; ++y) {
    for (size_t x = 0; x < kWidth; ++x) {
      int block = 0;
      for (const size_t row : {y + kHeight - 1, y, y + 1}) {
        for (const size_t column : {x + kWidth - 1, x, x + 1}) {
          block += now[row % kHeight * kWidth + column % kWidth];
        }
      }
      const uint8_t alive = now[y * kWidth + x];
      next[y * kWidth + x] = block == 3 || (block == 4 && alive != 0);
    }
  }
  run.Out(next);
  run.In(now);
  run.Value(kWidth);
  run.Value(kHeight);
}

size_t EditDistance(std::string_view a, std::string_view b) {
  std::vector<std::vector<size_t>> d(a.size() + 1, std::vector<size_t>(b.size() + 1));
  for (size_t i = 0; i <= a.size(); ++i) {
    for (size_t j = 0; j <= b.size(); ++j) {
      if (i == 0 || j == 0) {
        d[i][j] = i + j;
      } else {
        d[i][j] = std::min(
            {d[i - 1][j] + 1, d[i][j - 1] + 1, d[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)});
      }
    }
  }
  return d[a.size()][b.size()];
}

void Levenshtein(Run& run) {
  constexpr size_t kItems = 128;
  constexpr int32_t kStride = 16;
  run.Grid({kItems}, {64});
  std::vector<char> words(2 * kItems * kStride);
  std::vector<uint8_t> out;
  for (size_t i = 0; i < kItems; ++i) {
    std::array<std::string, 2> pair;
    for (size_t j = 0; j < 2; ++j) {
      const int64_t length = run.random().Between(0, 15);
      while (static_cast<int64_t>(pair[j].size()) < length) {
        pair[j] += static_cast<char>('a' + run.random().Next() % 3);
      }
      std::copy(pair[j].begin(), pair[j].end(),
                words.begin() + static_cast<ptrdiff_t>((2 * i + j) * kStride));
    }
    out.push_back(static_cast<uint8_t>(EditDistance(pair[0], pair[1])));
  }
  run.Out(out);
  run.In(words);
  run.Value(kStride);
}

void VectorMemory(Run& run) {
  constexpr size_t kItems = 100;
  run.Grid({kItems}, {64});
  const auto in3 = WholeFloats(run, 3 * kItems, 100);
  const auto in_bytes = run.random().Integers<uint8_t>(16 * kItems + 3);
  const auto in_wide = run.random().IntegersBetween<int32_t>(8 * kItems + 1, -100000, 100000);
  std::vector<float> out3;
  std::vector<uint8_t> bytes;
  std::vector<int32_t> wide;
  for (size_t i = 0; i < kItems; ++i) {
    for (const size_t j : {2, 0, 1}) out3.push_back(in3[3 * i + j] + 1);
    for (size_t j = 0; j < 16; ++j) bytes.push_back(in_bytes[16 * i + 3 + 15 - j]);
    const int32_t* v = &in_wide[8 * i + 1];
    for (size_t j = 0; j < 8; ++j) wide.push_back(v[7 - j] - v[j]);
  }
  run.Out(out3);
  run.Out(bytes);
  run.Out(wide);
  run.In(in3);
  run.In(in_bytes);
  run.In(in_wide);
}

void DotF64(Run& run) {
  constexpr int32_t kCount = 5000;
  constexpr size_t kGlobal = 256;
  run.Grid({kGlobal}, {64});
  const auto a = run.random().Doubles(kCount, -1, 1);
  const auto b = run.random().Doubles(kCount, -1, 1);
  std::vector<double> partial;
  for (size_t group = 0; group < kGlobal / 64; ++group) {
    // The kernel's own order of additions: exact to the bit.
    std::array<double, 64> sums{};
    for (size_t l = 0; l < 64; ++l) {
      for (size_t i = group * 64 + l; i < kCount; i += kGlobal)
        sums[l] = std::fma(a[i], b[i], sums[l]);
    }
    for (size_t half = 32; half > 0; half /= 2) {
      for (size_t l = 0; l < half; ++l) sums[l] += sums[l + half];
    }
    partial.push_back(sums[0]);
  }
  run.Out(partial);
  run.In(a);
  run.In(b);
  run.Value(kCount);
}

}  // namespace
}  // namespace apps_kernels

void AddAppsKernels(Suite& suite) {
  using namespace apps_kernels;
  const std::string source = "apps.cl";
  suite.Add({source, "saxpy", Saxpy});
  suite.Add({source, "sgemm_naive", SgemmNaive});
  suite.Add({source, "nbody", Nbody});
  suite.Add({source, "sha256", Sha});
  suite.Add({source, "stencil", Stencil});
  suite.Add({source, "black_scholes", BlackScholes});
  suite.Add({source, "crc32", Crc32});
  suite.Add({source, "xorshift_pi", XorshiftPi});
  suite.Add({source, "string_search", StringSearch});
  suite.Add({source, "fft256", Fft});
  suite.Add({source, "scan_chained", ScanChained});
  suite.Add({source, "solve_f64", Solve});
  suite.Add({source, "game_of_life", Life});
  suite.Add({source, "levenshtein", Levenshtein});
  suite.Add({source, "vector_memory", VectorMemory});
  suite.Add({source, "dot_f64", DotF64});
}

}  // namespace gcnjit::kernel_tests
