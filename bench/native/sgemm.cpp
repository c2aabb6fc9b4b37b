// Native matrix products: loops interchanged, and blocked for registers.
#include <cstring>

#include "native/native.h"
#include "native/vector.h"

namespace gcnjit::bench::native {
namespace {

Floats Load(const float* from) {
  Floats value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

// A tile of C held in registers: kRows x (kColumns vectors).
constexpr size_t kRows = 8;
constexpr size_t kColumns = kVectorBytes == 64 ? 3 : 1;
constexpr size_t kDepth = 256;  // rows of B at a time: a panel of them stays in L1

// C tile += A[rows, depth] * panel, where `panel` has `Columns` vectors for each of `depth` rows.
template <size_t Columns>
void Tile(float* c, const float* a, const float* panel, size_t n, size_t depth) {
  Floats sum[kRows][Columns];
  for (size_t r = 0; r < kRows; ++r) {
    for (size_t v = 0; v < Columns; ++v) sum[r][v] = Load(c + r * n + v * kLanes);
  }
  for (size_t k = 0; k < depth; ++k) {
    Floats b[Columns];
    for (size_t v = 0; v < Columns; ++v) b[v] = Load(panel + (k * Columns + v) * kLanes);
    for (size_t r = 0; r < kRows; ++r) {
      const Floats element = a[r * n + k] - Floats{};
      for (size_t v = 0; v < Columns; ++v) sum[r][v] += element * b[v];
    }
  }
  for (size_t r = 0; r < kRows; ++r) {
    for (size_t v = 0; v < Columns; ++v) {
      std::memcpy(c + r * n + v * kLanes, &sum[r][v], sizeof(Floats));
    }
  }
}

template <size_t Columns>
void Panel(float* c, const float* a, const float* b, size_t n, size_t k0, size_t column) {
  alignas(64) static thread_local float panel[kDepth * Columns * kLanes];
  const size_t depth = n - k0 < kDepth ? n - k0 : kDepth;
  for (size_t k = 0; k < depth; ++k) {
    std::memcpy(panel + k * Columns * kLanes, b + (k0 + k) * n + column, Columns * sizeof(Floats));
  }
  for (size_t row = 0; row < n; row += kRows) {
    Tile<Columns>(c + row * n + column, a + row * n + k0, panel, n, depth);
  }
}

}  // namespace

void SgemmInterchanged(float* c, const float* a, const float* b, size_t n) {
  for (size_t row = 0; row < n; ++row) {
    float* to = c + row * n;
    std::memset(to, 0, n * sizeof(float));
    // Four rows of B at a time: a fourth of the traffic of C's row.
    for (size_t k = 0; k < n; k += 4) {
      const float* factor = a + row * n + k;
      const float* from = b + k * n;
#pragma omp simd
      for (size_t column = 0; column < n; ++column) {
        to[column] += factor[0] * from[column] + factor[1] * from[column + n] +
                      factor[2] * from[column + 2 * n] + factor[3] * from[column + 3 * n];
      }
    }
  }
}

void SgemmBlocked(float* c, const float* a, const float* b, size_t n) {
  std::memset(c, 0, n * n * sizeof(float));
  for (size_t k0 = 0; k0 < n; k0 += kDepth) {
    size_t column = 0;
    for (; column + kColumns * kLanes <= n; column += kColumns * kLanes) {
      Panel<kColumns>(c, a, b, n, k0, column);
    }
    for (; column < n; column += kLanes) Panel<1>(c, a, b, n, k0, column);
  }
}

}  // namespace gcnjit::bench::native
