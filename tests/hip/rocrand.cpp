// rocRAND's own kernels against generators written here from their definitions: what the library's
// host functions deliver must be these numbers, bit for bit.
//
//   Philox4x32-10   philox.h
//   XORWOW          Marsaglia, "Xorshift RNGs" (2003)
//   MRG32k3a        L'Ecuyer, "Good parameters and implementations for combined multiple recursive
//                   random number generators" (1999)
//   MTGP32          Saito and Matsumoto, "Variants of Mersenne Twister suitable for graphic
//                   processors" (2013)
//   Sobol32         Joe and Kuo, "Constructing Sobol sequences with better two-dimensional
//                   projections" (2008), table new-joe-kuo-6.21201
//
// How the numbers are dealt out to work-items is rocRAND's: XORWOW and MRG32k3a have 131,072
// engines, 2^67 numbers apart, which take turns; MTGP32 has 512 generators, whose 256 numbers at a
// time do.
#include <rocrand/rocrand.h>
#include <rocrand/rocrand_mtgp32_11213.h>

#include <array>

#include "check.h"
#include "philox.h"

#define RAND(call) Succeed((call), #call, __LINE__)

static void Succeed(rocrand_status status, const char* text, int line) {
  if (status == ROCRAND_STATUS_SUCCESS) return;
  std::fprintf(stderr, "line %d: %s: rocRAND status %d\n", line, text, static_cast<int>(status));
  std::exit(1);
}

constexpr uint64_t kSeed = 271828;
constexpr size_t kEngines = 131072;

class Generator {
 public:
  explicit Generator(rocrand_rng_type type) {
    RAND(rocrand_create_generator(&generator_, type));
    if (type != ROCRAND_RNG_QUASI_SOBOL32) RAND(rocrand_set_seed(generator_, kSeed));
  }
  ~Generator() { rocrand_destroy_generator(generator_); }
  operator rocrand_generator() const { return generator_; }

 private:
  rocrand_generator generator_ = nullptr;
};

static float Uniform(uint32_t v) { return 0x1p-32f + static_cast<float>(v) * 0x1p-32f; }

static void TestPhilox() {
  constexpr size_t kCount = 700001;  // more than one number for some work-items, and an odd end
  const auto word = [](size_t i) { return Philox(kSeed, i / 4)[i % 4]; };
  const Generator generator(ROCRAND_RNG_PSEUDO_PHILOX4_32_10);
  check::Buffer<uint32_t> words(kCount);
  RAND(rocrand_generate(generator, words, kCount));
  check::Each("Philox", words.Get(), word);
  const Generator fresh(ROCRAND_RNG_PSEUDO_PHILOX4_32_10);
  check::Buffer<float> floats(50000);
  RAND(rocrand_generate_uniform(fresh, floats, floats.size()));
  check::Each("Philox uniform", floats.Get(), [&](size_t i) { return Uniform(word(i)); });
  const Generator again(ROCRAND_RNG_PSEUDO_PHILOX4_32_10);
  RAND(rocrand_generate_normal(again, floats, floats.size(), 10.0f, 2.0f));
  const std::vector<float> normal = floats.Get();
  for (size_t i = 0; i < normal.size();
       i += 2) {  // Box-Muller; the device's sin and cos are fast ones
    const double radius = std::sqrt(-2 * std::log(static_cast<double>(Uniform(word(i)))));
    const double angle = 2 * M_PI * (static_cast<double>(word(i + 1)) + 1) * 0x1p-32;
    EXPECT(std::abs(normal[i] - (10 + 2 * radius * std::sin(angle))) < 1e-4);
    EXPECT(std::abs(normal[i + 1] - (10 + 2 * radius * std::cos(angle))) < 1e-4);
  }
}

// 160 bits, and a matrix over them.
using Bits = std::array<uint32_t, 5>;
using BitMatrix = std::array<Bits, 160>;  // columns: the image of each bit

static Bits Apply(const BitMatrix& matrix, const Bits& x) {
  Bits y = {};
  for (size_t i = 0; i < 160; ++i) {
    const uint32_t mask = 0u - (x[i / 32] >> (i % 32) & 1);
    for (size_t w = 0; w < 5; ++w) y[w] ^= matrix[i][w] & mask;
  }
  return y;
}

static Bits XorwowStep(Bits x) {
  const uint32_t t = x[0] ^ (x[0] >> 2);
  return {x[1], x[2], x[3], x[4], x[4] ^ (x[4] << 4) ^ t ^ (t << 1)};
}

