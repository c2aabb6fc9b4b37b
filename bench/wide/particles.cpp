#include <cmath>

#include "wide/kinds.h"

namespace gcnjit::bench::wide {
namespace {

struct Float4 {
  float x, y, z, w;
};

void Nbody(Float4* acceleration, const Float4* bodies, int n) {
  for (int i = 0; i < n; ++i) {
    const Float4 me = bodies[i];
    float ax = 0, ay = 0, az = 0;
    for (int j = 0; j < n; ++j) {
      const float dx = bodies[j].x - me.x, dy = bodies[j].y - me.y, dz = bodies[j].z - me.z;
      const float r = 1.0f / std::sqrt(dx * dx + dy * dy + dz * dz + 0.01f);
      const float f = bodies[j].w * r * r * r;
      ax += dx * f;
      ay += dy * f;
      az += dz * f;
    }
    acceleration[i] = {ax, ay, az, 0};
  }
}

void LjNeighbours(Float4* force, const Float4* position, const int* neighbours, float cutoff,
                  int n) {
  for (int i = 0; i < n; ++i) {
    const Float4 p = position[i];
    Float4 f = {0, 0, 0, 0};
    for (int j = 0; j < 32; ++j) {
      const Float4 q = position[neighbours[j * n + i]];
      const float dx = p.x - q.x, dy = p.y - q.y, dz = p.z - q.z;
      const float r2 = dx * dx + dy * dy + dz * dz;
      if (r2 < cutoff && r2 > 0.01f) {
        const float r2inv = 1.0f / r2;
        const float r6inv = r2inv * r2inv * r2inv;
        const float s = r2inv * r6inv * (1.5f * r6inv - 2.0f);
        f.x += dx * s;
        f.y += dy * s;
        f.z += dz * s;
      }
    }
    force[i] = f;
  }
}

void CellList(int* near, const float* x, const float* y, const float* z, const int* begin,
              float cutoff, int n) {
  const auto low = [](int c) { return c > 0 ? c - 1 : 0; };
  const auto high = [n](int c) { return c < n - 1 ? c + 1 : n - 1; };
  for (int c = 0; c < n * n * n; ++c) {
    const int cx = c % n, cy = c / n % n, cz = c / n / n;
    for (int i = begin[c]; i < begin[c + 1]; ++i) {
      int count = 0;
      for (int oz = low(cz); oz <= high(cz); ++oz) {
        for (int oy = low(cy); oy <= high(cy); ++oy) {
          for (int ox = low(cx); ox <= high(cx); ++ox) {
            const int o = (oz * n + oy) * n + ox;
            for (int j = begin[o]; j < begin[o + 1]; ++j) {
              const float ex = x[i] - x[j], ey = y[i] - y[j], ez = z[i] - z[j];
              count += ex * ex + ey * ey + ez * ez < cutoff;
            }
          }
        }
      }
      near[i] = count;
    }
  }
}

struct Particle {
  float x, y, z, vx, vy, vz, mass;
};

void Leapfrog(Particle* particles, float dt, int n) {
  for (int i = 0; i < n; ++i) {
    Particle& p = particles[i];
    const float r = 1.0f / std::sqrt(p.x * p.x + p.y * p.y + p.z * p.z + 0.1f);
    const float a = -r * r * r * dt;
    p.vx += a * p.x;
    p.vy += a * p.y;
    p.vz += a * p.z;
    p.x += p.vx * dt;
    p.y += p.vy * dt;
    p.z += p.vz * dt;
    if (p.x < 0.0f || p.x > 1.0f) p.vx = -p.vx;
    if (p.y < 0.0f || p.y > 1.0f) p.vy = -p.vy;
    if (p.z < 0.0f || p.z > 1.0f) p.vz = -p.vz;
  }
}

void Cloth(Float4* next, const Float4* now, float rest, int n) {
  for (int y = 0; y < n; ++y) {
    for (int x = 0; x < n; ++x) {
      const Float4 me = now[y * n + x];
      Float4 f = {0, -0.1f, 0, 0};
      const auto spring = [&](const Float4& other) {
        const Float4 d = {other.x - me.x, other.y - me.y, other.z - me.z, other.w - me.w};
        const float l = std::sqrt(d.x * d.x + d.y * d.y + d.z * d.z) + 0.001f;
        const float k = (l - rest) / l;
        f = {f.x + d.x * k, f.y + d.y * k, f.z + d.z * k, f.w + d.w * k};
      };
      if (x < n - 1) spring(now[y * n + x + 1]);
      if (x > 0) spring(now[y * n + x - 1]);
      if (y < n - 1) spring(now[(y + 1) * n + x]);
      if (y > 0) spring(now[(y - 1) * n + x]);
      next[y * n + x] = {me.x + f.x * 0.01f, me.y + f.y * 0.01f, me.z + f.z * 0.01f,
                         me.w + f.w * 0.01f};
    }
  }
}

// Multiples of 1/64: their differences and squares are exact.
constexpr auto Sixtyfourths = [](size_t, size_t, uint64_t r) {
  return static_cast<double>(r & 63) / 64.0;
};
// In a box of 4, so that about half of them are near.
constexpr auto InBox = [](size_t i, size_t n, uint64_t r) { return 4.0 * Unit(i, n, r); };
constexpr auto CellStarts = [](size_t i, size_t n, uint64_t r) {
  return i < n * n * n ? i * 4 + r % 4 : n * n * n * 4;
};
// Neighbours are near in memory, too.
constexpr auto Neighbours = [](size_t i, size_t n, uint64_t r) {
  return (i % n + r % 1024 + n - n / 2 % 512) % n;
};

// clang-format off
constexpr Row kRows[] = {
    {"nbody_tile", Native<Nbody>, {150, 1000, 5001}, Items(N, 128),
     {Out<float>(4 * N), In<float>(4 * N, Unit), Number(N)}, 1e-3},
    {"lj_neighbours", Native<LjNeighbours>, {1001, 12001, 200001}, Items(N, 128),
     {Out<float>(4 * N), In<float>(4 * N, InBox), In<int>(32 * N, Neighbours), Real(4.0f),
      Number(N)}, 1e-3},
    {"cell_list", Native<CellList>, {6, 12, 30}, Space(N, N, N, 8, 8, 4),
     {InOut<int>(4 * N * N * N, Zero), In<float>(4 * N * N * N, Sixtyfourths),
      In<float>(4 * N * N * N, Sixtyfourths), In<float>(4 * N * N * N, Sixtyfourths),
      In<int>(N * N * N + 1, CellStarts), Real(0.25f), Number(N)}},
    {"leapfrog", Native<Leapfrog>, {1001, 40001, 1500001}, Items(N, 256),
     {InOut<float>(7 * N, Unit), Real(0.01f), Number(N)}, 1e-5},
    {"cloth", Native<Cloth>, {60, 250, 1201}, Plane(N, N, 16, 16),
     {Out<float>(4 * N * N), In<float>(4 * N * N, Unit), Real(0.1f), Number(N)}, 1e-4},
};
// clang-format on

}  // namespace

const Rows kParticles = RowsOf(kRows);

}  // namespace gcnjit::bench::wide
