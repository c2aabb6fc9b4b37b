// Double, half, and 64-bit integers.
#pragma OPENCL EXTENSION cl_khr_fp64 : enable

kernel void dgemm(global double* c, global const double* a, global const double* b, int n) {
  int j = get_global_id(0), i = get_global_id(1);
  if (i >= n || j >= n) return;
  double sum = 0.0;
  for (int k = 0; k < n; k++) sum += a[i * n + k] * b[k * n + j];
  c[i * n + j] = sum;
}

kernel void polynomial_f64(global double* y, global const double* x, global const double* c, int n) {
  int i = get_global_id(0);
  if (i >= n) return;
  double v = x[i], sum = c[15];
  for (int k = 14; k >= 0; k--) sum = sum * v + c[k];
  y[i] = sum;
}

double normal_f64(double x) { return 0.5 * erfc(-x * M_SQRT1_2); }

kernel void black_scholes_f64(global double* call, global const double* spot,
                              global const double* strike, double rate, double volatility, int n) {
  int i = get_global_id(0);
  if (i >= n) return;
  double s = spot[i], k = strike[i];
  double d1 = (log(s / k) + (rate + 0.5 * volatility * volatility)) / volatility;
  double d2 = d1 - volatility;
  call[i] = s * normal_f64(d1) - k * exp(-rate) * normal_f64(d2);
}

// Simpson's rule over 4 / (1 + x^2), a piece a work-item.
kernel void integrate_f64(global double* out, int steps, int n) {
  int i = get_global_id(0);
  if (i >= n) return;
  double width = 1.0 / n, begin = i * width, h = width / steps, sum = 0.0;
  for (int k = 0; k < steps; k++) {
    double a = begin + k * h, b = a + 0.5 * h, c = a + h;
    sum += 4.0 / (1.0 + a * a) + 16.0 / (1.0 + b * b) + 4.0 / (1.0 + c * c);
  }
  out[i] = sum * h / 6.0;
}

kernel void axpy_f64(global double* y, global const double* x, double a, int n) {
  int i = get_global_id(0);
  if (i < n) y[i] += a * x[i];
}

#ifdef cl_khr_fp16
#pragma OPENCL EXTENSION cl_khr_fp16 : enable

kernel void axpy_f16(global half* y, global const half* x, float a, int n) {
  int i = get_global_id(0);
  if (i < n) y[i] = (half)a * x[i] + y[i];
}

kernel __attribute__((reqd_work_group_size(256, 1, 1)))
void dot_f16(global float* partial, global const half* a, global const half* b, int n) {
  local float s[256];
  int i = get_global_id(0), t = get_local_id(0);
  s[t] = i < n ? (float)a[i] * (float)b[i] : 0.0f;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int d = 128; d > 0; d >>= 1) {
    if (t < d) s[t] += s[t + d];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (t == 0) partial[get_group_id(0)] = s[0];
}

kernel void gemv_f16(global float* y, global const half* a, global const half* x, int n) {
  int j = get_global_id(0);
  if (j >= n) return;
  float sum = 0.0f;
  for (int i = 0; i < n; i++) sum += (float)a[i * n + j] * (float)x[i];
  y[j] = sum;
}
#endif

// a * b mod m by doubling; m below 2^63.
kernel void modmul_u64(global ulong* out, global const ulong* a, global const ulong* b, ulong m, int n) {
  int i = get_global_id(0);
  if (i >= n) return;
  ulong x = a[i] % m, y = b[i] >> 32, r = 0;
  while (y) {
    if (y & 1) {
      r += x;
      if (r >= m) r -= m;
    }
    x <<= 1;
    if (x >= m) x -= m;
    y >>= 1;
  }
  out[i] = r;
}

kernel void collatz(global int* steps, int n) {
  int i = get_global_id(0);
  if (i >= n) return;
  ulong x = (ulong)i + 1;
  int k = 0;
  while (x != 1) {
    x = x & 1 ? 3 * x + 1 : x >> 1;
    k++;
  }
  steps[i] = k;
}

kernel void gcd_u32(global uint* out, global const uint* a, global const uint* b, int n) {
  int i = get_global_id(0);
  if (i >= n) return;
  uint x = a[i] | 1, y = b[i] | 1;
  while (y != 0) {
    uint r = x % y;
    x = y;
    y = r;
  }
  out[i] = x;
}

// Moves of knights on boards of 64 bits.
kernel void knights(global int* moves, global const ulong* own, global const ulong* all, int n) {
  int i = get_global_id(0);
  if (i >= n) return;
  ulong left = own[i], taken = all[i];
  int count = 0;
  while (left) {
    ulong k = left & -left;
    left ^= k;
    ulong l1 = k >> 1 & 0x7f7f7f7f7f7f7f7fUL, l2 = k >> 2 & 0x3f3f3f3f3f3f3f3fUL;
    ulong r1 = k << 1 & 0xfefefefefefefefeUL, r2 = k << 2 & 0xfcfcfcfcfcfcfcfcUL;
    ulong h1 = l1 | r1, h2 = l2 | r2;
    count += popcount((h1 << 16 | h1 >> 16 | h2 << 8 | h2 >> 8) & ~taken);
  }
  moves[i] = count;
}

kernel void isprime(global uchar* out, uint first, int n) {
  int i = get_global_id(0);
  if (i >= n) return;
  uint v = first + i;
  uchar prime = (v & 1) != 0;
  for (uint d = 3; d * d <= v && prime; d += 2) prime = v % d != 0;
  out[i] = prime;
}
