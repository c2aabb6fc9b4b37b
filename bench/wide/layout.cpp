#include "wide/kinds.h"

namespace gcnjit::bench::wide {
namespace {

void Transpose(float* out, const float* in, int n) {
  for (int x = 0; x < n; ++x) {
    for (int y = 0; y < n; ++y) out[x * n + y] = in[y * n + x];
  }
}

struct Pair {
  float value;
  int count;
};
void Struct2(Pair* p, float f, int n) {
  for (int i = 0; i < n; ++i) {
    p[i].value *= f;
    p[i].count += 1;
  }
}

struct Vector3 {
  float x, y, z;
};
void Struct3(Vector3* out, const Vector3* a, const Vector3* b, int n) {
  for (int i = 0; i < n; ++i) {
    const Vector3 p = a[i], q = b[i];
    out[i] = {p.y * q.z - p.z * q.y, p.z * q.x - p.x * q.z, p.x * q.y - p.y * q.x};
  }
}

struct Order {
  int id;
  float price, quantity;
  int kind, flags;
};
void Struct5(float* total, const Order* orders, int kind, int n) {
  for (int i = 0; i < n; ++i) {
    total[i] = orders[i].kind == kind ? orders[i].price * orders[i].quantity : 0.0f;
  }
}

struct Cell {
  float m[6];
  int state;
  float age;
};
void Struct8(Cell* cells, int n) {
  for (int i = 0; i < n; ++i) {
    Cell& c = cells[i];
    if (c.state == 0) continue;
    float sum = 0;
    for (const float m : c.m) sum += m;
    for (float& m : c.m) m = m * 0.5f + sum * 0.125f;
    c.age += 1;
  }
}

void PrivateCounts(uint8_t* out, const uint8_t* in, int n) {
  for (int i = 0; i < n; ++i) {
    uint8_t counts[16] = {};
    for (int k = 0; k < 64; ++k) ++counts[in[i * 64 + k] & 15];
    for (int k = 0; k < 16; ++k) out[i * 16 + k] = counts[k];
  }
}

void PrivatePermute(int* out, const int* in, const int* order, int n) {
  for (int i = 0; i < n; ++i) {
    int a[8], b[8];
    for (int k = 0; k < 8; ++k) a[k] = in[k * n + i];
    for (int r = 0; r < 10; ++r) {
      for (int k = 0; k < 8; ++k) b[k] = a[order[(i + k) & 7] & 7];
      for (int k = 0; k < 8; ++k) a[k] = b[k] + r;
    }
    for (int k = 0; k < 8; ++k) out[k * n + i] = a[k];
  }
}

void Copy8x8(float* out, const float* in, int n) {
  for (int i = 0; i < n * n; ++i) out[i] = in[i];
}
void Copy16x16(uint32_t* out, const uint32_t* in, int n) {
  for (int i = 0; i < n * n; ++i) out[i] = in[i] ^ 0x55555555;
}

void Gather(float* out, const float* in, const int* from, int n) {
  for (int i = 0; i < n; ++i) out[i] = in[from[i]];
}
void Scatter(float* out, const float* in, const int* to, int n) {
  for (int i = 0; i < n; ++i) out[to[i]] = in[i];
}

void GridStride(float* y, const float* x, float a, int n) {
  for (int i = 0; i < n; ++i) y[i] = a * x[i] + y[i];
}

// As floats and ints of structures: the bits of small numbers of either kind.
constexpr auto FloatThenInt = [](size_t i, size_t, uint64_t r) -> uint32_t {
  return i % 2 == 0 ? 0x3F800000 + static_cast<uint32_t>(r & 0xFFFF00) : r & 0xFF;
};
constexpr auto OrderWords = [](size_t i, size_t, uint64_t r) -> uint32_t {
  const size_t field = i % 5;
  if (field == 1 || field == 2) return 0x3F800000 + static_cast<uint32_t>(r & 0x7FF000);
  return r & 3;
};
constexpr auto CellWords = [](size_t i, size_t, uint64_t r) -> uint32_t {
  if (i % 8 == 6) return r & 1;
  return 0x3F800000 + static_cast<uint32_t>(r & 0x7F0000);
};
// A permutation, as long as no size is a multiple of this prime.
constexpr auto Permutation = [](size_t i, size_t n, uint64_t) { return i * 1000003 % n; };

// clang-format off
constexpr Row kRows[] = {
    {"transpose_naive", Native<Transpose>, {70, 500, 3001}, Plane(N, N, 16, 16),
     {Out<float>(N * N), In<float>(N * N, Small), Number(N)}},
    {"transpose_tile", Native<Transpose>, {70, 500, 3001}, Plane(N, N, 16, 16),
     {Out<float>(N * N), In<float>(N * N, Small), Number(N)}},
    {"transpose_padded", Native<Transpose>, {70, 500, 3001}, Plane(N, (N + 31) / 32 * 8, 32, 8),
     {Out<float>(N * N), In<float>(N * N, Small), Number(N)}},
    {"struct2", Native<Struct2>, {4001, 131001, 8000001}, Items(N, 256),
     {InOut<uint32_t>(2 * N, FloatThenInt), Real(2.0f), Number(N)}},
    {"struct3", Native<Struct3>, {2001, 65001, 2000001}, Items(N, 256),
     {Out<float>(3 * N), In<float>(3 * N, Small), In<float>(3 * N, Small), Number(N)}},
    {"struct5", Native<Struct5>, {4001, 65001, 2000001}, Items(N, 256),
     {Out<float>(N), In<uint32_t>(5 * N, OrderWords), Number(2), Number(N)}},
    {"struct8", Native<Struct8>, {2001, 40001, 1000001}, Items(N, 256),
     {InOut<uint32_t>(8 * N, CellWords), Number(N)}},
    {"private_counts", Native<PrivateCounts>, {501, 8001, 250001}, Items(N, 64),
     {Out<uint8_t>(16 * N), In<uint8_t>(64 * N, Bits), Number(N)}},
    {"private_permute", Native<PrivatePermute>, {1001, 16001, 500001}, Items(N, 64),
     {Out<int>(8 * N), In<int>(8 * N, Small), In<int>(8, Bits), Number(N)}},
    {"copy_8x8", Native<Copy8x8>, {70, 500, 3001}, Plane(N, N, 8, 8),
     {Out<float>(N * N), In<float>(N * N, Small), Number(N)}},
    {"copy_16x16", Native<Copy16x16>, {70, 500, 3001}, Plane(N, N, 16, 16),
     {Out<uint32_t>(N * N), In<uint32_t>(N * N, Bits), Number(N)}},
    {"gather_permuted", Native<Gather>, {4001, 262001, 4000001}, Items(N, 256),
     {Out<float>(N), In<float>(N, Small), In<int>(N, Permutation), Number(N)}},
    {"scatter_permuted", Native<Scatter>, {4001, 262001, 4000001}, Items(N, 256),
     {Out<float>(N), In<float>(N, Small), In<int>(N, Permutation), Number(N)}},
    {"grid_stride", Native<GridStride>, {8001, 262001, 8000001}, Items(4096, 256),
     {InOut<float>(N, Small), In<float>(N, Small), Real(3.0f), Number(N)}},
};
// clang-format on

}  // namespace

const Rows kLayout = RowsOf(kRows);

}  // namespace gcnjit::bench::wide
