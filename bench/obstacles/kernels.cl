// Pairs of kernels that do the same, or as much: one as people write it, one without what makes it
// hard to compile well (obstacles.cpp says which belong together).

// Guards and indices.
kernel void copy(global float* out, global const float* in, int n) {
  uint i = get_global_id(0);
  out[i] = in[i];
}
kernel void copy_int(global float* out, global const float* in, int n) {
  int i = get_global_id(0);
  out[i] = in[i];
}
kernel void copy_guard(global float* out, global const float* in, int n) {
  int i = get_global_id(0);
  if (i < n) out[i] = in[i];
}
kernel void copy_size_guard(global float* out, global const float* in, int n) {
  size_t i = get_global_id(0);
  if (i < n) out[i] = in[i];
}
kernel void copy_return(global float* out, global const float* in, int n) {
  int i = get_global_id(0);
  if (i >= n) return;
  out[i] = in[i];
}
kernel void copy_inner(global float* out, global const float* in, int n) {
  int i = get_global_id(0);
  if (i > 0 && i < n - 1) out[i] = in[i];
}
kernel void plane(global float* out, global const float* in, int n) {
  uint x = get_global_id(0), y = get_global_id(1);
  out[y * n + x] = in[y * n + x];
}
kernel void plane_guard(global float* out, global const float* in, int n) {
  int x = get_global_id(0), y = get_global_id(1);
  if (x < n && y < n) out[y * n + x] = in[y * n + x];
}
kernel void plane_inner(global float* out, global const float* in, int n) {
  int x = get_global_id(0), y = get_global_id(1);
  if (x > 0 && y > 0 && x < n - 1 && y < n - 1) out[y * n + x] = in[y * n + x];
}
kernel void plane_size(global float* out, global const float* in, int n) {
  size_t x = get_global_id(0), y = get_global_id(1);
  if (x < n && y < n) out[y * n + x] = in[y * n + x];
}
kernel void plane_size_16x16(global float* out, global const float* in, int n) {
  size_t x = get_global_id(0), y = get_global_id(1);
  if (x < n && y < n) out[y * n + x] = in[y * n + x];
}
// Groups of 8 x 8, of 16 x 16, and of 16 work-items.
kernel void plane_8x8(global float* out, global const float* in, int n) {
  uint x = get_global_id(0), y = get_global_id(1);
  out[y * n + x] = in[y * n + x];
}
kernel void plane_16x16(global float* out, global const float* in, int n) {
  uint x = get_global_id(0), y = get_global_id(1);
  out[y * n + x] = in[y * n + x];
}
kernel void copy_16(global float* out, global const float* in, int n) {
  uint i = get_global_id(0);
  out[i] = in[i];
}

// Neighbours, whose loads compilers merge, and the same sums of arrays of their own.
kernel void sum2(global float* out, global const float* a, int n) {
  uint i = get_global_id(0);
  out[i] = a[i] + a[i + 1];
}
kernel void sum2_apart(global float* out, global const float* a, global const float* b, int n) {
  uint i = get_global_id(0);
  out[i] = a[i] + b[i];
}
kernel void sum3(global float* out, global const float* a, int n) {
  uint i = get_global_id(0);
  out[i] = a[i] + a[i + 1] + a[i + 2];
}
kernel void sum3_apart(global float* out, global const float* a, global const float* b,
                       global const float* c, int n) {
  uint i = get_global_id(0);
  out[i] = a[i] + b[i] + c[i];
}
kernel void sum4_guard(global float* out, global const float* a, int n) {
  int i = get_global_id(0);
  if (i < n) out[i] = a[i] + a[i + 1] + a[i + 2] + a[i + 3];
}
kernel void sum4_apart(global float* out, global const float* a, global const float* b,
                       global const float* c, global const float* d, int n) {
  uint i = get_global_id(0);
  out[i] = a[i] + b[i] + c[i] + d[i];
}
// Structures, and an array for each member.
kernel void structures(global float* out, global const float4* in, int n) {
  int i = get_global_id(0);
  if (i < n) out[i] = in[i].x * in[i].y + in[i].z * in[i].w;
}
kernel void members(global float* out, global const float* x, global const float* y,
                    global const float* z, global const float* w, int n) {
  int i = get_global_id(0);
  if (i < n) out[i] = x[i] * y[i] + z[i] * w[i];
}
// A row a work-item, and a column.
kernel void row_sums(global float* out, global const float* in, int n) {
  int i = get_global_id(0);
  if (i >= n) return;
  float sum = 0;
  for (int k = 0; k < n; k++) sum += in[i * n + k];
  out[i] = sum;
}
kernel void column_sums(global float* out, global const float* in, int n) {
  int i = get_global_id(0);
  if (i >= n) return;
  float sum = 0;
  for (int k = 0; k < n; k++) sum += in[k * n + i];
  out[i] = sum;
}
// A store in each iteration, and one at the end.
kernel void store_each(global float* out, global const float* in, int n) {
  int i = get_global_id(0);
  if (i >= n) return;
  out[i] = 0;
  for (int k = 0; k < 64; k++) out[i] += in[k * n + i];
}
kernel void store_last(global float* out, global const float* in, int n) {
  int i = get_global_id(0);
  if (i >= n) return;
  float sum = 0;
  for (int k = 0; k < 64; k++) sum += in[k * n + i];
  out[i] = sum;
}

