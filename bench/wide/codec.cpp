#include <cmath>

#include "wide/kinds.h"

namespace gcnjit::bench::wide {
namespace {

float Cosine(int k, int x) {
  return static_cast<float>((k == 0 ? std::sqrt(0.125) : 0.5) *
                            std::cos((2 * x + 1) * k * 3.14159265358979 / 16));
}
struct Table {
  float at[64];
  Table() {
    for (int k = 0; k < 8; ++k) {
      for (int x = 0; x < 8; ++x) at[k * 8 + x] = Cosine(k, x);
    }
  }
};

void Dct8x8(float* out, const float* in, int w) {
  static const Table table;
  for (int top = 0; top < w; top += 8) {
    for (int left = 0; left < w; left += 8) {
      float half_done[8][8];
      for (int y = 0; y < 8; ++y) {
        for (int x = 0; x < 8; ++x) {
          float sum = 0;
          for (int k = 0; k < 8; ++k) sum += table.at[y * 8 + k] * in[(top + k) * w + left + x];
          half_done[y][x] = sum;
        }
      }
      for (int y = 0; y < 8; ++y) {
        for (int x = 0; x < 8; ++x) {
          float sum = 0;
          for (int k = 0; k < 8; ++k) sum += half_done[y][k] * table.at[x * 8 + k];
          out[(top + y) * w + left + x] = sum;
        }
      }
    }
  }
}

void IdctRow(float* out, const int16_t* coefficients, int rows) {
  static const Table table;
  for (int r = 0; r < rows; ++r, coefficients += 8, out += 8) {
    for (int x = 0; x < 8; ++x) {
      float sum = 0;
      for (int k = 0; k < 8; ++k) sum += coefficients[k] * table.at[k * 8 + x];
      out[x] = sum;
    }
  }
}

void Quantise(int16_t* data, const uint16_t* table, int n) {
  for (int i = 0; i < n; ++i) {
    const int v = data[i], q = table[i & 63];
    data[i] = static_cast<int16_t>(v >= 0 ? (v + q / 2) / q : -((-v + q / 2) / q));
  }
}

void RunLengths(uint8_t* length, const uint8_t* in, int n) {
  for (int i = 0; i < n; ++i) {
    int k = 0;
    if (i == 0 || in[i] != in[i - 1]) {
      k = 1;
      while (i + k < n && k < 255 && in[i + k] == in[i]) ++k;
    }
    length[i] = static_cast<uint8_t>(k);
  }
}

void Base64(uint8_t* out, const uint8_t* in, int triples) {
  static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  for (int i = 0; i < triples; ++i) {
    const uint32_t v = in[i * 3] << 16 | in[i * 3 + 1] << 8 | in[i * 3 + 2];
    out[i * 4] = letters[v >> 18];
    out[i * 4 + 1] = letters[v >> 12 & 63];
    out[i * 4 + 2] = letters[v >> 6 & 63];
    out[i * 4 + 3] = letters[v & 63];
  }
}

uint8_t ToByte(int v) { return static_cast<uint8_t>(v < 0 ? 0 : v > 255 ? 255 : v); }

void YuvToRgba(uint8_t* rgba, const uint8_t* luma, const uint8_t* u, const uint8_t* v, int w,
               int h) {
  const int half_w = (w + 1) / 2;
  for (int y = 0; y < h; ++y) {
    for (int x = 0; x < w; ++x) {
      const int c = 298 * (luma[y * w + x] - 16);
      const int d = u[y / 2 * half_w + x / 2] - 128, e = v[y / 2 * half_w + x / 2] - 128;
      uint8_t* const to = rgba + (y * w + x) * 4;
      to[0] = ToByte((c + 409 * e + 128) >> 8);
      to[1] = ToByte((c - 100 * d - 208 * e + 128) >> 8);
      to[2] = ToByte((c + 516 * d + 128) >> 8);
      to[3] = 255;
    }
  }
}

void HuffmanBits(uint32_t* bits, const uint8_t* in, const uint8_t* lengths, int blocks) {
  for (int b = 0; b < blocks; ++b) {
    uint32_t sum = 0;
    for (int k = 0; k < 32; ++k) sum += lengths[in[b * 32 + k]];
    bits[b] = sum;
  }
}

constexpr auto Quanta = [](size_t, size_t, uint64_t r) { return 1 + r % 100; };
constexpr auto Coefficients = [](size_t, size_t, uint64_t r) {
  return static_cast<int>(r % 2001) - 1000;
};
// Few values, so that there are runs.
constexpr auto InRuns = [](size_t i, size_t, uint64_t) { return Hash(i / 11) % 3; };

// clang-format off
constexpr Row kRows[] = {
    {"dct8x8", Native<Dct8x8>, {64, 256, 2048}, Plane(N, N, 8, 8),
     {Out<float>(N * N), In<float>(N * N, Small), Number(N)}, 1e-4},
    {"idct_row", Native<IdctRow>, {500, 16001, 500001}, Items(N, 64),
     {Out<float>(8 * N), In<int16_t>(8 * N, Coefficients), Number(N)}, 1e-3},
    {"quantise", Native<Quantise>, {4001, 131001, 4000001}, Items(N, 256),
     {InOut<int16_t>(N, Coefficients), In<uint16_t>(64, Quanta), Number(N)}},
    {"run_lengths", Native<RunLengths>, {4001, 131001, 4000001}, Items(N, 256),
     {Out<uint8_t>(N), In<uint8_t>(N, InRuns), Number(N)}},
    {"base64", Native<Base64>, {4001, 65001, 4000001}, Items(N, 256),
     {Out<uint8_t>(4 * N), In<uint8_t>(3 * N, Bits), Number(N)}},
    {"yuv_to_rgba", Native<YuvToRgba>, {63, 400, 2501}, Plane(N, N, 16, 16),
     {Out<uint8_t>(4 * N * N), In<uint8_t>(N * N, Bits), In<uint8_t>(N * N, Bits),
      In<uint8_t>(N * N, Bits), Number(N), Number(N)}},
    {"huffman_bits", Native<HuffmanBits>, {500, 8001, 250001}, Items(N, 64),
     {Out<uint32_t>(N), In<uint8_t>(32 * N, Bits), In<uint8_t>(256, Quanta), Number(N)}},
};
// clang-format on

}  // namespace

const Rows kCodec = RowsOf(kRows);

}  // namespace gcnjit::bench::wide
