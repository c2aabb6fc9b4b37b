#include "wide/kinds.h"

namespace gcnjit::bench::wide {
namespace {

int Min(int a, int b) { return a < b ? a : b; }
int Max(int a, int b) { return a > b ? a : b; }

void Stencil5(float* out, const float* in, int n) {
  for (int y = 1; y < n - 1; ++y) {
    for (int x = 1; x < n - 1; ++x) {
      out[y * n + x] = 0.25f * (in[y * n + x - 1] + in[y * n + x + 1] + in[(y - 1) * n + x] +
                                in[(y + 1) * n + x]);
    }
  }
}

void Conv3x3(float* out, const float* in, int n) {
  for (int i = 1; i < n - 1; ++i) {
    for (int j = 1; j < n - 1; ++j) {
      out[i * n + j] = 2 * in[(i - 1) * n + j - 1] + 5 * in[(i - 1) * n + j] -
                       8 * in[(i - 1) * n + j + 1] - 3 * in[i * n + j - 1] + 6 * in[i * n + j] -
                       9 * in[i * n + j + 1] + 4 * in[(i + 1) * n + j - 1] +
                       7 * in[(i + 1) * n + j] + in[(i + 1) * n + j + 1];
    }
  }
}

void Heat3d(float* out, const float* in, int n) {
  for (int z = 0; z < n; ++z) {
    for (int y = 0; y < n; ++y) {
      for (int x = 0; x < n; ++x) {
        const int i = (z * n + y) * n + x;
        if (x == 0 || y == 0 || z == 0 || x == n - 1 || y == n - 1 || z == n - 1) {
          out[i] = in[i];
        } else {
          out[i] = 2.0f * in[i] + in[i - 1] + in[i + 1] + in[i - n] + in[i + n] + in[i - n * n] +
                   in[i + n * n];
        }
      }
    }
  }
}

void Fdtd2d(float* hz, const float* ex, const float* ey, int n) {
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) {
      hz[i * n + j] -= 0.5f * (ex[i * (n + 1) + j + 1] - ex[i * (n + 1) + j] + ey[(i + 1) * n + j] -
                               ey[i * n + j]);
    }
  }
}

void Hotspot(float* out, const float* temperature, const float* power, float rx, float ry, float rz,
             int n) {
  for (int y = 0; y < n; ++y) {
    for (int x = 0; x < n; ++x) {
      const int w = Max(x - 1, 0), e = Min(x + 1, n - 1), t = Max(y - 1, 0), b = Min(y + 1, n - 1);
      const float c = temperature[y * n + x];
      out[y * n + x] =
          c + 0.001f * (power[y * n + x] +
                        (temperature[b * n + x] + temperature[t * n + x] - 2.0f * c) * ry +
                        (temperature[y * n + e] + temperature[y * n + w] - 2.0f * c) * rx +
                        (80.0f - c) * rz);
    }
  }
}

void Life(uint8_t* out, const uint8_t* in, int n) {
  for (int y = 0; y < n; ++y) {
    const uint8_t *row = in + y * n, *up = in + (y + n - 1) % n * n, *down = in + (y + 1) % n * n;
    for (int x = 0; x < n; ++x) {
      const int left = x == 0 ? n - 1 : x - 1, right = x == n - 1 ? 0 : x + 1;
      const int alive = up[left] + up[x] + up[right] + row[left] + row[right] + down[left] +
                        down[x] + down[right];
      out[y * n + x] = alive == 3 || (alive == 2 && row[x] != 0);
    }
  }
}

void Srad(float* c, const float* image, float q0, int n) {
  for (int y = 0; y < n; ++y) {
    for (int x = 0; x < n; ++x) {
      const float j = image[y * n + x];
      const float dn = image[Max(y - 1, 0) * n + x] - j, ds = image[Min(y + 1, n - 1) * n + x] - j;
      const float dw = image[y * n + Max(x - 1, 0)] - j, de = image[y * n + Min(x + 1, n - 1)] - j;
      const float g = (dn * dn + ds * ds + dw * dw + de * de) / (j * j);
      const float l = (dn + ds + dw + de) / j;
      const float d = 1.0f + 0.25f * l;
      const float q = (0.5f * g - 0.0625f * l * l) / (d * d);
      const float r = 1.0f / (1.0f + (q - q0) / (q0 * (1.0f + q0)));
      c[y * n + x] = r < 0.0f ? 0.0f : r > 1.0f ? 1.0f : r;
    }
  }
}

