// Small versions of what people run on GPUs.

kernel void saxpy(global float* y, global const float* x, float a, int n) {
  const int i = get_global_id(0);
  if (i < n) y[i] = a * x[i] + y[i];
}

kernel void sgemm_naive(global float* c, global const float* a, global const float* b, int n) {
  const int column = get_global_id(0), row = get_global_id(1);
  float sum = 0;
  for (int k = 0; k < n; ++k) sum += a[row * n + k] * b[k * n + column];
  c[row * n + column] = sum;
}

kernel void nbody(global float4* acceleration, global const float4* bodies, int n) {
  const float4 me = bodies[get_global_id(0)];
  float3 sum = (float3)(0.0f);
  for (int j = 0; j < n; ++j) {
    const float4 other = bodies[j];
    const float3 d = other.xyz - me.xyz;
    const float r2 = dot(d, d) + 0.01f;
    const float r = rsqrt(r2);
    sum += d * (other.w * r * r * r);
  }
  acceleration[get_global_id(0)] = (float4)(sum, 0.0f);
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

// The hash of one padded block a work-item.
kernel void sha256(global uint* digests, global const uint* blocks) {
  const size_t i = get_global_id(0);
  uint w[16];
  for (int j = 0; j < 16; ++j) w[j] = blocks[i * 16 + j];
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
    const uint t2 =
        (rotate(a, 30u) ^ rotate(a, 19u) ^ rotate(a, 10u)) + bitselect(a, b, a ^ c);
    h = g; g = f; f = e; e = d + t1;
    d = c; c = b; b = a; a = t1 + t2;
  }
  global uint* o = digests + i * 8;
  o[0] = a + 0x6a09e667; o[1] = b + 0xbb67ae85; o[2] = c + 0x3c6ef372; o[3] = d + 0xa54ff53a;
  o[4] = e + 0x510e527f; o[5] = f + 0x9b05688c; o[6] = g + 0x1f83d9ab; o[7] = h + 0x5be0cd19;
}

kernel void stencil(global float* out, global const float* in, int width, int height) {
  const int x = get_global_id(0), y = get_global_id(1);
  if (x >= width || y >= height) return;
  const int at = y * width + x;
  if (x == 0 || y == 0 || x == width - 1 || y == height - 1) {
    out[at] = in[at];
  } else {
    out[at] = 0.5f * in[at] + 0.125f * (in[at - 1] + in[at + 1] + in[at - width] + in[at + width]);
  }
}

float normal_cdf(float x) { return 0.5f * erfc(-x * 0.70710678f); }

kernel void black_scholes(global float2* out, global const float* spot, global const float* strike,
                          global const float* years, float rate, float volatility) {
  const size_t i = get_global_id(0);
  const float s = spot[i], k = strike[i], t = years[i];
  const float root = volatility * sqrt(t);
  const float d1 = (log(s / k) + (rate + 0.5f * volatility * volatility) * t) / root;
  const float d2 = d1 - root;
  const float discounted = k * exp(-rate * t);
  out[i] = (float2)(s * normal_cdf(d1) - discounted * normal_cdf(d2),
                    discounted * normal_cdf(-d2) - s * normal_cdf(-d1));
}

// CRC-32 by a table of 16 entries, a nibble at a time.
constant uint crc_nibbles[16] = {0x00000000, 0x1db71064, 0x3b6e20c8, 0x26d930ac,
                                 0x76dc4190, 0x6b6b51f4, 0x4db26158, 0x5005713c,
                                 0xedb88320, 0xf00f9344, 0xd6d6a3e8, 0xcb61b38c,
                                 0x9b64c2b0, 0x86d3d2d4, 0xa00ae278, 0xbdbdf21c};
kernel void crc32(global uint* out, global const uchar* data, global const uint* starts) {
  const size_t i = get_global_id(0);
  uint crc = ~0u;
  for (uint j = starts[i]; j < starts[i + 1]; ++j) {
    crc ^= data[j];
    crc = crc >> 4 ^ crc_nibbles[crc & 15];
    crc = crc >> 4 ^ crc_nibbles[crc & 15];
  }
  out[i] = ~crc;
}

// Points in a quarter circle, by a 64-bit xorshift generator a work-item.
kernel void xorshift_pi(global uint* hits, global ulong* states, int rounds) {
  const size_t i = get_global_id(0);
  ulong s = states[i];
  uint count = 0;
  for (int j = 0; j < rounds; ++j) {
    s ^= s >> 12;
    s ^= s << 25;
    s ^= s >> 27;
    const ulong r = s * 2685821657736338717ul;
    const long x = (long)(r >> 34), y = (long)(r & 0x3fffffff);
    if (x * x + y * y < 0x1000000000000000l) ++count;
  }
  states[i] = s;
  hits[i] = count;
}

kernel void string_search(global int* first, global uint* count, global const char* text,
                          int text_size, constant char* pattern, int pattern_size) {
  const int i = get_global_id(0), chunk = 32;
  int found = -1;
  for (int at = i * chunk; at < (i + 1) * chunk && at + pattern_size <= text_size; ++at) {
    int j = 0;
    while (j < pattern_size && text[at + j] == pattern[j]) ++j;
    if (j == pattern_size) {
      if (found < 0) found = at;
      atomic_inc(count);
    }
  }
  first[i] = found;
}

