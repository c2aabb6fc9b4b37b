#include <cmath>

#include "wide/kinds.h"

namespace gcnjit::bench::wide {
namespace {

struct Complex {
  float re, im;
};
Complex operator+(Complex a, Complex b) { return {a.re + b.re, a.im + b.im}; }
Complex operator-(Complex a, Complex b) { return {a.re - b.re, a.im - b.im}; }
Complex operator*(Complex a, Complex b) {
  return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}
Complex MinusI(Complex a) { return {a.im, -a.re}; }

constexpr float kPi = 3.14159274f;

void Fft256(Complex* data, const Complex* twiddle, int transforms) {
  for (int g = 0; g < transforms; ++g, data += 256) {
    Complex s[256];
    for (int i = 0; i < 256; ++i) {
      int r = 0;
      for (int bit = 0; bit < 8; ++bit) r |= (i >> bit & 1) << (7 - bit);
      s[r] = data[i];
    }
    for (int half = 1; half < 256; half *= 2) {
      for (int begin = 0; begin < 256; begin += 2 * half) {
        for (int k = 0; k < half; ++k) {
          const Complex x = s[begin + k], y = s[begin + k + half] * twiddle[k * (128 / half)];
          s[begin + k] = x + y;
          s[begin + k + half] = x - y;
        }
      }
    }
    for (int i = 0; i < 256; ++i) data[i] = s[i];
  }
}

void FftRadix4Pass(Complex* out, const Complex* in, int p, int n) {
  const int quarter = n / 4;
  for (int begin = 0; begin < quarter; begin += p) {
    for (int k = 0; k < p && begin + k < quarter; ++k) {
      const int i = begin + k;
      const float angle = -2.0f * kPi * static_cast<float>(k) / static_cast<float>(4 * p);
      Complex u[4];
      for (int m = 0; m < 4; ++m) {
        const float turn = angle * static_cast<float>(m);
        u[m] = in[i + m * quarter] * Complex{std::cos(turn), std::sin(turn)};
      }
      const Complex a = u[0] + u[2], b = u[0] - u[2], c = u[1] + u[3], e = MinusI(u[1] - u[3]);
      const int j = begin * 4 + k;
      out[j] = a + c;
      out[j + p] = b + e;
      out[j + 2 * p] = a - c;
      out[j + 3 * p] = b - e;
    }
  }
}

void Fft8(Complex* data, int n) {
  constexpr float h = 0.70710678f;
  for (int i = 0; i < n; ++i, data += 8) {
    Complex e[4], o[4];
    for (int k = 0; k < 4; ++k) {
      e[k] = data[k] + data[k + 4];
      o[k] = data[k] - data[k + 4];
    }
    o[1] = {(o[1].re + o[1].im) * h, (o[1].im - o[1].re) * h};
    o[2] = MinusI(o[2]);
    o[3] = {(o[3].im - o[3].re) * h, -(o[3].re + o[3].im) * h};
    for (int half = 0; half < 2; ++half) {
      const Complex* q = half == 0 ? e : o;
      const Complex a = q[0] + q[2], b = q[0] - q[2], c = q[1] + q[3], f = MinusI(q[1] - q[3]);
      data[half] = a + c;
      data[2 + half] = b + f;
      data[4 + half] = a - c;
      data[6 + half] = b - f;
    }
  }
}

void Dft64(Complex* out, const Complex* in, int n) {
  Complex turns[64];
  for (int k = 0; k < 64; ++k) {
    const float angle = -2.0f * kPi * static_cast<float>(k) / 64.0f;
    turns[k] = {std::cos(angle), std::sin(angle)};
  }
  for (int i = 0; i < n; ++i) {
    const int k = i % 64, base = i - k;
    Complex sum = {0, 0};
    for (int j = 0; j < 64; ++j) sum = sum + in[base + j] * turns[j * k % 64];
    out[i] = sum;
  }
}

void WalshStep(float* data, int stride, int n) {
  for (int begin = 0; begin < n; begin += 2 * stride) {
    for (int k = begin; k < begin + stride && k + stride < n; ++k) {
      const float a = data[k], b = data[k + stride];
      data[k] = a + b;
      data[k + stride] = a - b;
    }
  }
}

constexpr auto Twiddles = [](size_t i, size_t, uint64_t) {
  const double angle = -2 * 3.14159265358979 * static_cast<double>(i / 2) / 256;
  return i % 2 == 0 ? std::cos(angle) : std::sin(angle);
};

// clang-format off
constexpr Row kRows[] = {
    {"fft256_radix2", Native<Fft256>, {20, 300, 10001}, Items(128 * N, 128),
     {InOut<float>(512 * N, Unit), In<float>(256, Twiddles), Number(N)}, 1e-3},
    {"fft_radix4_pass", Native<FftRadix4Pass>, {8192, 131072, 2097152}, Items(N / 4, 64),
     {Out<float>(2 * N), In<float>(2 * N, Unit), Number(256), Number(N)}, 1e-4},
    {"fft8", Native<Fft8>, {500, 30001, 1000001}, Items(N, 64),
     {InOut<float>(16 * N, Unit), Number(N)}, 1e-4},
    {"dft64", Native<Dft64>, {640, 12800, 320000}, Items(N, 256),
     {Out<float>(2 * N), In<float>(2 * N, Unit), Number(N)}, 1e-3},
    {"walsh_step", Native<WalshStep>, {4001, 131001, 8000001}, Items(N / 2 + 256, 256),
     {InOut<float>(N, Small), Number(256), Number(N)}},
};
// clang-format on

}  // namespace

const Rows kFft = RowsOf(kRows);

}  // namespace gcnjit::bench::wide
