#include <cmath>

#include "wide/kinds.h"

namespace gcnjit::bench::wide {
namespace {

void Dgemm(double* c, const double* a, const double* b, int n) {
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) c[i * n + j] = 0;
    for (int k = 0; k < n; ++k) {
      for (int j = 0; j < n; ++j) c[i * n + j] += a[i * n + k] * b[k * n + j];
    }
  }
}

void Polynomial(double* y, const double* x, const double* c, int n) {
  for (int i = 0; i < n; ++i) {
    double sum = c[15];
    for (int k = 14; k >= 0; --k) sum = sum * x[i] + c[k];
    y[i] = sum;
  }
}

double Normal(double x) { return 0.5 * std::erfc(-x * 0.70710678118654752); }

void BlackScholes(double* call, const double* spot, const double* strike, double rate,
                  double volatility, int n) {
  for (int i = 0; i < n; ++i) {
    const double s = spot[i], k = strike[i];
    const double d1 = (std::log(s / k) + (rate + 0.5 * volatility * volatility)) / volatility;
    call[i] = s * Normal(d1) - k * std::exp(-rate) * Normal(d1 - volatility);
  }
}

void Integrate(double* out, int steps, int n) {
  for (int i = 0; i < n; ++i) {
    const double width = 1.0 / n, begin = i * width, h = width / steps;
    double sum = 0;
    for (int k = 0; k < steps; ++k) {
      const double a = begin + k * h, b = a + 0.5 * h, c = a + h;
      sum += 4.0 / (1.0 + a * a) + 16.0 / (1.0 + b * b) + 4.0 / (1.0 + c * c);
    }
    out[i] = sum * h / 6.0;
  }
}

void Axpy(double* y, const double* x, double a, int n) {
  for (int i = 0; i < n; ++i) y[i] += a * x[i];
}

void AxpyHalf(Half* y, const Half* x, float a, int n) {
  for (int i = 0; i < n; ++i) {
    y[i] = static_cast<Half>(a * static_cast<float>(x[i]) + static_cast<float>(y[i]));
  }
}

void DotHalf(float* partial, const Half* a, const Half* b, int n) {
  for (int base = 0; base < n; base += 256) {
    float sum = 0;
    for (int i = base; i < n && i < base + 256; ++i) {
      sum += static_cast<float>(a[i]) * static_cast<float>(b[i]);
    }
    partial[base / 256] = sum;
  }
}

void GemvHalf(float* y, const Half* a, const Half* x, int n) {
  for (int j = 0; j < n; ++j) y[j] = 0;
  for (int i = 0; i < n; ++i) {
    const float f = x[i];
    for (int j = 0; j < n; ++j) y[j] += static_cast<float>(a[i * n + j]) * f;
  }
}

void Modmul(uint64_t* out, const uint64_t* a, const uint64_t* b, uint64_t m, int n) {
  for (int i = 0; i < n; ++i) {
    uint64_t x = a[i] % m, r = 0;
    for (uint64_t y = b[i] >> 32; y != 0; y >>= 1) {
      if ((y & 1) != 0) {
        r += x;
        if (r >= m) r -= m;
      }
      x <<= 1;
      if (x >= m) x -= m;
    }
    out[i] = r;
  }
}

void Collatz(int* steps, int n) {
  for (int i = 0; i < n; ++i) {
    int k = 0;
    for (uint64_t x = static_cast<uint64_t>(i) + 1; x != 1; ++k)
      x = (x & 1) != 0 ? 3 * x + 1 : x >> 1;
    steps[i] = k;
  }
}

void Gcd(uint32_t* out, const uint32_t* a, const uint32_t* b, int n) {
  for (int i = 0; i < n; ++i) {
    uint32_t x = a[i] | 1, y = b[i] | 1;
    while (y != 0) {
      const uint32_t r = x % y;
      x = y;
      y = r;
    }
    out[i] = x;
  }
}

