// Local memory: static, dynamic, all access widths, barriers, work-group algorithms.

kernel void lds_reverse(global int* out, global const int* in) {
  local int tile[192];
  const size_t l = get_local_id(0), n = get_local_size(0);
  tile[l] = in[get_global_id(0)];
  barrier(CLK_LOCAL_MEM_FENCE);
  out[get_global_id(0)] = tile[n - 1 - l];
}

kernel void lds_reduce(global long* sums, global const int* in, uint count, local long* scratch) {
  const size_t l = get_local_id(0);
  long sum = 0;
  for (size_t i = get_global_id(0); i < count; i += get_global_size(0)) sum += in[i];
  scratch[l] = sum;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (size_t half_size = get_local_size(0) / 2; half_size > 0; half_size /= 2) {
    if (l < half_size) scratch[l] += scratch[l + half_size];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (l == 0) sums[get_group_id(0)] = scratch[0];
}

// Inclusive scan after Hillis and Steele, double buffered.
kernel void lds_scan(global uint* out, global const uint* in) {
  local uint buffers[2][256];
  const uint l = get_local_id(0);
  uint current = 0;
  buffers[0][l] = in[get_global_id(0)];
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint distance = 1; distance < get_local_size(0); distance *= 2) {
    const uint value = buffers[current][l];
    buffers[1 - current][l] = l >= distance ? value + buffers[current][l - distance] : value;
    current = 1 - current;
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  out[get_global_id(0)] = buffers[current][l];
}

kernel void lds_transpose(global float* out, global const float* in, int width, int height) {
  local float tile[16][17];
  const int lx = get_local_id(0), ly = get_local_id(1);
  int x = get_group_id(0) * 16 + lx, y = get_group_id(1) * 16 + ly;
  if (x < width && y < height) tile[ly][lx] = in[y * width + x];
  barrier(CLK_LOCAL_MEM_FENCE);
  x = get_group_id(1) * 16 + lx;
  y = get_group_id(0) * 16 + ly;
  if (x < height && y < width) out[y * height + x] = tile[lx][ly];
}

// Sorts each group's part with a bitonic network.
kernel void lds_bitonic(global uint* data) {
  local uint keys[256];
  const uint l = get_local_id(0);
  keys[l] = data[get_global_id(0)];
  for (uint size = 2; size <= 256; size *= 2) {
    for (uint stride = size / 2; stride > 0; stride /= 2) {
      barrier(CLK_LOCAL_MEM_FENCE);
      const uint other = l ^ stride;
      if (other > l) {
        const uint a = keys[l], b = keys[other];
        if ((a > b) == ((l & size) == 0)) {
          keys[l] = b;
          keys[other] = a;
        }
      }
    }
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  data[get_global_id(0)] = keys[l];
}

// Two bytes, shorts, ints, longs, 128-bit vectors and doubles of one another's in odd places.
typedef struct {
  uchar bytes[64];
  ushort shorts[64];
  uint words[64];
  ulong longs[64];
  float4 vectors[64];
  double doubles[64];
} Mixed;

kernel void lds_widths(global ulong* out, global const uint* in) {
  local Mixed mixed;
  const uint l = get_local_id(0);
  const uint v = in[get_global_id(0)];
  mixed.bytes[(l * 7 + 1) & 63] = v;
  mixed.shorts[(l * 5 + 2) & 63] = v >> 3;
  mixed.words[(l * 3 + 3) & 63] = v * 3;
  mixed.longs[(l * 11 + 4) & 63] = (ulong)v << 20;
  mixed.vectors[(l * 13 + 5) & 63] = (float4)(v & 1023, l, v >> 22, 1.0f);
  mixed.doubles[(l * 9 + 6) & 63] = v * 0.5;
  barrier(CLK_LOCAL_MEM_FENCE);
  const float4 f = mixed.vectors[l];
  out[get_global_id(0)] = mixed.bytes[l] + mixed.shorts[l] + ((char)mixed.bytes[63 - l]) +
                          ((short)mixed.shorts[63 - l]) + mixed.words[l] + mixed.longs[l] +
                          (ulong)(f.x + 2 * f.y + 4 * f.z + f.w) + (ulong)mixed.doubles[l];
}

// Several barriers in a loop that all work-items run equally often, and a neighbour exchange.
kernel void lds_relax(global float* data, int steps) {
  local float line[130];
  const int l = get_local_id(0), n = get_local_size(0);
  line[l + 1] = data[get_global_id(0)];
  if (l == 0) line[0] = 0;
  if (l == n - 1) line[n + 1] = 64;
  for (int step = 0; step < steps; ++step) {
    barrier(CLK_LOCAL_MEM_FENCE);
    const float next = 0.25f * line[l] + 0.5f * line[l + 1] + 0.25f * line[l + 2];
    barrier(CLK_LOCAL_MEM_FENCE);
    line[l + 1] = next;
  }
  data[get_global_id(0)] = line[l + 1];
}

kernel void lds_sgemm(global float* c, global const float* a, global const float* b, int n) {
  local float ta[16][16], tb[16][16];
  const int x = get_local_id(0), y = get_local_id(1);
  const int column = get_global_id(0), row = get_global_id(1);
  float sum = 0;
  for (int k = 0; k < n; k += 16) {
    ta[y][x] = a[row * n + k + x];
    tb[y][x] = b[(k + y) * n + column];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int j = 0; j < 16; ++j) sum += ta[y][j] * tb[j][x];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  c[row * n + column] = sum;
}

kernel void lds_histogram(global uint* histogram, global const uchar* in, uint count) {
  local uint bins[256];
  for (uint i = get_local_id(0); i < 256; i += get_local_size(0)) bins[i] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint i = get_global_id(0); i < count; i += get_global_size(0)) atomic_inc(&bins[in[i]]);
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint i = get_local_id(0); i < 256; i += get_local_size(0)) {
    if (bins[i] != 0) atomic_add(&histogram[i], bins[i]);
  }
}

