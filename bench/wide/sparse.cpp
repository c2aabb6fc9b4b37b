#include "wide/kinds.h"

namespace gcnjit::bench::wide {
namespace {

void SpmvCsr(float* y, const int* rows, const int* columns, const float* values, const float* x,
             int n) {
  for (int i = 0; i < n; ++i) {
    float sum = 0;
    for (int k = rows[i]; k < rows[i + 1]; ++k) sum += values[k] * x[columns[k]];
    y[i] = sum;
  }
}

void SpmvEll(float* y, const int* columns, const float* values, const float* x, int n) {
  for (int i = 0; i < n; ++i) y[i] = 0;
  for (int k = 0; k < 12; ++k) {
    for (int i = 0; i < n; ++i) {
      const int c = columns[k * n + i];
      if (c >= 0) y[i] += values[k * n + i] * x[c];
    }
  }
}

void SpmvCoo(int* y, const int* rows, const int* columns, const int* values, const int* x,
             int count) {
  for (int k = 0; k < count; ++k) y[rows[k]] += values[k] * x[columns[k]];
}

void Jacobi(float* next, const float* a, const float* b, const float* x, int n) {
  for (int i = 0; i < n; ++i) {
    float sum = b[i];
    for (int j = 0; j < n; ++j) {
      if (j != i) sum -= a[i * n + j] * x[j];
    }
    next[i] = sum / a[i * n + i];
  }
}

void CgDot(float* partial, const float* a, const float* b, int n) {
  for (int i = 0; i < n; i += 256) {
    float sum = 0;
    for (int k = i; k < n && k < i + 256; ++k) sum += a[k] * b[k];
    partial[i / 256] = sum;
  }
}

void CgUpdate(float* x, float* r, const float* p, const float* q, float alpha, int n) {
  for (int i = 0; i < n; ++i) {
    x[i] += alpha * p[i];
    r[i] -= alpha * q[i];
  }
}

void Tridiagonal(float* x, const float* a, const float* b, const float* c, const float* d,
                 int systems) {
  for (int s = 0; s < systems; ++s) {
    float cp[32], dp[32];
    cp[0] = c[s] / b[s];
    dp[0] = d[s] / b[s];
    for (int i = 1; i < 32; ++i) {
      const int at = i * systems + s;
      const float m = 1.0f / (b[at] - a[at] * cp[i - 1]);
      cp[i] = c[at] * m;
      dp[i] = (d[at] - a[at] * dp[i - 1]) * m;
    }
    float last = dp[31];
    x[31 * systems + s] = last;
    for (int i = 30; i >= 0; --i) {
      last = dp[i] - cp[i] * last;
      x[i * systems + s] = last;
    }
  }
}

constexpr auto ColumnOrNone = [](size_t, size_t n, uint64_t r) {
  return r % 7 == 0 ? -1 : static_cast<int>((r >> 8) % n);
};
constexpr auto NotSmall = [](size_t, size_t, uint64_t r) { return 4 + static_cast<int>(r & 3); };

// clang-format off
constexpr Row kRows[] = {
    {"spmv_csr", Native<SpmvCsr>, {3001, 40001, 600001}, Items(N, 256),
     {Out<float>(N), In<int>(N + 1, Starts<16>), In<int>(16 * N, BelowN), In<float>(16 * N, Small),
      In<float>(N, Small), Number(N)}},
    {"spmv_csr_vector", Native<SpmvCsr>, {500, 8001, 150001}, Items(32 * N, 256),
     {Out<float>(N), In<int>(N + 1, Starts<50>), In<int>(50 * N, BelowN), In<float>(50 * N, Small),
      In<float>(N, Small), Number(N)}},
    {"spmv_ell", Native<SpmvEll>, {3001, 40001, 600001}, Items(N, 256),
     {Out<float>(N), In<int>(12 * N, ColumnOrNone), In<float>(12 * N, Small), In<float>(N, Small),
      Number(N)}},
    {"spmv_coo_atomic", Native<SpmvCoo>, {4001, 130001, 3000001}, Items(N, 256),
     {InOut<int>(N, Zero), In<int>(N, BelowN), In<int>(N, BelowN), In<int>(N, Small),
      In<int>(N, Small), Number(N)}},
    {"jacobi", Native<Jacobi>, {250, 1000, 5000}, Items(N, 128),
     {Out<float>(N), In<float>(N * N, NotSmall), In<float>(N, Small), In<float>(N, Small),
      Number(N)}, 1e-5},
    {"cg_dot", Native<CgDot>, {4001, 262001, 8000001}, Items(N, 256),
     {Out<float>(Groups(N, 256)), In<float>(N, Small), In<float>(N, Small), Number(N)}},
    {"cg_update", Native<CgUpdate>, {4001, 131001, 8000001}, Items(N, 256),
     {InOut<float>(N, Small), InOut<float>(N, Small), In<float>(N, Small), In<float>(N, Small),
      Real(3.0f), Number(N)}},
    {"tridiagonal", Native<Tridiagonal>, {200, 4001, 100001}, Items(N, 64),
     {Out<float>(32 * N), In<float>(32 * N, Unit), In<float>(32 * N, NotSmall),
      In<float>(32 * N, Unit), In<float>(32 * N, Unit), Number(N)}, 1e-4},
};
// clang-format on

}  // namespace

const Rows kSparse = RowsOf(kRows);

}  // namespace gcnjit::bench::wide
