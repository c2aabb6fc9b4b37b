// The benchmark kernels, as one would write them for a GPU. Each comment ends with what one unit of
// the reported rate is. Sizes are exact multiples of the work-group, so no kernel checks bounds
// except where the comment says otherwise.

// y = a x + y. Rate: GB/s, 12 bytes an element (x and y read, y written).
kernel void saxpy(global float* y, global const float* x, float a) {
  const size_t i = get_global_id(0);
  y[i] = a * x[i] + y[i];
}

// STREAM's triad, a = b + s c. Rate: GB/s, 12 bytes an element (b and c read, a written).
kernel void triad(global float* a, global const float* b, global const float* c, float s) {
  const size_t i = get_global_id(0);
  a[i] = b[i] + s * c[i];
}

// C = A B, one work-item an element, operands straight from global memory.
// Rate: GFLOP/s, 2 n^3 flops (an addition and a multiplication each).
kernel void sgemm_naive(global float* c, global const float* a, global const float* b, int n) {
  const int column = get_global_id(0), row = get_global_id(1);
  float sum = 0;
  for (int k = 0; k < n; ++k) sum += a[row * n + k] * b[k * n + column];
  c[row * n + column] = sum;
}

// C = A B, tiles of 16 x 16 staged in LDS. Rate: GFLOP/s, 2 n^3 flops.
kernel __attribute__((reqd_work_group_size(16, 16, 1)))
void sgemm_lds(global float* c, global const float* a, global const float* b, int n) {
  local float tile_a[16][16], tile_b[16][16];
  const int x = get_local_id(0), y = get_local_id(1);
  const int column = get_global_id(0), row = get_global_id(1);
  float sum = 0;
  for (int t = 0; t < n; t += 16) {
    tile_a[y][x] = a[row * n + t + x];
    tile_b[y][x] = b[(t + y) * n + column];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int k = 0; k < 16; ++k) sum += tile_a[y][k] * tile_b[k][x];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  c[row * n + column] = sum;
}

// Acceleration of each body by all bodies, with softening; a body is (position, mass).
// Rate: GFLOP/s, 20 flops an interaction (the count that n-body papers use).
kernel void nbody(global float4* acceleration, global const float4* bodies, int n) {
  const float4 me = bodies[get_global_id(0)];
  float3 sum = (float3)(0.0f);
  for (int j = 0; j < n; ++j) {
    const float4 other = bodies[j];
    const float3 d = other.xyz - me.xyz;
    const float r = native_rsqrt(dot(d, d) + 0.01f);
    sum += d * (other.w * r * r * r);
  }
  acceleration[get_global_id(0)] = (float4)(sum, 0.0f);
}

// Escape times over [-2, 0.5] x [-1.25, 1.25]. Every rounding is written out (fma or not), so that
// host and guest agree to the last iteration.
// Rate: GFLOP/s, 8 flops an iteration that a pixel needs (4 +/-, 2 *, 1 fma), not those a wave spends.
kernel void mandelbrot(global uint* out, int width, float step, uint limit) {
#pragma OPENCL FP_CONTRACT OFF
  const int px = get_global_id(0), py = get_global_id(1);
  const float cx = fma((float)px, step, -2.0f), cy = fma((float)py, step, -1.25f);
  float x = 0, y = 0, xx = 0, yy = 0;
  uint n = 0;
  while (xx + yy <= 4.0f && n < limit) {
    y = fma(x + x, y, cy);
    x = xx - yy + cx;
    xx = x * x;
    yy = y * y;
    ++n;
  }
  out[py * width + px] = n;
}

constant uint sha_k[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

// One SHA-256 compression a work-item, of the block seed[j] ^ i; stores the XOR of the new state's
// eight words. The whole message schedule depends on i. Rate: Mhash/s, compressions.
kernel void sha256(global uint* out, global const uint* seed) {
  const uint i = get_global_id(0);
  uint w[16];
  for (int j = 0; j < 16; ++j) w[j] = seed[j] ^ i;
  uint a = 0x6a09e667, b = 0xbb67ae85, c = 0x3c6ef372, d = 0xa54ff53a;
  uint e = 0x510e527f, f = 0x9b05688c, g = 0x1f83d9ab, h = 0x5be0cd19;
#pragma unroll
  for (int j = 0; j < 64; ++j) {
    if (j >= 16) {
      const uint w1 = w[(j + 1) & 15], w14 = w[(j + 14) & 15];
      w[j & 15] += (rotate(w1, 25u) ^ rotate(w1, 14u) ^ (w1 >> 3)) + w[(j + 9) & 15] +
                   (rotate(w14, 15u) ^ rotate(w14, 13u) ^ (w14 >> 10));
    }
    const uint t1 = h + (rotate(e, 26u) ^ rotate(e, 21u) ^ rotate(e, 7u)) + bitselect(g, f, e) +
                    sha_k[j] + w[j & 15];
    const uint t2 = (rotate(a, 30u) ^ rotate(a, 19u) ^ rotate(a, 10u)) + bitselect(a, b, a ^ c);
    h = g; g = f; f = e; e = d + t1;
    d = c; c = b; b = a; a = t1 + t2;
  }
  out[i] = (a + 0x6a09e667) ^ (b + 0xbb67ae85) ^ (c + 0x3c6ef372) ^ (d + 0xa54ff53a) ^
           (e + 0x510e527f) ^ (f + 0x9b05688c) ^ (g + 0x1f83d9ab) ^ (h + 0x5be0cd19);
}

// One pass of a bitonic sort: a work-item compares and exchanges a pair `stride` apart, in blocks
// of `block` elements that alternate in direction. log2(n) (log2(n) + 1) / 2 launches sort n.
// Rate: Gop/s, compare-exchanges.
kernel void bitonic(global uint* data, uint stride, uint block) {
  const uint i = get_global_id(0);
  const uint low = (i & ~(stride - 1)) << 1 | (i & (stride - 1)), high = low | stride;
  const uint a = data[low], b = data[high];
  const bool ascending = (low & block) == 0;
  data[low] = ascending ? min(a, b) : max(a, b);
  data[high] = ascending ? max(a, b) : min(a, b);
}

// Sums of 256 elements each, by a tree in LDS. Launched until one is left.
// Rate: GB/s, 4 bytes an input element.
kernel __attribute__((reqd_work_group_size(256, 1, 1)))
void reduction(global float* out, global const float* in) {
  local float sums[256];
  const uint l = get_local_id(0);
  sums[l] = in[get_global_id(0)];
  for (uint s = 128; s > 0; s >>= 1) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l < s) sums[l] += sums[l + s];
  }
  if (l == 0) out[get_group_id(0)] = sums[0];
}

