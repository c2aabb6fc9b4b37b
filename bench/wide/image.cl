// Filters on images of bytes.

kernel void box_blur(global uchar* out, global const uchar* in, int w, int h) {
  int x = get_global_id(0), y = get_global_id(1);
  if (x >= w || y >= h) return;
  int sum = 0, count = 0;
  for (int dy = -1; dy <= 1; dy++) {
    for (int dx = -1; dx <= 1; dx++) {
      int px = x + dx, py = y + dy;
      if (px >= 0 && px < w && py >= 0 && py < h) {
        sum += in[py * w + px];
        count++;
      }
    }
  }
  out[y * w + x] = sum / count;
}

kernel void sobel(global uchar* out, global const uchar* in, int w, int h) {
  int x = get_global_id(0), y = get_global_id(1);
  if (x < 1 || y < 1 || x >= w - 1 || y >= h - 1) return;
  int i = y * w + x;
  int gx = in[i - w + 1] + 2 * in[i + 1] + in[i + w + 1] - in[i - w - 1] - 2 * in[i - 1] - in[i + w - 1];
  int gy = in[i + w - 1] + 2 * in[i + w] + in[i + w + 1] - in[i - w - 1] - 2 * in[i - w] - in[i - w + 1];
  out[i] = min(abs(gx) + abs(gy), 255u);
}

kernel void median3x3(global uchar* out, global const uchar* in, int w, int h) {
  int x = get_global_id(0), y = get_global_id(1);
  if (x >= w || y >= h) return;
  uchar v[9];
  int k = 0;
  for (int dy = -1; dy <= 1; dy++) {
    for (int dx = -1; dx <= 1; dx++) v[k++] = in[clamp(y + dy, 0, h - 1) * w + clamp(x + dx, 0, w - 1)];
  }
  for (int i = 0; i < 5; i++) {
    for (int j = i + 1; j < 9; j++) {
      uchar low = min(v[i], v[j]), high = max(v[i], v[j]);
      v[i] = low;
      v[j] = high;
    }
  }
  out[y * w + x] = v[4];
}

kernel void bilateral(global float* out, global const float* in, int w, int h) {
  int x = get_global_id(0), y = get_global_id(1);
  if (x >= w || y >= h) return;
  float centre = in[y * w + x], sum = 0.0f, weights = 0.0f;
  for (int dy = -2; dy <= 2; dy++) {
    for (int dx = -2; dx <= 2; dx++) {
      int px = min(max(x + dx, 0), w - 1), py = min(max(y + dy, 0), h - 1);
      float v = in[py * w + px], d = v - centre;
      float weight = exp(-(dx * dx + dy * dy) / 8.0f - d * d * 50.0f);
      sum += weight * v;
      weights += weight;
    }
  }
  out[y * w + x] = sum / weights;
}

kernel void equalise(global uchar* image, global const uchar* table, int n) {
  int i = get_global_id(0);
  if (i < n) image[i] = table[image[i]];
}

kernel void grey_uchar4(global uchar* grey, global const uchar4* rgba, int n) {
  int i = get_global_id(0);
  if (i >= n) return;
  uchar4 p = rgba[i];
  grey[i] = (77 * p.x + 150 * p.y + 29 * p.z) >> 8;
}

// Three bytes a pixel, without padding.
kernel void grey_uchar3(global uchar* grey, global const uchar* rgb, int n) {
  int i = get_global_id(0);
  if (i >= n) return;
  uchar3 p = vload3(i, rgb);
  grey[i] = (77 * p.x + 150 * p.y + 29 * p.z) >> 8;
}

// To twice the size, between four pixels.
kernel void resize_bilinear(global uchar* out, global const uchar* in, int w, int h) {
  int x = get_global_id(0), y = get_global_id(1);
  if (x >= 2 * w || y >= 2 * h) return;
  float fx = fmax((x + 0.5f) * 0.5f - 0.5f, 0.0f), fy = fmax((y + 0.5f) * 0.5f - 0.5f, 0.0f);
  int x0 = (int)fx, y0 = (int)fy, x1 = min(x0 + 1, w - 1), y1 = min(y0 + 1, h - 1);
  float ax = fx - x0, ay = fy - y0;
  float top = in[y0 * w + x0] * (1.0f - ax) + in[y0 * w + x1] * ax;
  float bottom = in[y1 * w + x0] * (1.0f - ax) + in[y1 * w + x1] * ax;
  out[y * 2 * w + x] = (uchar)(top * (1.0f - ay) + bottom * ay + 0.5f);
}

// The darkest of 5 x 5, from a tile with a margin in LDS.
kernel __attribute__((reqd_work_group_size(16, 16, 1)))
void erode_tile(global uchar* out, global const uchar* in, int w, int h) {
  local uchar tile[20][20];
  int lx = get_local_id(0), ly = get_local_id(1);
  int x0 = (int)get_group_id(0) * 16 - 2, y0 = (int)get_group_id(1) * 16 - 2;
  for (int y = ly; y < 20; y += 16) {
    for (int x = lx; x < 20; x += 16) {
      int px = x0 + x, py = y0 + y;
      tile[y][x] = px >= 0 && px < w && py >= 0 && py < h ? in[py * w + px] : 255;
    }
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  int x = get_global_id(0), y = get_global_id(1);
  if (x >= w || y >= h) return;
  uchar least = 255;
  for (int dy = 0; dy < 5; dy++) {
    for (int dx = 0; dx < 5; dx++) least = min(least, tile[ly + dy][lx + dx]);
  }
  out[y * w + x] = least;
}
