#include <cmath>

#include "wide/kinds.h"

namespace gcnjit::bench::wide {
namespace {

int Min(int a, int b) { return a < b ? a : b; }
int Max(int a, int b) { return a > b ? a : b; }
int Clamp(int value, int end) { return Min(Max(value, 0), end - 1); }

void BoxBlur(uint8_t* out, const uint8_t* in, int w, int h) {
  for (int y = 0; y < h; ++y) {
    for (int x = 0; x < w; ++x) {
      int sum = 0, count = 0;
      for (int py = Max(y - 1, 0); py <= Min(y + 1, h - 1); ++py) {
        for (int px = Max(x - 1, 0); px <= Min(x + 1, w - 1); ++px) {
          sum += in[py * w + px];
          ++count;
        }
      }
      out[y * w + x] = static_cast<uint8_t>(sum / count);
    }
  }
}

void Sobel(uint8_t* out, const uint8_t* in, int w, int h) {
  for (int y = 1; y < h - 1; ++y) {
    for (int x = 1; x < w - 1; ++x) {
      const uint8_t* p = in + y * w + x;
      const int gx = p[1 - w] + 2 * p[1] + p[w + 1] - p[-w - 1] - 2 * p[-1] - p[w - 1];
      const int gy = p[w - 1] + 2 * p[w] + p[w + 1] - p[-w - 1] - 2 * p[-w] - p[1 - w];
      const int sum = (gx < 0 ? -gx : gx) + (gy < 0 ? -gy : gy);
      out[y * w + x] = static_cast<uint8_t>(Min(sum, 255));
    }
  }
}

void Median3x3(uint8_t* out, const uint8_t* in, int w, int h) {
  for (int y = 0; y < h; ++y) {
    for (int x = 0; x < w; ++x) {
      uint8_t v[9];
      int k = 0;
      for (int dy = -1; dy <= 1; ++dy) {
        for (int dx = -1; dx <= 1; ++dx) v[k++] = in[Clamp(y + dy, h) * w + Clamp(x + dx, w)];
      }
      for (int i = 0; i < 5; ++i) {
        for (int j = i + 1; j < 9; ++j) {
          const uint8_t low = v[i] < v[j] ? v[i] : v[j], high = v[i] < v[j] ? v[j] : v[i];
          v[i] = low;
          v[j] = high;
        }
      }
      out[y * w + x] = v[4];
    }
  }
}

void Bilateral(float* out, const float* in, int w, int h) {
  for (int y = 0; y < h; ++y) {
    for (int x = 0; x < w; ++x) {
      const float centre = in[y * w + x];
      float sum = 0, weights = 0;
      for (int dy = -2; dy <= 2; ++dy) {
        for (int dx = -2; dx <= 2; ++dx) {
          const float v = in[Clamp(y + dy, h) * w + Clamp(x + dx, w)], d = v - centre;
          const float weight =
              std::exp(-static_cast<float>(dx * dx + dy * dy) / 8.0f - d * d * 50.0f);
          sum += weight * v;
          weights += weight;
        }
      }
      out[y * w + x] = sum / weights;
    }
  }
}

void Equalise(uint8_t* image, const uint8_t* table, int n) {
  for (int i = 0; i < n; ++i) image[i] = table[image[i]];
}

uint8_t Grey(const uint8_t* p) {
  return static_cast<uint8_t>((77 * p[0] + 150 * p[1] + 29 * p[2]) >> 8);
}
void GreyUchar4(uint8_t* grey, const uint8_t* rgba, int n) {
  for (int i = 0; i < n; ++i) grey[i] = Grey(rgba + i * 4);
}
void GreyUchar3(uint8_t* grey, const uint8_t* rgb, int n) {
  for (int i = 0; i < n; ++i) grey[i] = Grey(rgb + i * 3);
}

void ResizeBilinear(uint8_t* out, const uint8_t* in, int w, int h) {
  const auto at = [](int i) {
    return std::fmax((static_cast<float>(i) + 0.5f) * 0.5f - 0.5f, 0.0f);
  };
  for (int y = 0; y < 2 * h; ++y) {
    const float fy = at(y);
    const int y0 = static_cast<int>(fy), y1 = Min(y0 + 1, h - 1);
    const float ay = fy - static_cast<float>(y0);
    for (int x = 0; x < 2 * w; ++x) {
      const float fx = at(x);
      const int x0 = static_cast<int>(fx), x1 = Min(x0 + 1, w - 1);
      const float ax = fx - static_cast<float>(x0);
      const float top = in[y0 * w + x0] * (1.0f - ax) + in[y0 * w + x1] * ax;
      const float bottom = in[y1 * w + x0] * (1.0f - ax) + in[y1 * w + x1] * ax;
      out[y * 2 * w + x] = static_cast<uint8_t>(top * (1.0f - ay) + bottom * ay + 0.5f);
    }
  }
}

void Erode(uint8_t* out, const uint8_t* in, int w, int h) {
  for (int y = 0; y < h; ++y) {
    for (int x = 0; x < w; ++x) {
      uint8_t least = 255;
      for (int py = Max(y - 2, 0); py <= Min(y + 2, h - 1); ++py) {
        for (int px = Max(x - 2, 0); px <= Min(x + 2, w - 1); ++px) {
          if (in[py * w + px] < least) least = in[py * w + px];
        }
      }
      out[y * w + x] = least;
    }
  }
}

constexpr Argument kPixels = In<uint8_t>(N * N, Bits);

// clang-format off
constexpr Row kRows[] = {
    {"box_blur", Native<BoxBlur>, {62, 500, 2001}, Plane(N, N, 16, 16),
     {Out<uint8_t>(N * N), kPixels, Number(N), Number(N)}},
    {"sobel", Native<Sobel>, {70, 500, 4001}, Plane(N, N, 16, 16),
     {Out<uint8_t>(N * N), kPixels, Number(N), Number(N)}},
    {"median3x3", Native<Median3x3>, {62, 400, 1501}, Plane(N, N, 16, 16),
     {Out<uint8_t>(N * N), kPixels, Number(N), Number(N)}},
    {"bilateral", Native<Bilateral>, {50, 200, 701}, Plane(N, N, 16, 8),
     {Out<float>(N * N), In<float>(N * N, Unit), Number(N), Number(N)}, 1e-4},
    {"equalise", Native<Equalise>, {4001, 262001, 16000001}, Items(N, 256),
     {InOut<uint8_t>(N, Bits), In<uint8_t>(256, Bits), Number(N)}},
    {"grey_uchar4", Native<GreyUchar4>, {4001, 262001, 16000001}, Items(N, 256),
     {Out<uint8_t>(N), In<uint8_t>(4 * N, Bits), Number(N)}},
    {"grey_uchar3", Native<GreyUchar3>, {4001, 262001, 8000001}, Items(N, 256),
     {Out<uint8_t>(N), In<uint8_t>(3 * N, Bits), Number(N)}},
    {"resize_bilinear", Native<ResizeBilinear>, {35, 250, 1501}, Plane(2 * N, 2 * N, 32, 8),
     {Out<uint8_t>(4 * N * N), kPixels, Number(N), Number(N)}},
    {"erode_tile", Native<Erode>, {62, 400, 2001}, Plane(N, N, 16, 16),
     {Out<uint8_t>(N * N), kPixels, Number(N), Number(N)}},
};
// clang-format on

}  // namespace

const Rows kImage = RowsOf(kRows);

}  // namespace gcnjit::bench::wide