// 256 bins by the top byte; a group counts 256 x 64 elements in LDS and adds its bins to the
// global ones. Rate: GB/s, 4 bytes an element.
kernel __attribute__((reqd_work_group_size(256, 1, 1)))
void histogram(global uint* bins, global const uint* in) {
  local uint counts[256];
  const uint l = get_local_id(0);
  counts[l] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  global const uint* mine = in + get_group_id(0) * (256 * 64) + l;
  for (uint j = 0; j < 64; ++j) atomic_inc(&counts[mine[j * 256] >> 24]);
  barrier(CLK_LOCAL_MEM_FENCE);
  atomic_add(&bins[l], counts[l]);
}

// One Jacobi step; the border is copied. Rate: GB/s, 8 bytes a point (one read, one written).
kernel void stencil(global float* out, global const float* in, int width, int height) {
  const int x = get_global_id(0), y = get_global_id(1);
  const int at = y * width + x;
  if (x == 0 || y == 0 || x == width - 1 || y == height - 1) {
    out[at] = in[at];
  } else {
    out[at] = 0.5f * in[at] + 0.125f * (in[at - 1] + in[at + 1] + in[at - width] + in[at + width]);
  }
}

// The cumulative normal distribution by Abramowitz and Stegun 26.2.17 (error below 7.5e-8).
float normal_cdf(float d) {
  const float k = native_recip(fma(0.2316419f, fabs(d), 1.0f));
  const float poly =
      k * fma(k, fma(k, fma(k, fma(k, 1.330274429f, -1.821255978f), 1.781477937f), -0.356563782f),
              0.31938153f);
  const float upper = 0.39894228f * native_exp(-0.5f * d * d) * poly;
  return d > 0 ? 1.0f - upper : upper;
}

// European call and put prices. Rate: Mopt/s, options (a call and a put each).
kernel void black_scholes(global float* call, global float* put, global const float* spot,
                          global const float* strike, global const float* years, float rate,
                          float volatility) {
  const size_t i = get_global_id(0);
  const float s = spot[i], k = strike[i], t = years[i];
  const float root = volatility * native_sqrt(t);
  const float d1 = native_divide(
      native_log(native_divide(s, k)) + fma(0.5f * volatility, volatility, rate) * t, root);
  const float cdf1 = normal_cdf(d1), cdf2 = normal_cdf(d1 - root);
  const float discounted = k * native_exp(-rate * t);
  call[i] = s * cdf1 - discounted * cdf2;
  put[i] = discounted * (1.0f - cdf2) - s * (1.0f - cdf1);
}

// 20 VALU instructions an iteration, half float and half integer, no memory: what the engines can
// do a second. Rate: M wave-instructions/s, as the launch counts them (all instructions).
kernel void valu_loop(global uint* out, float a, float b, uint m, uint rounds) {
  const uint i = get_global_id(0);
  float f0 = (float)i, f1 = f0 + 1, f2 = f0 + 2, f3 = f0 + 3;
  uint u0 = i, u1 = i * 3, u2 = i * 5, u3 = i * 7;
  for (uint j = 0; j < rounds; ++j) {
    f0 = fma(f0, a, b);
    f1 = fma(f1, a, b);
    f2 = fma(f2, a, b);
    f3 = fma(f3, a, b);
    f0 = max(f0, f2);
    f1 = min(f1, f3);
    f2 = f2 * a;
    f3 = f3 * a;
    f2 = f2 + b;
    f3 = f3 + b;
    u0 = u0 ^ u1;
    u1 = u1 + u2;
    u2 = rotate(u2, 7u);
    u3 = u3 ^ u0;
    u0 = u0 + m;
    u1 = min(u1, u3);
    u2 = u2 - u3;
    u3 = rotate(u3, 13u);
    u0 = u0 & ~u2;
    u1 = u1 | m;
  }
  out[i] = as_uint(f0 + f1 + f2 + f3) ^ u0 ^ u1 ^ u2 ^ u3;
}

// Nothing at all: what starting a wave costs. Rate: million waves a second.
kernel void empty(global uint* out) {}

// One store: what a launch costs when the kernel is nothing.
kernel void trivial(global uint* out) { out[get_global_id(0)] = 1; }
