// Neighbours on grids, with borders.

kernel void stencil5_guard(global float* out, global const float* in, int n) {
  int x = get_global_id(0);
  int y = get_global_id(1);
  if (x > 0 && x < n - 1 && y > 0 && y < n - 1) {
    out[y * n + x] = 0.25f * (in[y * n + x - 1] + in[y * n + x + 1] + in[(y - 1) * n + x] +
                              in[(y + 1) * n + x]);
  }
}

kernel void conv3x3(global float* out, global const float* in, int n) {
  int j = get_global_id(0);
  int i = get_global_id(1);
  if (i < 1 || j < 1 || i >= n - 1 || j >= n - 1) return;
  out[i * n + j] = 2 * in[(i - 1) * n + j - 1] + 5 * in[(i - 1) * n + j] - 8 * in[(i - 1) * n + j + 1] -
                   3 * in[i * n + j - 1] + 6 * in[i * n + j] - 9 * in[i * n + j + 1] +
                   4 * in[(i + 1) * n + j - 1] + 7 * in[(i + 1) * n + j] + in[(i + 1) * n + j + 1];
}

kernel void heat3d(global float* out, global const float* in, int n) {
  int x = get_global_id(0);
  int y = get_global_id(1);
  int z = get_global_id(2);
  if (x >= n || y >= n || z >= n) return;
  int i = (z * n + y) * n + x;
  if (x == 0 || y == 0 || z == 0 || x == n - 1 || y == n - 1 || z == n - 1) {
    out[i] = in[i];
    return;
  }
  out[i] = 2.0f * in[i] + in[i - 1] + in[i + 1] + in[i - n] + in[i + n] + in[i - n * n] + in[i + n * n];
}

// One step of a wave: hz of ex and ey.
kernel void fdtd2d(global float* hz, global const float* ex, global const float* ey, int n) {
  int j = get_global_id(0);
  int i = get_global_id(1);
  if (i < n && j < n) {
    hz[i * n + j] -= 0.5f * (ex[i * (n + 1) + j + 1] - ex[i * (n + 1) + j] + ey[(i + 1) * n + j] -
                             ey[i * n + j]);
  }
}

// Temperatures of a chip; beyond the border it is as warm as at it.
kernel void hotspot(global float* out, global const float* temperature, global const float* power,
                    float rx, float ry, float rz, int n) {
  int x = get_global_id(0), y = get_global_id(1);
  if (x >= n || y >= n) return;
  int w = max(x - 1, 0), e = min(x + 1, n - 1), t = max(y - 1, 0), b = min(y + 1, n - 1);
  float c = temperature[y * n + x];
  out[y * n + x] = c + 0.001f * (power[y * n + x] +
                                 (temperature[b * n + x] + temperature[t * n + x] - 2.0f * c) * ry +
                                 (temperature[y * n + e] + temperature[y * n + w] - 2.0f * c) * rx +
                                 (80.0f - c) * rz);
}

// Conway's game, a byte a cell, on a torus.
kernel void life(global uchar* out, global const uchar* in, int n) {
  int x = get_global_id(0), y = get_global_id(1);
  if (x >= n || y >= n) return;
  int left = (x + n - 1) % n, right = (x + 1) % n, up = (y + n - 1) % n * n, down = (y + 1) % n * n;
  int alive = in[up + left] + in[up + x] + in[up + right] + in[y * n + left] + in[y * n + right] +
              in[down + left] + in[down + x] + in[down + right];
  out[y * n + x] = alive == 3 || (alive == 2 && in[y * n + x]);
}

// The coefficient of speckle-reducing diffusion.
kernel void srad(global float* c, global const float* image, float q0, int n) {
  int x = get_global_id(0), y = get_global_id(1);
  if (x < n && y < n) {
    float j = image[y * n + x];
    float dn = image[(y > 0 ? y - 1 : 0) * n + x] - j, ds = image[(y < n - 1 ? y + 1 : y) * n + x] - j;
    float dw = image[y * n + (x > 0 ? x - 1 : 0)] - j, de = image[y * n + (x < n - 1 ? x + 1 : x)] - j;
    float g = (dn * dn + ds * ds + dw * dw + de * de) / (j * j);
    float l = (dn + ds + dw + de) / j;
    float d = 1.0f + 0.25f * l;
    float q = (0.5f * g - 0.0625f * l * l) / (d * d);
    float r = 1.0f / (1.0f + (q - q0) / (q0 * (1.0f + q0)));
    c[y * n + x] = r < 0.0f ? 0.0f : r > 1.0f ? 1.0f : r;
  }
}

// 17 taps, those beyond the ends left out.
kernel void conv1d(global float* out, global const float* in, global const float* mask, int n) {
  int i = get_global_id(0);
  if (i >= n) return;
  float sum = 0.0f;
  for (int k = 0; k < 17; k++) {
    int at = i - 8 + k;
    if (at >= 0 && at < n) sum += in[at] * mask[k];
  }
  out[i] = sum;
}

// A sweep along rows, one row a work-item.
kernel void adi_rows(global float* x, global const float* a, int n) {
  int i = get_global_id(0);
  if (i >= n) return;
  for (int j = 1; j < n; j++) x[i * n + j] = x[i * n + j] - x[i * n + j - 1] * a[i * n + j];
}

// Five points from a tile with a halo in LDS.
kernel __attribute__((reqd_work_group_size(16, 16, 1)))
void heat_tile(global float* out, global const float* in, int n) {
  local float tile[18][18];
  int lx = get_local_id(0) + 1, ly = get_local_id(1) + 1;
  int x = get_global_id(0), y = get_global_id(1);
  int cx = min(x, n - 1), cy = min(y, n - 1);
  tile[ly][lx] = in[cy * n + cx];
  if (lx == 1) tile[ly][0] = in[cy * n + max(cx - 1, 0)];
  if (lx == 16) tile[ly][17] = in[cy * n + min(x + 1, n - 1)];
  if (ly == 1) tile[0][lx] = in[max(cy - 1, 0) * n + cx];
  if (ly == 16) tile[17][lx] = in[min(y + 1, n - 1) * n + cx];
  barrier(CLK_LOCAL_MEM_FENCE);
  if (x > 0 && x < n - 1 && y > 0 && y < n - 1) {
    out[y * n + x] = 4.0f * tile[ly][lx] + tile[ly][lx - 1] + tile[ly][lx + 1] + tile[ly - 1][lx] +
                     tile[ly + 1][lx];
  }
}