void Conv1d(float* out, const float* in, const float* mask, int n) {
  for (int i = 0; i < n; ++i) {
    float sum = 0;
    for (int k = Max(0, 8 - i); k < Min(17, n + 8 - i); ++k) sum += in[i - 8 + k] * mask[k];
    out[i] = sum;
  }
}

void AdiRows(float* x, const float* a, int n) {
  for (int i = 0; i < n; ++i) {
    for (int j = 1; j < n; ++j) x[i * n + j] -= x[i * n + j - 1] * a[i * n + j];
  }
}

void HeatTile(float* out, const float* in, int n) {
  for (int y = 1; y < n - 1; ++y) {
    for (int x = 1; x < n - 1; ++x) {
      out[y * n + x] = 4.0f * in[y * n + x] + in[y * n + x - 1] + in[y * n + x + 1] +
                       in[(y - 1) * n + x] + in[(y + 1) * n + x];
    }
  }
}

constexpr auto Warm = [](size_t i, size_t n, uint64_t r) { return 60.0 + 20.0 * Unit(i, n, r); };
constexpr auto AboveOne = [](size_t i, size_t n, uint64_t r) { return 1.0 + Unit(i, n, r); };

// clang-format off
constexpr Row kRows[] = {
    {"stencil5_guard", Native<Stencil5>, {70, 500, 3001}, Plane(N, N, 64, 4),
     {Out<float>(N * N), In<float>(N * N, Small), Number(N)}},
    {"conv3x3", Native<Conv3x3>, {70, 500, 3001}, Plane(N, N, 32, 8),
     {Out<float>(N * N), In<float>(N * N, Small), Number(N)}},
    {"heat3d", Native<Heat3d>, {18, 63, 190}, Space(N, N, N, 16, 4, 4),
     {Out<float>(N * N * N), In<float>(N * N * N, Small), Number(N)}},
    {"fdtd2d", Native<Fdtd2d>, {70, 500, 2501}, Plane(N, N, 32, 8),
     {InOut<float>(N * N, Small), In<float>(N * N * 2, Small), In<float>(N * N * 2, Small),
      Number(N)}},
    {"hotspot", Native<Hotspot>, {70, 500, 2501}, Plane(N, N, 16, 16),
     {Out<float>(N * N), In<float>(N * N, Warm), In<float>(N * N, Unit), Real(0.3f), Real(0.2f),
      Real(0.1f), Number(N)}, 1e-5},
    {"life", Native<Life>, {70, 500, 4001}, Plane(N, N, 16, 16),
     {Out<uint8_t>(N * N), In<uint8_t>(N * N, Below<2>), Number(N)}},
    {"srad", Native<Srad>, {70, 500, 2501}, Plane(N, N, 16, 16),
     {Out<float>(N * N), In<float>(N * N, AboveOne), Real(0.05f), Number(N)}, 1e-3},
    {"conv1d", Native<Conv1d>, {4001, 131001, 4000001}, Items(N, 256),
     {Out<float>(N), In<float>(N, Small), In<float>(17, Small), Number(N)}},
    {"adi_rows", Native<AdiRows>, {130, 500, 3001}, Items(N, 64),
     {InOut<float>(N * N, Unit), In<float>(N * N, Unit), Number(N)}, 1e-4},
    {"heat_tile", Native<HeatTile>, {70, 500, 3001}, Plane(N, N, 16, 16),
     {Out<float>(N * N), In<float>(N * N, Small), Number(N)}},
};
// clang-format on

}  // namespace

const Rows kStencil = RowsOf(kRows);

}  // namespace gcnjit::bench::wide
