#include <cmath>

#include "wide/kinds.h"

namespace gcnjit::bench::wide {
namespace {

void GemvRows(float* y, const float* a, const float* x, int n) {
  for (int i = 0; i < n; ++i) {
    float sum = 0;
    for (int j = 0; j < n; ++j) sum += a[i * n + j] * x[j];
    y[i] = sum;
  }
}

void GemvColumns(float* y, const float* a, const float* x, int n) {
  for (int j = 0; j < n; ++j) y[j] = 0;
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) y[j] += a[i * n + j] * x[i];
  }
}

void Gemm(float* c, const float* a, const float* b, int n) {
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) c[i * n + j] = 0;
    for (int k = 0; k < n; ++k) {
      for (int j = 0; j < n; ++j) c[i * n + j] += a[i * n + k] * b[k * n + j];
    }
  }
}

void Syrk(float* c, const float* a, float alpha, float beta, int n) {
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) {
      float sum = 0;
      for (int k = 0; k < n; ++k) sum += a[i * n + k] * a[j * n + k];
      c[i * n + j] = alpha * sum + beta * c[i * n + j];
    }
  }
}

void LuStep(float* a, const float* l, int n, int k) {
  for (int i = k + 1; i < n; ++i) {
    for (int j = k + 1; j < n; ++j) a[i * n + j] -= l[i] * a[k * n + j];
  }
}

void TriangularSolve(float* b, const float* l, int n, int m) {
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < i; ++j) {
      for (int c = 0; c < m; ++c) b[i * m + c] -= l[i * n + j] * b[j * m + c];
    }
    for (int c = 0; c < m; ++c) b[i * m + c] /= l[i * n + i];
  }
}

void ColumnDeviation(float* deviation, const float* a, int n, int m) {
  for (int j = 0; j < m; ++j) {
    float mean = 0;
    for (int i = 0; i < n; ++i) mean += a[i * m + j];
    mean /= static_cast<float>(n);
    float sum = 0;
    for (int i = 0; i < n; ++i) sum += (a[i * m + j] - mean) * (a[i * m + j] - mean);
    sum = std::sqrt(sum / static_cast<float>(n));
    deviation[j] = sum <= 0.005f ? 1.0f : sum;
  }
}

void Batch4x4(float* c, const float* a, const float* b, int count) {
  for (int m = 0; m < count; ++m, a += 16, b += 16, c += 16) {
    for (int i = 0; i < 4; ++i) {
      for (int j = 0; j < 4; ++j) {
        float sum = 0;
        for (int k = 0; k < 4; ++k) sum += a[i * 4 + k] * b[k * 4 + j];
        c[i * 4 + j] = sum;
      }
    }
  }
}

void DenseLayer(float* y, const float* x, const float* w, const float* bias, int batch,
                int outputs) {
  for (int s = 0; s < batch; ++s) {
    for (int o = 0; o < outputs; ++o) y[s * outputs + o] = bias[o];
    for (int i = 0; i < 64; ++i) {
      for (int o = 0; o < outputs; ++o) y[s * outputs + o] += x[s * 64 + i] * w[i * outputs + o];
    }
    for (int o = 0; o < outputs; ++o) y[s * outputs + o] = std::tanh(y[s * outputs + o]);
  }
}

void SoftmaxRows(float* out, const float* in, int rows) {
  for (int r = 0; r < rows; ++r, in += 100, out += 100) {
    float top = in[0];
    for (int i = 1; i < 100; ++i) top = std::fmax(top, in[i]);
    float sum = 0;
    for (int i = 0; i < 100; ++i) sum += std::exp(in[i] - top);
    for (int i = 0; i < 100; ++i) out[i] = std::exp(in[i] - top) / sum;
  }
}

// 1 on the diagonal, small off it: what is solved stays small.
constexpr auto Dominant = [](size_t i, size_t n, uint64_t r) {
  return i % (n + 1) == 0 ? 1.0 : Unit(i, n, r) / static_cast<double>(2 * n);
};

// clang-format off
constexpr Row kRows[] = {
    {"gemv_rows", Native<GemvRows>, {250, 1000, 5000}, Items(N, 256),
     {Out<float>(N), In<float>(N * N, Small), In<float>(N, Small), Number(N)}},
    {"gemv_columns", Native<GemvColumns>, {250, 1000, 5000}, Items(N, 256),
     {Out<float>(N), In<float>(N * N, Small), In<float>(N, Small), Number(N)}},
    {"gemm_guard", Native<Gemm>, {50, 250, 700}, Plane(N, N, 64, 4),
     {Out<float>(N * N), In<float>(N * N, Small), In<float>(N * N, Small), Number(N)}},
    {"gemm_tile_guard", Native<Gemm>, {50, 250, 700}, Plane(N, N, 16, 16),
     {Out<float>(N * N), In<float>(N * N, Small), In<float>(N * N, Small), Number(N)}},
    {"syrk", Native<Syrk>, {50, 150, 400}, Plane(N, N, 32, 8),
     {InOut<float>(N * N, Small), In<float>(N * N, Small), Real(2.0f), Real(3.0f), Number(N)}},
    {"lu_step", Native<LuStep>, {70, 500, 4000}, Plane(N, N, 64, 4),
     {InOut<float>(N * N, Small), In<float>(N, Small), Number(N), Number(N / 8)}},
    {"triangular_solve", Native<TriangularSolve>, {30, 100, 250}, Items(20 * N, 256),
     {InOut<float>(20 * N * N, Unit), In<float>(N * N, Dominant), Number(N), Number(20 * N)}, 1e-4},
    {"column_deviation", Native<ColumnDeviation>, {300, 4000, 100000}, Items(N, 256),
     {Out<float>(N), In<float>(100 * N, Unit), Number(100), Number(N)}, 1e-4},
    {"batch_4x4", Native<Batch4x4>, {1000, 4000, 300000}, Items(N, 128),
     {Out<float>(16 * N), In<float>(16 * N, Small), In<float>(16 * N, Small), Number(N)}},
    {"dense_layer", Native<DenseLayer>, {60, 500, 2000}, Plane(N, N / 2, 32, 4),
     {Out<float>(N * N / 2), In<float>(32 * N, Unit), In<float>(64 * N, Small), In<float>(N, Small),
      Number(N / 2), Number(N)}, 1e-4},
    {"softmax_rows", Native<SoftmaxRows>, {300, 2500, 100000}, Items(N, 256),
     {Out<float>(100 * N), In<float>(100 * N, Small), Number(N)}, 1e-4},
};
// clang-format on

}  // namespace

const Rows kDense = RowsOf(kRows);

}  // namespace gcnjit::bench::wide
