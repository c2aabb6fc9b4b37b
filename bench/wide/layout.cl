// How data lie in memory: transpositions, structures, private arrays, small groups.

kernel void transpose_naive(global float* out, global const float* in, int n) {
  int x = get_global_id(0), y = get_global_id(1);
  if (x < n && y < n) out[x * n + y] = in[y * n + x];
}

kernel __attribute__((reqd_work_group_size(16, 16, 1)))
void transpose_tile(global float* out, global const float* in, int n) {
  local float tile[16][16];
  int lx = get_local_id(0), ly = get_local_id(1);
  int bx = (int)get_group_id(0) * 16, by = (int)get_group_id(1) * 16;
  if (bx + lx < n && by + ly < n) tile[ly][lx] = in[(by + ly) * n + bx + lx];
  barrier(CLK_LOCAL_MEM_FENCE);
  if (by + lx < n && bx + ly < n) out[(bx + ly) * n + by + lx] = tile[lx][ly];
}

// A column more, against bank conflicts, and groups of 32 x 8.
kernel __attribute__((reqd_work_group_size(32, 8, 1)))
void transpose_padded(global float* out, global const float* in, int n) {
  local float tile[32][33];
  int lx = get_local_id(0), ly = get_local_id(1);
  int bx = (int)get_group_id(0) * 32, by = (int)get_group_id(1) * 32;
  for (int k = ly; k < 32; k += 8) {
    if (bx + lx < n && by + k < n) tile[k][lx] = in[(by + k) * n + bx + lx];
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int k = ly; k < 32; k += 8) {
    if (by + lx < n && bx + k < n) out[(bx + k) * n + by + lx] = tile[lx][k];
  }
}

// Structures of 2, 3, 5 and 8 dwords.
typedef struct { float value; int count; } Pair;
kernel void struct2(global Pair* p, float f, int n) {
  int i = get_global_id(0);
  if (i >= n) return;
  p[i].value *= f;
  p[i].count += 1;
}

typedef struct { float x, y, z; } Vector3;
kernel void struct3(global Vector3* out, global const Vector3* a, global const Vector3* b, int n) {
  int i = get_global_id(0);
  if (i >= n) return;
  Vector3 p = a[i], q = b[i], r;
  r.x = p.y * q.z - p.z * q.y;
  r.y = p.z * q.x - p.x * q.z;
  r.z = p.x * q.y - p.y * q.x;
  out[i] = r;
}

typedef struct { int id; float price, quantity; int kind, flags; } Order;
kernel void struct5(global float* total, global const Order* orders, int kind, int n) {
  int i = get_global_id(0);
  if (i >= n) return;
  total[i] = orders[i].kind == kind ? orders[i].price * orders[i].quantity : 0.0f;
}

typedef struct { float m[6]; int state; float age; } Cell;
kernel void struct8(global Cell* cells, int n) {
  int i = get_global_id(0);
  if (i >= n) return;
  global Cell* c = &cells[i];
  if (c->state != 0) {
    float sum = 0.0f;
    for (int k = 0; k < 6; k++) sum += c->m[k];
    for (int k = 0; k < 6; k++) c->m[k] = c->m[k] * 0.5f + sum * 0.125f;
    c->age += 1.0f;
  }
}

// A private array with a dynamic index: counts of 16 kinds.
kernel void private_counts(global uchar* out, global const uchar* in, int n) {
  int i = get_global_id(0);
  if (i >= n) return;
  uchar counts[16];
  for (int k = 0; k < 16; k++) counts[k] = 0;
  for (int k = 0; k < 64; k++) counts[in[i * 64 + k] & 15]++;
  for (int k = 0; k < 16; k++) out[i * 16 + k] = counts[k];
}

// A permutation of 8 applied 10 times, in private arrays.
kernel void private_permute(global int* out, global const int* in, global const int* order, int n) {
  int i = get_global_id(0);
  if (i >= n) return;
  int a[8], b[8];
  for (int k = 0; k < 8; k++) a[k] = in[k * n + i];
  for (int r = 0; r < 10; r++) {
    for (int k = 0; k < 8; k++) b[k] = a[order[(i + k) & 7] & 7];
    for (int k = 0; k < 8; k++) a[k] = b[k] + r;
  }
  for (int k = 0; k < 8; k++) out[k * n + i] = a[k];
}

kernel void copy_8x8(global float* out, global const float* in, int n) {
  int x = get_global_id(0), y = get_global_id(1);
  if (x < n && y < n) out[y * n + x] = in[y * n + x];
}

kernel void copy_16x16(global uint* out, global const uint* in, int n) {
  int x = get_global_id(0), y = get_global_id(1);
  if (x >= n || y >= n) return;
  out[y * n + x] = in[y * n + x] ^ 0x55555555;
}

kernel void gather_permuted(global float* out, global const float* in, global const int* from, int n) {
  int i = get_global_id(0);
  if (i < n) out[i] = in[from[i]];
}

kernel void scatter_permuted(global float* out, global const float* in, global const int* to, int n) {
  int i = get_global_id(0);
  if (i < n) out[to[i]] = in[i];
}

// As many elements as a grid that is too small for them all needs.
kernel void grid_stride(global float* y, global const float* x, float a, int n) {
  int step = get_global_size(0);
  for (int i = get_global_id(0); i < n; i += step) y[i] = a * x[i] + y[i];
}