static void TestXorwow() {
  constexpr size_t kCount = 3 * kEngines + 1001;
  BitMatrix jump;  // one step, then squared to 2^67 of them
  for (size_t i = 0; i < 160; ++i) {
    Bits unit = {};
    unit[i / 32] = 1u << (i % 32);
    jump[i] = XorwowStep(unit);
  }
  for (int square = 0; square < 67; ++square) {
    BitMatrix next;
    for (size_t i = 0; i < 160; ++i) next[i] = Apply(jump, jump[i]);
    jump = next;
  }
  const uint32_t t0 = 1228688033u * (static_cast<uint32_t>(kSeed) ^ 0x2c7f967fu);
  const uint32_t t1 = 2073658381u * (static_cast<uint32_t>(kSeed >> 32) ^ 0xa03697cbu);
  Bits start = {123456789u + t0, 362436069u ^ t0, 521288629u + t1, 88675123u ^ t1, 5783321u + t0};
  std::vector<uint32_t> want(kCount);
  for (size_t engine = 0; engine < kEngines; ++engine) {
    Bits x = start;
    uint32_t weyl = 6615241u + t1 + t0;
    for (size_t i = engine; i < kCount; i += kEngines) {
      x = XorwowStep(x);
      weyl += 362437;
      want[i] = weyl + x[4];
    }
    start = Apply(jump, start);
  }
  const Generator generator(ROCRAND_RNG_PSEUDO_XORWOW);
  check::Buffer<uint32_t> words(kCount);
  RAND(rocrand_generate(generator, words, kCount));
  check::Each("XORWOW", words.Get(), [&](size_t i) { return want[i]; });
}

using Triple = std::array<uint64_t, 3>;
using Matrix = std::array<Triple, 3>;

static Triple Apply(const Matrix& matrix, const Triple& x, uint64_t modulus) {
  Triple y;
  for (size_t r = 0; r < 3; ++r) {
    y[r] = 0;
    for (size_t c = 0; c < 3; ++c) y[r] = (y[r] + matrix[r][c] * x[c] % modulus) % modulus;
  }
  return y;
}

// The matrix of 2^76 steps.
static Matrix Jump(Matrix m, uint64_t modulus) {
  for (int square = 0; square < 76; ++square) {
    Matrix next;
    for (size_t c = 0; c < 3; ++c) {
      const Triple column = Apply(m, {m[0][c], m[1][c], m[2][c]}, modulus);
      for (size_t r = 0; r < 3; ++r) next[r][c] = column[r];
    }
    m = next;
  }
  return m;
}

static void TestMrg32k3a() {
  constexpr size_t kCount = 2 * kEngines + 777;
  constexpr uint64_t kM1 = 4294967087, kM2 = 4294944443;
  const Matrix a1 = {{{0, 1, 0}, {0, 0, 1}, {kM1 - 810728, 1403580, 0}}};
  const Matrix a2 = {{{0, 1, 0}, {0, 0, 1}, {kM2 - 1370589, 0, 527612}}};
  const Matrix jump1 = Jump(a1, kM1), jump2 = Jump(a2, kM2);
  const uint64_t x = kSeed ^ 0x55555555u, y = (kSeed >> 32) ^ 0xAAAAAAAAu;
  Triple start1 = {x * kSeed % kM1, y * kSeed % kM1, x * kSeed % kM1};
  Triple start2 = {y * kSeed % kM2, x * kSeed % kM2, y * kSeed % kM2};
  std::vector<uint32_t> want(kCount);
  for (size_t engine = 0; engine < kEngines; ++engine) {
    Triple s1 = start1, s2 = start2;
    for (size_t i = engine; i < kCount; i += kEngines) {
      s1 = Apply(a1, s1, kM1);
      s2 = Apply(a2, s2, kM2);
      const uint64_t z = s1[2] > s2[2] ? s1[2] - s2[2] : s1[2] + kM1 - s2[2];
      want[i] =
          static_cast<uint32_t>(static_cast<double>(z - 1) * 1.000000048661607);  // to 32 bits
    }
    start1 = Apply(jump1, start1, kM1);
    start2 = Apply(jump2, start2, kM2);
  }
  const Generator generator(ROCRAND_RNG_PSEUDO_MRG32K3A);
  check::Buffer<uint32_t> words(kCount);
  RAND(rocrand_generate(generator, words, kCount));
  check::Each("MRG32k3a", words.Get(), [&](size_t i) { return want[i]; });
}

