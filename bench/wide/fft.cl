// Fourier and Walsh transforms. Complex numbers are float2.

// 256 points a group of 128, in LDS; the table of twiddles is global.
kernel __attribute__((reqd_work_group_size(128, 1, 1)))
void fft256_radix2(global float2* data, global const float2* twiddle, int transforms) {
  local float2 s[256];
  int t = get_local_id(0), g = get_group_id(0);
  if (g >= transforms) return;
  for (int i = t; i < 256; i += 128) {
    uint r = 0;
    for (int bit = 0; bit < 8; bit++) r |= (i >> bit & 1) << (7 - bit);
    s[r] = data[g * 256 + i];
  }
  for (int width = 1; width < 256; width <<= 1) {
    barrier(CLK_LOCAL_MEM_FENCE);
    int k = t & (width - 1);
    int a = (t - k) * 2 + k, b = a + width;
    float2 w = twiddle[k * (128 / width)];
    float2 x = s[a], y = s[b];
    float2 z = (float2)(y.x * w.x - y.y * w.y, y.x * w.y + y.y * w.x);
    s[a] = x + z;
    s[b] = x - z;
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int i = t; i < 256; i += 128) data[g * 256 + i] = s[i];
}

// A pass of Stockham's radix 4 over all points, with sines of its own.
kernel void fft_radix4_pass(global float2* out, global const float2* in, int p, int n) {
  int i = get_global_id(0);
  int quarter = n / 4;
  if (i >= quarter) return;
  int k = i & (p - 1);
  float angle = -2.0f * M_PI_F * (float)k / (float)(4 * p);
  float2 u[4];
  for (int m = 0; m < 4; m++) {
    float2 x = in[i + m * quarter];
    float c = native_cos(angle * m), s = native_sin(angle * m);
    u[m] = (float2)(x.x * c - x.y * s, x.x * s + x.y * c);
  }
  float2 a = u[0] + u[2], b = u[0] - u[2], c = u[1] + u[3], d = u[1] - u[3];
  float2 e = (float2)(d.y, -d.x);
  int j = ((i - k) << 2) + k;
  out[j] = a + c;
  out[j + p] = b + e;
  out[j + 2 * p] = a - c;
  out[j + 3 * p] = b - e;
}

// 8 points a work-item, side by side in memory.
kernel void fft8(global float2* data, int n) {
  int i = get_global_id(0);
  if (i >= n) return;
  float2 x[8];
  for (int k = 0; k < 8; k++) x[k] = data[i * 8 + k];
  const float h = 0.70710678f;
  float2 e[4], o[4];
  for (int k = 0; k < 4; k++) {
    e[k] = x[k] + x[k + 4];
    o[k] = x[k] - x[k + 4];
  }
  o[1] = (float2)((o[1].x + o[1].y) * h, (o[1].y - o[1].x) * h);
  o[2] = (float2)(o[2].y, -o[2].x);
  o[3] = (float2)((o[3].y - o[3].x) * h, -(o[3].x + o[3].y) * h);
  for (int odd = 0; odd < 2; odd++) {
    float2* q = odd == 0 ? e : o;
    float2 a = q[0] + q[2], b = q[0] - q[2], c = q[1] + q[3], d = q[1] - q[3];
    float2 f = (float2)(d.y, -d.x);
    data[i * 8 + odd] = a + c;
    data[i * 8 + 2 + odd] = b + f;
    data[i * 8 + 4 + odd] = a - c;
    data[i * 8 + 6 + odd] = b - f;
  }
}

// Each work-item one coefficient of 64 points, as the sum is written.
kernel void dft64(global float2* out, global const float2* in, int n) {
  int i = get_global_id(0);
  if (i >= n) return;
  int k = i % 64, base = i - k;
  float2 sum = (float2)(0.0f, 0.0f);
  for (int j = 0; j < 64; j++) {
    float angle = -2.0f * M_PI_F * (float)(j * k % 64) / 64.0f;
    float c = cos(angle), s = sin(angle);
    float2 x = in[base + j];
    sum.x += x.x * c - x.y * s;
    sum.y += x.x * s + x.y * c;
  }
  out[i] = sum;
}

kernel void walsh_step(global float* data, int stride, int n) {
  int t = get_global_id(0);
  int group = t % stride;
  int pair = 2 * stride * (t / stride) + group;
  int match = pair + stride;
  if (match >= n) return;
  float a = data[pair], b = data[match];
  data[pair] = a + b;
  data[match] = a - b;
}