// 256 complex points a group, decimation in time.
kernel void fft256(global float2* data) {
  local float2 values[256];
  const uint l = get_local_id(0);
  for (uint j = l; j < 256; j += 128) {
    uint reversed = 0;
    for (uint bit = 0; bit < 8; ++bit) reversed |= ((j >> bit) & 1) << (7 - bit);
    values[reversed] = data[get_group_id(0) * 256 + j];
  }
  for (uint size = 1; size < 256; size *= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    const uint position = l & (size - 1);
    const uint top = (l - position) * 2 + position;
    float cosine;
    const float sine = sincos(-3.14159265f * (float)position / (float)size, &cosine);
    const float2 a = values[top], b = values[top + size];
    const float2 turned = (float2)(b.x * cosine - b.y * sine, b.x * sine + b.y * cosine);
    values[top] = a + turned;
    values[top + size] = a - turned;
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint j = l; j < 256; j += 128) data[get_group_id(0) * 256 + j] = values[j];
}

// A scan over the whole grid in one launch: each group waits for its predecessor's total.
kernel void scan_chained(global uint* out, global const uint* in, volatile global uint* totals,
                         volatile global int* ready) {
  local uint sums[128];
  local uint before;
  const uint l = get_local_id(0), group = get_group_id(0);
  uint sum = in[get_global_id(0)];
  sums[l] = sum;
  for (uint distance = 1; distance < 128; distance *= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    const uint left = l >= distance ? sums[l - distance] : 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    sums[l] = sum += left;
  }
  if (l == 127) {
    uint total = 0;
    if (group > 0) {
      while (atomic_add(&ready[group - 1], 0) == 0) {
      }
      mem_fence(CLK_GLOBAL_MEM_FENCE);
      total = atomic_add(&totals[group - 1], 0);
    }
    before = total;
    atomic_xchg(&totals[group], total + sum);
    mem_fence(CLK_GLOBAL_MEM_FENCE);
    atomic_xchg(&ready[group], 1);
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  out[get_global_id(0)] = before + sum;
}

// Gauss elimination with pivoting: a 6 x 6 system a work-item, in private memory.
kernel void solve_f64(global double* x, global const double* a, global const double* b) {
  double m[6][7];
  const size_t i = get_global_id(0);
  for (int r = 0; r < 6; ++r) {
    for (int c = 0; c < 6; ++c) m[r][c] = a[i * 36 + r * 6 + c];
    m[r][6] = b[i * 6 + r];
  }
  for (int k = 0; k < 6; ++k) {
    int pivot = k;
    for (int r = k + 1; r < 6; ++r) {
      if (fabs(m[r][k]) > fabs(m[pivot][k])) pivot = r;
    }
    for (int c = 0; c < 7; ++c) {
      const double t = m[k][c];
      m[k][c] = m[pivot][c];
      m[pivot][c] = t;
    }
    for (int r = k + 1; r < 6; ++r) {
      const double factor = m[r][k] / m[k][k];
      for (int c = k; c < 7; ++c) m[r][c] -= factor * m[k][c];
    }
  }
  for (int r = 5; r >= 0; --r) {
    double sum = m[r][6];
    for (int c = r + 1; c < 6; ++c) sum -= m[r][c] * m[c][6];
    m[r][6] = sum / m[r][r];
    x[i * 6 + r] = m[r][6];
  }
}

kernel void game_of_life(global uchar* next, global const uchar* now, int width, int height) {
  const int x = get_global_id(0), y = get_global_id(1);
  int neighbours = 0;
  for (int dy = -1; dy <= 1; ++dy) {
    for (int dx = -1; dx <= 1; ++dx) {
      if (dx == 0 && dy == 0) continue;
      neighbours += now[(y + dy + height) % height * width + (x + dx + width) % width];
    }
  }
  next[y * width + x] = neighbours == 3 || (neighbours == 2 && now[y * width + x]);
}

// Edit distance of two words of up to 15 letters.
kernel void levenshtein(global uchar* out, global const char* words, int stride) {
  global const char* a = words + (2 * get_global_id(0)) * stride;
  global const char* b = a + stride;
  uchar row[16];
  int length = 0;
  for (; b[length] != 0; ++length) row[length] = length;
  row[length] = length;
  for (int i = 0; a[i] != 0; ++i) {
    uchar diagonal = row[0];
    row[0] = i + 1;
    for (int j = 0; j < length; ++j) {
      const uchar substituted = diagonal + (a[i] != b[j]);
      diagonal = row[j + 1];
      row[j + 1] = min((uchar)(min(row[j], row[j + 1]) + 1), substituted);
    }
  }
  out[get_global_id(0)] = row[length];
}

// Vectors of three, unaligned loads, and all vector widths.
kernel void vector_memory(global float* out3, global uchar* bytes, global int* wide,
                          global const float* in3, global const uchar* in_bytes,
                          global const int* in_wide) {
  const size_t i = get_global_id(0);
  vstore3(vload3(i, in3).zxy + 1.0f, i, out3);
  vstore16(vload16(0, in_bytes + i * 16 + 3).sfedcba9876543210, i, bytes);
  const int8 v = vload8(0, in_wide + i * 8 + 1);
  vstore8(v.s76543210 - v, i, wide);
}

// A dot product in f64: partial sums in registers, LDS, then one atomic a group.
kernel void dot_f64(global double* partial, global const double* a, global const double* b,
                    int n) {
  local double sums[64];
  double sum = 0;
  for (int i = get_global_id(0); i < n; i += get_global_size(0)) sum = fma(a[i], b[i], sum);
  sums[get_local_id(0)] = sum;
  for (int half_size = 32; half_size > 0; half_size /= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) < half_size) sums[get_local_id(0)] += sums[get_local_id(0) + half_size];
  }
  if (get_local_id(0) == 0) partial[get_group_id(0)] = sums[0];
}