static void TestMtgp32() {
  constexpr size_t kGenerators = 512, kBatch = 256, kBatches = 4;
  constexpr size_t kCount = kGenerators * kBatch * kBatches;
  constexpr size_t kSize = 351;  // words of state
  std::vector<uint32_t> want(kCount);
  for (size_t g = 0; g < kGenerators; ++g) {
    const auto& p = mtgp32dc_params_fast_11213[g];
    const uint32_t mask = mtgp32dc_params_fast_11213[0].mask;
    std::vector<uint32_t> s(kSize + kBatch * kBatches);
    const uint32_t hidden = p.tbl[4] ^ (p.tbl[8] << 16);
    uint32_t fill = hidden + (hidden >> 16);
    fill = (fill + (fill >> 8)) & 0xFF;
    std::fill_n(s.begin(), kSize, fill * 0x01010101u);
    s[0] = static_cast<uint32_t>(kSeed) + static_cast<uint32_t>(g) + 1;
    s[1] = hidden;
    for (uint32_t i = 1; i < kSize; ++i) s[i] ^= 1812433253u * (s[i - 1] ^ (s[i - 1] >> 30)) + i;
    const size_t pos = static_cast<size_t>(p.pos);
    for (size_t i = 0; i < kBatch * kBatches; ++i) {
      uint32_t x = (s[i] & mask) ^ s[i + 1];
      x ^= x << p.sh1;
      const uint32_t y = x ^ (s[i + pos] >> p.sh2);
      s[i + kSize] = y ^ p.tbl[y & 15];
      uint32_t t = s[i + pos - 1];
      t ^= t >> 16;
      t ^= t >> 8;
      want[(i / kBatch * kGenerators + g) * kBatch + i % kBatch] = s[i + kSize] ^ p.tmp_tbl[t & 15];
    }
  }
  const Generator generator(ROCRAND_RNG_PSEUDO_MTGP32);
  check::Buffer<uint32_t> words(kCount);
  RAND(rocrand_generate(generator, words, kCount));
  check::Each("MTGP32", words.Get(), [&](size_t i) { return want[i]; });
}

static void TestSobol32() {
  constexpr uint32_t kDimensions = 6;
  constexpr size_t kEach = 20000;
  // Of each dimension but the first: the primitive polynomial's degree and inner coefficients, and
  // the first direction numbers.
  struct Row {
    uint32_t degree, inner;
    std::array<uint32_t, 4> first;
  };
  const Row rows[kDimensions - 1] = {
      {1, 0, {1}}, {2, 1, {1, 3}}, {3, 1, {1, 3, 1}}, {3, 2, {1, 1, 1}}, {4, 1, {1, 1, 3, 3}}};
  std::vector<std::array<uint32_t, 32>> directions(kDimensions);
  for (uint32_t k = 0; k < 32; ++k) directions[0][k] = 1u << (31 - k);
  for (uint32_t d = 1; d < kDimensions; ++d) {
    const Row& row = rows[d - 1];
    std::array<uint32_t, 32>& v = directions[d];
    for (uint32_t k = 0; k < 32; ++k) {
      if (k < row.degree) {
        v[k] = row.first[k] << (31 - k);
        continue;
      }
      v[k] = v[k - row.degree] ^ (v[k - row.degree] >> row.degree);
      for (uint32_t j = 1; j < row.degree; ++j) {
        if (row.inner >> (row.degree - 1 - j) & 1) v[k] ^= v[k - j];
      }
    }
  }
  const Generator generator(ROCRAND_RNG_QUASI_SOBOL32);
  RAND(rocrand_set_quasi_random_generator_dimensions(generator, kDimensions));
  check::Buffer<uint32_t> words(kDimensions * kEach);
  RAND(rocrand_generate(generator, words, words.size()));
  check::Each("Sobol32", words.Get(), [&](size_t i) {
    const size_t gray = (i % kEach) ^ ((i % kEach) >> 1);
    uint32_t x = 0;
    for (size_t k = 0; k < 32; ++k) x ^= gray >> k & 1 ? directions[i / kEach][k] : 0;
    return x;
  });
}

int main() {
  TestPhilox();
  TestXorwow();
  TestMrg32k3a();
  TestMtgp32();
  TestSobol32();
  return check::Finish();
}