// Two dynamic arrays of different types and one static array.
kernel void lds_dynamic(global int* out, global const int* in, local int* first,
                        local short* second, local uchar* third) {
  local int shared_by_all;
  const uint l = get_local_id(0), n = get_local_size(0);
  const int value = in[get_global_id(0)];
  if (l == n - 1) shared_by_all = value;
  first[l] = value;
  second[n - 1 - l] = (short)value;
  third[(l + 1) % n] = (uchar)value;
  barrier(CLK_LOCAL_MEM_FENCE);
  out[get_global_id(0)] = first[(l + 5) % n] ^ second[l] ^ (third[l] << 8) ^ shared_by_all;
}

kernel void lds_async_copy(global int4* out, global const int4* in) {
  local int4 tile[64];
  const size_t base = get_group_id(0) * 64;
  event_t event = async_work_group_copy(tile, in + base, 64, 0);
  wait_group_events(1, &event);
  const int4 mine = tile[63 - get_local_id(0)] + 1;
  barrier(CLK_LOCAL_MEM_FENCE);
  tile[get_local_id(0)] = mine;
  barrier(CLK_LOCAL_MEM_FENCE);
  event = async_work_group_copy(out + base, tile, 64, 0);
  wait_group_events(1, &event);
}

kernel void lds_work_group(global int* out, global const int* in) {
  const size_t i = get_global_id(0);
  const int value = in[i];
  out[6 * i] = work_group_reduce_add(value);
  out[6 * i + 1] = work_group_scan_inclusive_add(value);
  out[6 * i + 2] = work_group_scan_exclusive_max(value);
  out[6 * i + 3] = work_group_any(value == 77);
  out[6 * i + 4] = work_group_all(value > -900);
  out[6 * i + 5] = work_group_broadcast(value, 3);
}