// Scattered elements by their size.
kernel void scatter8(global uchar* out, global const uint* index, int n) {
  uint i = get_global_id(0);
  out[index[i]] = i;
}
kernel void scatter16(global ushort* out, global const uint* index, int n) {
  uint i = get_global_id(0);
  out[index[i]] = i;
}
kernel void scatter32(global uint* out, global const uint* index, int n) {
  uint i = get_global_id(0);
  out[index[i]] = i;
}
kernel void gather8(global uint* out, global const uchar* in, global const uint* index, int n) {
  uint i = get_global_id(0);
  out[i] = in[index[i]];
}
kernel void gather32(global uint* out, global const uint* in, global const uint* index, int n) {
  uint i = get_global_id(0);
  out[i] = in[index[i]];
}

// LDS: wide elements in places that data choose, and as dwords; bytes to its end, and before it.
kernel void lds_wide64(global ulong* out, global const uint* index, int n) {
  local ulong lds[256];
  uint i = get_global_id(0);
  lds[index[i] & 255] = i * 0x100000001ul;
  barrier(CLK_LOCAL_MEM_FENCE);
  out[i] = lds[(index[i] ^ 1) & 255];
}
kernel void lds_dwords64(global ulong* out, global const uint* index, int n) {
  local uint low[256], high[256];
  uint i = get_global_id(0);
  low[index[i] & 255] = i;
  high[index[i] & 255] = i;
  barrier(CLK_LOCAL_MEM_FENCE);
  out[i] = low[(index[i] ^ 1) & 255] | (ulong)high[(index[i] ^ 1) & 255] << 32;
}
kernel void lds_bytes(global uint* out, global const uint* index, int n) {
  local uchar lds[256];
  uint i = get_global_id(0), t = get_local_id(0);
  lds[t] = t * 3;
  barrier(CLK_LOCAL_MEM_FENCE);
  uint s = index[i], sum = 0;
  for (int k = 0; k < 8; k++, s >>= 1) sum += lds[s & 255];
  out[i] = sum;
}
kernel void lds_low_bytes(global uint* out, global const uint* index, int n) {
  local uchar lds[256];
  uint i = get_global_id(0), t = get_local_id(0);
  lds[t] = t * 3;
  barrier(CLK_LOCAL_MEM_FENCE);
  uint s = index[i], sum = 0;
  for (int k = 0; k < 8; k++, s >>= 1) sum += lds[s & 127];
  out[i] = sum;
}
// A pointer of which the compiler does not know that it is to LDS.
__attribute__((noinline)) uint SumOf(uint* p, uint i) {
  uint sum = 0;
  for (uint k = 0; k < 16; k++) sum += p[(i * 5 + k) & 255];
  return sum;
}
__attribute__((noinline)) uint LocalSumOf(local uint* p, uint i) {
  uint sum = 0;
  for (uint k = 0; k < 16; k++) sum += p[(i * 5 + k) & 255];
  return sum;
}
kernel void generic_pointer(global uint* out, global const uint* in, int n) {
  local uint lds[256];
  uint i = get_global_id(0), t = get_local_id(0);
  lds[t] = in[i];
  barrier(CLK_LOCAL_MEM_FENCE);
  out[i] = SumOf(lds, t);
}
kernel void local_pointer(global uint* out, global const uint* in, int n) {
  local uint lds[256];
  uint i = get_global_id(0), t = get_local_id(0);
  lds[t] = in[i];
  barrier(CLK_LOCAL_MEM_FENCE);
  out[i] = LocalSumOf(lds, t);
}
// A private array with an index that data choose, and the same in LDS.
kernel void private_array(global uint* out, global const uint* in, int n) {
  uint i = get_global_id(0), count[64];
  for (int k = 0; k < 64; k++) count[k] = k;
  for (int k = 0; k < 64; k++) count[in[k * n + i] & 63] += k;
  uint sum = 0;
  for (int k = 0; k < 64; k++) sum = sum * 3 + count[k];
  out[i] = sum;
}
kernel void local_array(global uint* out, global const uint* in, int n) {
  local uint count[64][64];
  uint i = get_global_id(0), t = get_local_id(0);
  for (int k = 0; k < 64; k++) count[k][t] = k;
  for (int k = 0; k < 64; k++) count[in[k * n + i] & 63][t] += k;
  uint sum = 0;
  for (int k = 0; k < 64; k++) sum = sum * 3 + count[k][t];
  out[i] = sum;
}

