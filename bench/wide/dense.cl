// Dense linear algebra. Matrices are row by row.

// y = A x, one row a work-item.
kernel void gemv_rows(global float* y, global const float* a, global const float* x, int n) {
  int i = get_global_id(0);
  if (i >= n) return;
  float sum = 0.0f;
  for (int j = 0; j < n; j++) sum += a[i * n + j] * x[j];
  y[i] = sum;
}

// y = A' x, one column a work-item.
kernel void gemv_columns(global float* y, global const float* a, global const float* x, int n) {
  int j = get_global_id(0);
  if (j < n) {
    y[j] = 0.0f;
    for (int i = 0; i < n; i++) y[j] += a[i * n + j] * x[i];
  }
}

kernel void gemm_guard(global float* c, global const float* a, global const float* b, int n) {
  int j = get_global_id(0);
  int i = get_global_id(1);
  if (i < n && j < n) {
    float sum = 0.0f;
    for (int k = 0; k < n; ++k) sum += a[i * n + k] * b[k * n + j];
    c[i * n + j] = sum;
  }
}

// Tiles of 16 x 16 in LDS; what lies beyond the matrix is 0.
kernel void gemm_tile_guard(global float* c, global const float* a, global const float* b, int n) {
  local float ta[16][16];
  local float tb[16][16];
  int x = get_local_id(0), y = get_local_id(1);
  int col = get_global_id(0), row = get_global_id(1);
  float sum = 0.0f;
  for (int t = 0; t < (n + 15) / 16; t++) {
    int k = t * 16;
    ta[y][x] = row < n && k + x < n ? a[row * n + k + x] : 0.0f;
    tb[y][x] = k + y < n && col < n ? b[(k + y) * n + col] : 0.0f;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = 0; i < 16; i++) sum += ta[y][i] * tb[i][x];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (row < n && col < n) c[row * n + col] = sum;
}

// C = alpha A A' + beta C
kernel void syrk(global float* c, global const float* a, float alpha, float beta, int n) {
  int j = get_global_id(0);
  int i = get_global_id(1);
  if (i < n && j < n) {
    c[i * n + j] *= beta;
    for (int k = 0; k < n; k++) c[i * n + j] += alpha * a[i * n + k] * a[j * n + k];
  }
}

// Step k of Gaussian elimination: what is right of and below the pivot.
kernel void lu_step(global float* a, global const float* l, int n, int k) {
  int j = get_global_id(0);
  int i = get_global_id(1);
  if (i > k && i < n && j > k && j < n) a[i * n + j] -= l[i] * a[k * n + j];
}

// L X = B for many right sides, one column of B a work-item.
kernel void triangular_solve(global float* b, global const float* l, int n, int m) {
  int c = get_global_id(0);
  if (c >= m) return;
  for (int i = 0; i < n; i++) {
    float s = b[i * m + c];
    for (int j = 0; j < i; j++) s -= l[i * n + j] * b[j * m + c];
    b[i * m + c] = s / l[i * n + i];
  }
}

// Means of columns, then standard deviations, as in a correlation matrix.
kernel void column_deviation(global float* deviation, global const float* a, int n, int m) {
  int j = get_global_id(0);
  if (j >= m) return;
  float mean = 0.0f;
  for (int i = 0; i < n; i++) mean += a[i * m + j];
  mean /= (float)n;
  float sum = 0.0f;
  for (int i = 0; i < n; i++) sum += (a[i * m + j] - mean) * (a[i * m + j] - mean);
  sum = sqrt(sum / (float)n);
  deviation[j] = sum <= 0.005f ? 1.0f : sum;
}

// C = A B for many matrices of 4 x 4, one a work-item.
kernel void batch_4x4(global float* c, global const float* a, global const float* b, int count) {
  int m = get_global_id(0);
  if (m >= count) return;
  a += m * 16;
  b += m * 16;
  c += m * 16;
  for (int i = 0; i < 4; i++) {
    for (int j = 0; j < 4; j++) {
      float sum = 0.0f;
      for (int k = 0; k < 4; k++) sum += a[i * 4 + k] * b[k * 4 + j];
      c[i * 4 + j] = sum;
    }
  }
}

// y = tanh(W x + b), a layer of a network for many inputs, an output a work-item.
kernel void dense_layer(global float* y, global const float* x, global const float* w,
                        global const float* bias, int batch, int outputs) {
  int o = get_global_id(0);
  int s = get_global_id(1);
  if (o >= outputs || s >= batch) return;
  float sum = bias[o];
  for (int i = 0; i < 64; i++) sum += x[s * 64 + i] * w[i * outputs + o];
  y[s * outputs + o] = tanh(sum);
}

// Softmax of rows of 100, one a work-item.
kernel void softmax_rows(global float* out, global const float* in, int rows) {
  int r = get_global_id(0);
  if (r >= rows) return;
  float top = in[r * 100];
  for (int i = 1; i < 100; i++) top = fmax(top, in[r * 100 + i]);
  float sum = 0.0f;
  for (int i = 0; i < 100; i++) sum += exp(in[r * 100 + i] - top);
  for (int i = 0; i < 100; i++) out[r * 100 + i] = exp(in[r * 100 + i] - top) / sum;
}
