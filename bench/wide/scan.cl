// Prefix sums and reductions.

// Inclusive sums of blocks of 256, Hillis and Steele, two buffers in LDS.
kernel __attribute__((reqd_work_group_size(256, 1, 1)))
void scan_hillis(global int* out, global const int* in, int n) {
  local int a[2][256];
  int i = get_global_id(0), t = get_local_id(0);
  int from = 0;
  a[0][t] = i < n ? in[i] : 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int d = 1; d < 256; d *= 2) {
    int to = 1 - from;
    a[to][t] = t >= d ? a[from][t] + a[from][t - d] : a[from][t];
    barrier(CLK_LOCAL_MEM_FENCE);
    from = to;
  }
  if (i < n) out[i] = a[from][t];
}

// Exclusive sums of blocks of 512, up and down a tree in LDS; and the blocks' sums.
kernel __attribute__((reqd_work_group_size(256, 1, 1)))
void scan_blelloch(global int* out, global int* sums, global const int* in, int n) {
  local int s[512];
  int t = get_local_id(0), g = get_group_id(0);
  int a = g * 512 + 2 * t;
  s[2 * t] = a < n ? in[a] : 0;
  s[2 * t + 1] = a + 1 < n ? in[a + 1] : 0;
  int offset = 1;
  for (int d = 256; d > 0; d >>= 1) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (t < d) s[offset * (2 * t + 2) - 1] += s[offset * (2 * t + 1) - 1];
    offset *= 2;
  }
  if (t == 0) {
    sums[g] = s[511];
    s[511] = 0;
  }
  for (int d = 1; d < 512; d *= 2) {
    offset >>= 1;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (t < d) {
      int x = offset * (2 * t + 1) - 1, y = offset * (2 * t + 2) - 1;
      int left = s[x];
      s[x] = s[y];
      s[y] += left;
    }
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  if (a < n) out[a] = s[2 * t];
  if (a + 1 < n) out[a + 1] = s[2 * t + 1];
}

kernel void scan_add(global int* out, global const int* sums, int n) {
  int i = get_global_id(0);
  if (i < n) out[i] += sums[i / 512];
}

// What has a flag goes to where the sums say.
kernel void compact(global int* out, global const int* in, global const int* flags,
                    global const int* places, int n) {
  int i = get_global_id(0);
  if (i < n && flags[i]) out[places[i]] = in[i];
}

// Each work-item sums with a stride, then a tree in LDS.
kernel __attribute__((reqd_work_group_size(128, 1, 1)))
void reduce_strided(global int* sums, global const int* in, int n) {
  local int s[128];
  int t = get_local_id(0), g = get_group_id(0);
  int sum = 0;
  for (int i = g * 4096 + t; i < min((g + 1) * 4096, n); i += 128) sum += in[i];
  s[t] = sum;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int d = 64; d > 0; d >>= 1) {
    if (t < d) s[t] += s[t + d];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (t == 0) sums[g] = s[0];
}

// The largest of a block and where it is.
kernel __attribute__((reqd_work_group_size(256, 1, 1)))
void arg_max(global float* top, global int* place, global const float* in, int n) {
  local float value[256];
  local int index[256];
  int i = get_global_id(0), t = get_local_id(0);
  value[t] = i < n ? in[i] : -INFINITY;
  index[t] = i;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int d = 128; d > 0; d >>= 1) {
    if (t < d && (value[t + d] > value[t] || (value[t + d] == value[t] && index[t + d] < index[t]))) {
      value[t] = value[t + d];
      index[t] = index[t + d];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (t == 0) {
    top[get_group_id(0)] = value[0];
    place[get_group_id(0)] = index[0];
  }
}