// Arithmetic that a processor has, and that takes GCN many instructions.
kernel void divide_f32(global float* out, global const float* a, global const float* b, int n) {
  int i = get_global_id(0);
  if (i >= n) return;
  float x = a[i], y = b[i];
  for (int k = 0; k < 16; k++) x = y / x + 0.5f;
  out[i] = x;
}
kernel void divide_f64(global double* out, global const double* a, global const double* b, int n) {
  int i = get_global_id(0);
  if (i >= n) return;
  double x = a[i], y = b[i];
  for (int k = 0; k < 16; k++) x = y / x + 0.5;
  out[i] = x;
}
kernel void root_f64(global double* out, global const double* a, int n) {
  int i = get_global_id(0);
  if (i >= n) return;
  double x = a[i];
  for (int k = 0; k < 16; k++) x = sqrt(x) + 0.5;
  out[i] = x;
}
kernel void multiply_u64(global ulong* out, global const ulong* a, ulong factor, int n) {
  int i = get_global_id(0);
  if (i >= n) return;
  ulong x = a[i];
  for (int k = 0; k < 16; k++) x = x * factor + (x >> 13);
  out[i] = x;
}

// Atomics.
kernel void lds_add_f32(global float* out, global const uint* index, int n) {
  local float sum[256];
  uint i = get_global_id(0), t = get_local_id(0);
  sum[t] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int k = 0; k < 16; k++) {
    __builtin_amdgcn_ds_faddf(&sum[(index[i] + k) & 255], 1.0f, 0, 0, false);
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  out[i] = sum[t];
}
kernel void lds_add_u32(global float* out, global const uint* index, int n) {
  local uint sum[256];
  uint i = get_global_id(0), t = get_local_id(0);
  sum[t] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int k = 0; k < 16; k++) atomic_add(&sum[(index[i] + k) & 255], 1u);
  barrier(CLK_LOCAL_MEM_FENCE);
  out[i] = sum[t];
}
kernel void global_count(global uint* out, global const uint* index, int n) {
  uint i = get_global_id(0);
  if (index[i] < n / 2) atomic_inc(out);
}
kernel void global_add_u32(global uint* out, global const uint* index, int n) {
  uint i = get_global_id(0);
  atomic_add(&out[index[i]], i);
}
// A loop that compares and swaps, as people add floats.
kernel void global_add_f32(global float* out, global const uint* index, int n) {
  uint i = get_global_id(0);
  volatile global uint* at = (volatile global uint*)&out[index[i]];
  uint old = *at, seen;
  while ((seen = atomic_cmpxchg(at, old, as_uint(as_float(old) + 1.0f))) != old) old = seen;
}

// What an engine is tried with.
kernel void trivial(global uint* out) { out[get_global_id(0)] = 1; }
