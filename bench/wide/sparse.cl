// Sparse matrices, and pieces of solvers.

// Compressed rows, one row a work-item.
kernel void spmv_csr(global float* y, global const int* rows, global const int* columns,
                     global const float* values, global const float* x, int n) {
  int i = get_global_id(0);
  if (i >= n) return;
  float sum = 0.0f;
  for (int k = rows[i]; k < rows[i + 1]; k++) sum += values[k] * x[columns[k]];
  y[i] = sum;
}

// Compressed rows, 32 work-items a row.
kernel __attribute__((reqd_work_group_size(256, 1, 1)))
void spmv_csr_vector(global float* y, global const int* rows, global const int* columns,
                     global const float* values, global const float* x, int n) {
  local float part[256];
  int t = get_local_id(0), lane = t & 31;
  int i = get_global_id(0) / 32;
  float sum = 0.0f;
  if (i < n) {
    for (int k = rows[i] + lane; k < rows[i + 1]; k += 32) sum += values[k] * x[columns[k]];
  }
  part[t] = sum;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int s = 16; s > 0; s >>= 1) {
    if (lane < s) part[t] += part[t + s];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (lane == 0 && i < n) y[i] = part[t];
}

// Padded rows of 12, column by column.
kernel void spmv_ell(global float* y, global const int* columns, global const float* values,
                     global const float* x, int n) {
  int i = get_global_id(0);
  if (i < n) {
    float sum = 0.0f;
    for (int k = 0; k < 12; k++) {
      int c = columns[k * n + i];
      if (c >= 0) sum += values[k * n + i] * x[c];
    }
    y[i] = sum;
  }
}

// Triples in any order, fixed point.
kernel void spmv_coo_atomic(global int* y, global const int* rows, global const int* columns,
                            global const int* values, global const int* x, int count) {
  int k = get_global_id(0);
  if (k < count) atomic_add(&y[rows[k]], values[k] * x[columns[k]]);
}

kernel void jacobi(global float* next, global const float* a, global const float* b,
                   global const float* x, int n) {
  int i = get_global_id(0);
  if (i >= n) return;
  float sum = b[i];
  for (int j = 0; j < n; j++) {
    if (j != i) sum -= a[i * n + j] * x[j];
  }
  next[i] = sum / a[i * n + i];
}

kernel __attribute__((reqd_work_group_size(256, 1, 1)))
void cg_dot(global float* partial, global const float* a, global const float* b, int n) {
  local float sums[256];
  int i = get_global_id(0), t = get_local_id(0);
  sums[t] = i < n ? a[i] * b[i] : 0.0f;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int s = 128; s > 0; s /= 2) {
    if (t < s) sums[t] += sums[t + s];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (t == 0) partial[get_group_id(0)] = sums[0];
}

kernel void cg_update(global float* x, global float* r, global const float* p,
                      global const float* q, float alpha, int n) {
  int i = get_global_id(0);
  if (i < n) {
    x[i] += alpha * p[i];
    r[i] -= alpha * q[i];
  }
}

// Tridiagonal systems of 32 unknowns (Thomas), one a work-item, with private arrays.
kernel void tridiagonal(global float* x, global const float* a, global const float* b,
                        global const float* c, global const float* d, int systems) {
  int s = get_global_id(0);
  if (s >= systems) return;
  float cp[32], dp[32];
  cp[0] = c[s] / b[s];
  dp[0] = d[s] / b[s];
  for (int i = 1; i < 32; i++) {
    int at = i * systems + s;
    float m = 1.0f / (b[at] - a[at] * cp[i - 1]);
    cp[i] = c[at] * m;
    dp[i] = (d[at] - a[at] * dp[i - 1]) * m;
  }
  float last = dp[31];
  x[31 * systems + s] = last;
  for (int i = 30; i >= 0; i--) {
    last = dp[i] - cp[i] * last;
    x[i * systems + s] = last;
  }
}
