#include <cmath>

#include "wide/kinds.h"

namespace gcnjit::bench::wide {
namespace {

uint32_t Xorshift(uint32_t& s) {
  s ^= s << 13;
  s ^= s >> 17;
  s ^= s << 5;
  return s;
}

void XorshiftPi(uint32_t* inside, int rounds, int n) {
  for (int i = 0; i < n; ++i) {
    uint32_t s = static_cast<uint32_t>(i) * 2654435761u + 12345u, count = 0;
    for (int k = 0; k < rounds; ++k) {
      const float x = static_cast<float>(Xorshift(s) >> 8) * 0x1p-24f;
      const float y = static_cast<float>(Xorshift(s) >> 8) * 0x1p-24f;
      if (x * x + y * y < 1.0f) ++count;
    }
    inside[i] = count;
  }
}

void Philox(uint32_t* out, uint32_t key0, uint32_t key1, int n) {
  for (int i = 0; i < n; ++i) {
    uint32_t c[4] = {static_cast<uint32_t>(i), 0, 0, 0}, k0 = key0, k1 = key1;
    for (int r = 0; r < 10; ++r) {
      const uint64_t a = uint64_t{c[0]} * 0xD2511F53u, b = uint64_t{c[2]} * 0xCD9E8D57u;
      const uint32_t x = static_cast<uint32_t>(b >> 32) ^ c[1] ^ k0;
      const uint32_t z = static_cast<uint32_t>(a >> 32) ^ c[3] ^ k1;
      c[0] = x;
      c[1] = static_cast<uint32_t>(b);
      c[2] = z;
      c[3] = static_cast<uint32_t>(a);
      k0 += 0x9E3779B9u;
      k1 += 0xBB67AE85u;
    }
    for (int k = 0; k < 4; ++k) out[i * 4 + k] = c[k];
  }
}

void RandomWalk(int* end, const uint8_t* ways, int steps, int w, int n) {
  for (int i = 0; i < n; ++i) {
    int x = i % w, y = i / w % w;
    for (int k = 0; k < steps; ++k) {
      switch ((ways[y * w + x] + k) & 3) {
        case 0: x = x + 1 == w ? 0 : x + 1; break;
        case 1: x = x == 0 ? w - 1 : x - 1; break;
        case 2: y = y + 1 == w ? 0 : y + 1; break;
        default: y = y == 0 ? w - 1 : y - 1; break;
      }
    }
    end[i] = y * w + x;
  }
}

void BoxMuller(float* out, const uint32_t* in, int n) {
  for (int i = 0; i < n; ++i) {
    const float u = static_cast<float>((in[2 * i] >> 8) + 1) * 0x1p-24f;
    const float v = static_cast<float>(in[2 * i + 1] >> 8) * 0x1p-24f;
    const float r = std::sqrt(-2.0f * std::log(u));
    out[2 * i] = r * std::cos(2.0f * 3.14159274f * v);
    out[2 * i + 1] = r * std::sin(2.0f * 3.14159274f * v);
  }
}

void Ising(int8_t* spins, const uint32_t* random, uint32_t p4, uint32_t p8, int colour, int n) {
  for (int y = 0; y < n; ++y) {
    const int8_t *up = spins + (y + n - 1) % n * n, *down = spins + (y + 1) % n * n;
    int8_t* const row = spins + y * n;
    for (int x = (y + colour) & 1; x < n; x += 2) {
      const int around =
          row[x + 1 == n ? 0 : x + 1] + row[x == 0 ? n - 1 : x - 1] + up[x] + down[x];
      const int energy = 2 * row[x] * around;
      const uint32_t r = random[y * n + x];
      if (energy <= 0 || (energy == 4 && r < p4) || (energy == 8 && r < p8)) {
        row[x] = static_cast<int8_t>(-row[x]);
      }
    }
  }
}

constexpr auto Spins = [](size_t, size_t, uint64_t r) { return (r & 1) != 0 ? 1 : -1; };

// clang-format off
constexpr Row kRows[] = {
    {"xorshift_pi", Native<XorshiftPi>, {501, 8001, 250001}, Items(N, 256),
     {Out<uint32_t>(N), Number(100), Number(N)}},
    {"philox", Native<Philox>, {4001, 65001, 3000001}, Items(N, 256),
     {Out<uint32_t>(4 * N), Number<uint32_t>(1234567), Number<uint32_t>(7654321), Number(N)}},
    {"random_walk", Native<RandomWalk>, {501, 10001, 300001}, Items(N, 64),
     {Out<int>(N), In<uint8_t>(500 * 500, Bits), Number(50), Number(500), Number(N)}},
    {"box_muller", Native<BoxMuller>, {2001, 65001, 2000001}, Items(N, 256),
     {Out<float>(2 * N), In<uint32_t>(2 * N, Bits), Number(N)}, 1e-4},
    // An even edge: on an odd one neighbours across it have the same colour.
    {"ising", Native<Ising>, {70, 500, 2502}, Plane(N, N, 16, 16),
     {InOut<int8_t>(N * N, Spins), In<uint32_t>(N * N, Bits), Number<uint32_t>(700000000),
      Number<uint32_t>(100000000), Number(1), Number(N)}},
};
// clang-format on

}  // namespace

const Rows kRandom = RowsOf(kRows);

}  // namespace gcnjit::bench::wide
