// The kernels of scripts/demo. `build-kernels` compiles them; the results are in the repository so that the
// demo runs where there is no clang.
#pragma OPENCL FP_CONTRACT OFF

// Iterations until |z| > 2, at most `limit`, for a picture of width x height pixels. The pixel's size
// is an argument because OpenCL's f32 division is not exact.
kernel void mandelbrot(global ushort* iterations, uint width, uint height, uint limit,
                       float pixel_width, float pixel_height) {
  const uint px = get_global_id(0);
  const uint py = get_global_id(1);
  if (px >= width || py >= height) return;
  const float cx = (float)px * pixel_width - 2.3f;
  const float cy = (float)py * pixel_height - 1.2f;
  float x = 0.0f;
  float y = 0.0f;
  uint n = 0;
  while (n < limit && x * x + y * y <= 4.0f) {
    const float next = x * x - y * y + cx;
    y = 2.0f * x * y + cy;
    x = next;
    ++n;
  }
  iterations[py * width + px] = (ushort)n;
}

constant uint kRound[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

// SHA-256 of the 4-byte big-endian message `first + id`; stores the digest's first word.
kernel void sha256(global uint* digest, uint first) {
  const uint id = get_global_id(0);
  uint w[16] = {first + id, 0x80000000, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 32};
  uint a = 0x6a09e667, b = 0xbb67ae85, c = 0x3c6ef372, d = 0xa54ff53a;
  uint e = 0x510e527f, f = 0x9b05688c, g = 0x1f83d9ab, h = 0x5be0cd19;
#pragma unroll
  for (int n = 0; n < 64; ++n) {
    if (n >= 16) {
      const uint p = w[(n - 15) & 15];
      const uint q = w[(n - 2) & 15];
      w[n & 15] += (rotate(p, 25u) ^ rotate(p, 14u) ^ (p >> 3)) + w[(n - 7) & 15] +
                   (rotate(q, 15u) ^ rotate(q, 13u) ^ (q >> 10));
    }
    const uint t1 = h + (rotate(e, 26u) ^ rotate(e, 21u) ^ rotate(e, 7u)) + ((e & f) ^ (~e & g)) +
                    kRound[n] + w[n & 15];
    const uint t2 = (rotate(a, 30u) ^ rotate(a, 19u) ^ rotate(a, 10u)) + ((a & b) ^ (a & c) ^ (b & c));
    h = g; g = f; f = e; e = d + t1;
    d = c; c = b; b = a; a = t1 + t2;
  }
  digest[id] = 0x6a09e667 + a;
}

// C = A * B, n x n, tiles of 16 x 16 in LDS.
kernel void __attribute__((reqd_work_group_size(16, 16, 1)))
sgemm(global const float* a, global const float* b, global float* c, uint n) {
  local float tile_a[16][16];
  local float tile_b[16][16];
  const uint x = get_local_id(0);
  const uint y = get_local_id(1);
  const uint column = get_global_id(0);
  const uint row = get_global_id(1);
  float sum = 0.0f;
  for (uint k = 0; k < n; k += 16) {
    tile_a[y][x] = a[row * n + k + x];
    tile_b[y][x] = b[(k + y) * n + column];
    barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll
    for (uint i = 0; i < 16; ++i) sum = sum + tile_a[y][i] * tile_b[i][x];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  c[row * n + column] = sum;
}

// Counts bytes: LDS atomics in each group, global atomics at its end.
kernel void __attribute__((reqd_work_group_size(256, 1, 1)))
histogram(global const uchar* data, global uint* bins, uint per_item) {
  local uint counts[256];
  const uint l = get_local_id(0);
  counts[l] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  const uint stride = get_global_size(0);
  for (uint n = 0; n < per_item; ++n) atomic_inc(&counts[data[get_global_id(0) + n * stride]]);
  barrier(CLK_LOCAL_MEM_FENCE);
  atomic_add(&bins[l], counts[l]);
}

// Steps of the Collatz sequence down to 1: every lane has a trip count of its own.
kernel void collatz(global uint* steps, uint first) {
  const uint id = get_global_id(0);
  ulong n = first + id;
  uint count = 0;
  while (n > 1) {
    n = (n & 1) ? 3 * n + 1 : n >> 1;
    ++count;
  }
  steps[id] = count;
}
