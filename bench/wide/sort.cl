// Sorting, and pieces of it.

// How many keys of each block have which digit.
kernel __attribute__((reqd_work_group_size(256, 1, 1)))
void radix_count(global uint* counts, global const uint* keys, int shift, int n, int groups) {
  local uint bins[16];
  int t = get_local_id(0), g = get_group_id(0);
  if (t < 16) bins[t] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int i = g * 1024 + t; i < (g + 1) * 1024 && i < n; i += 256) {
    atomic_inc(&bins[keys[i] >> shift & 15]);
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  if (t < 16) counts[t * groups + g] = bins[t];
}

// Blocks of 256 keys sorted by a digit, stably: each work-item counts who comes before it.
kernel __attribute__((reqd_work_group_size(256, 1, 1)))
void radix_scatter(global uint* out, global const uint* keys, int shift, int n) {
  local uint digits[256];
  local uint begins[17];
  int i = get_global_id(0), t = get_local_id(0);
  uint key = i < n ? keys[i] : 0;
  uint digit = i < n ? key >> shift & 15 : 16;
  if (t < 17) begins[t] = 0;
  digits[t] = digit;
  barrier(CLK_LOCAL_MEM_FENCE);
  if (digit < 16) atomic_inc(&begins[digit + 1]);
  barrier(CLK_LOCAL_MEM_FENCE);
  if (t == 0) {
    for (int d = 1; d < 17; d++) begins[d] += begins[d - 1];
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  if (i < n) {
    uint before = 0;
    for (int k = 0; k < t; k++) before += digits[k] == digit;
    out[i - t + begins[digit] + before] = key;
  }
}

// A step of Batcher's odd-even merge sort; any number of keys.
kernel void odd_even_merge(global uint* keys, int p, int k, int n) {
  int t = get_global_id(0);
  int a = k % p + t / k * 2 * k + t % k;
  int b = a + k;
  if (b >= n) return;
  if (a / (2 * p) == b / (2 * p) && keys[a] > keys[b]) {
    uint x = keys[a];
    keys[a] = keys[b];
    keys[b] = x;
  }
}

// Blocks of 512 keys sorted in LDS.
kernel __attribute__((reqd_work_group_size(256, 1, 1)))
void bitonic_block(global uint* keys, int n) {
  local uint s[512];
  int t = get_local_id(0), base = (int)get_group_id(0) * 512;
  for (int i = t; i < 512; i += 256) s[i] = base + i < n ? keys[base + i] : UINT_MAX;
  for (int size = 2; size <= 512; size <<= 1) {
    for (int stride = size / 2; stride > 0; stride >>= 1) {
      barrier(CLK_LOCAL_MEM_FENCE);
      int a = 2 * t - (t & (stride - 1));
      bool up = (a & size) == 0;
      uint x = s[a], y = s[a + stride];
      if ((x > y) == up) {
        s[a] = y;
        s[a + stride] = x;
      }
    }
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int i = t; i < 512; i += 256) {
    if (base + i < n) keys[base + i] = s[i];
  }
}

// 16 keys a work-item in a private array.
kernel void insertion_sort(global int* keys, int n) {
  int i = get_global_id(0);
  if (i >= n) return;
  int a[16];
  for (int k = 0; k < 16; k++) a[k] = keys[i * 16 + k];
  for (int k = 1; k < 16; k++) {
    int key = a[k], j = k - 1;
    while (j >= 0 && a[j] > key) {
      a[j + 1] = a[j];
      j--;
    }
    a[j + 1] = key;
  }
  for (int k = 0; k < 16; k++) keys[i * 16 + k] = a[k];
}

// Two sorted runs of 32 into one, a pair a work-item.
kernel void merge_runs(global int* out, global const int* in, int n) {
  int i = get_global_id(0);
  if (i >= n) return;
  global const int* a = in + i * 64;
  global const int* b = a + 32;
  int x = 0, y = 0;
  for (int k = 0; k < 64; k++) {
    if (y >= 32 || (x < 32 && a[x] <= b[y])) out[i * 64 + k] = a[x++];
    else out[i * 64 + k] = b[y++];
  }
}

// Each key of a block of 128 counts those that are less.
kernel void rank_sort(global float* out, global const float* in, int n) {
  int i = get_global_id(0);
  if (i >= n) return;
  int begin = i / 128 * 128, end = min(begin + 128, n);
  float key = in[i];
  int rank = 0;
  for (int j = begin; j < end; j++) {
    if (in[j] < key || (in[j] == key && j < i)) rank++;
  }
  out[begin + rank] = key;
}