void Knights(int* moves, const uint64_t* own, const uint64_t* all, int n) {
  for (int i = 0; i < n; ++i) {
    int count = 0;
    for (uint64_t left = own[i]; left != 0; left &= left - 1) {
      const uint64_t k = left & (~left + 1);
      const uint64_t h1 = (k >> 1 & 0x7f7f7f7f7f7f7f7f) | (k << 1 & 0xfefefefefefefefe);
      const uint64_t h2 = (k >> 2 & 0x3f3f3f3f3f3f3f3f) | (k << 2 & 0xfcfcfcfcfcfcfcfc);
      count += __builtin_popcountll((h1 << 16 | h1 >> 16 | h2 << 8 | h2 >> 8) & ~all[i]);
    }
    moves[i] = count;
  }
}

void IsPrime(uint8_t* out, uint32_t first, int n) {
  for (int i = 0; i < n; ++i) {
    const uint32_t v = first + static_cast<uint32_t>(i);
    bool prime = (v & 1) != 0;
    for (uint32_t d = 3; d * d <= v && prime; d += 2) prime = v % d != 0;
    out[i] = prime;
  }
}

constexpr auto Price = [](size_t i, size_t n, uint64_t r) { return 50 + 50 * Unit(i, n, r); };
constexpr auto Sparse = [](size_t, size_t, uint64_t r) {
  return r & Hash(r) & Hash(r + 1) & Hash(r + 2);
};

// clang-format off
constexpr Row kRows[] = {
    {"dgemm", Native<Dgemm>, {50, 200, 600}, Plane(N, N, 32, 8),
     {Out<double>(N * N), In<double>(N * N, Small), In<double>(N * N, Small), Number(N)}},
    {"polynomial_f64", Native<Polynomial>, {4001, 65001, 6000001}, Items(N, 256),
     {Out<double>(N), In<double>(N, Unit), In<double>(16, Unit), Number(N)}, 1e-13},
    {"black_scholes_f64", Native<BlackScholes>, {1001, 16001, 500001}, Items(N, 256),
     {Out<double>(N), In<double>(N, Price), In<double>(N, Price), Real(0.05), Real(0.2),
      Number(N)}, 1e-11},
    {"integrate_f64", Native<Integrate>, {501, 8001, 200001}, Items(N, 64),
     {Out<double>(N), Number(20), Number(N)}, 1e-15},
    {"axpy_f64", Native<Axpy>, {4001, 65001, 8000001}, Items(N, 256),
     {InOut<double>(N, Small), In<double>(N, Small), Real(3.0), Number(N)}},
    {"axpy_f16", Native<AxpyHalf>, {4001, 262001, 8000001}, Items(N, 256),
     {InOut<Half>(N, Small), In<Half>(N, Small), Real(3.0f), Number(N)}},
    {"dot_f16", Native<DotHalf>, {4001, 131001, 8000001}, Items(N, 256),
     {Out<float>(Groups(N, 256)), In<Half>(N, Small), In<Half>(N, Small), Number(N)}},
    {"gemv_f16", Native<GemvHalf>, {250, 1000, 5000}, Items(N, 256),
     {Out<float>(N), In<Half>(N * N, Small), In<Half>(N, Small), Number(N)}},
    {"modmul_u64", Native<Modmul>, {501, 8001, 250001}, Items(N, 128),
     {Out<uint64_t>(N), In<uint64_t>(N, Bits), In<uint64_t>(N, Bits),
      Number<uint64_t>(1000000007), Number(N)}},
    {"collatz", Native<Collatz>, {1001, 8001, 250001}, Items(N, 256),
     {Out<int>(N), Number(N)}},
    {"gcd_u32", Native<Gcd>, {1001, 16001, 400001}, Items(N, 256),
     {Out<uint32_t>(N), In<uint32_t>(N, Bits), In<uint32_t>(N, Bits), Number(N)}},
    {"knights", Native<Knights>, {2001, 40001, 2000001}, Items(N, 256),
     {Out<int>(N), In<uint64_t>(N, Sparse), In<uint64_t>(N, Bits), Number(N)}},
    {"isprime", Native<IsPrime>, {1001, 8001, 200001}, Items(N, 256),
     {Out<uint8_t>(N), Number<uint32_t>(1000001), Number(N)}},
};
// clang-format on

}  // namespace

const Rows kNumber = RowsOf(kRows);

}  // namespace gcnjit::bench::wide
