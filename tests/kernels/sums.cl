// Sums that are kept in memory, as loops of benchmarks have them: each iteration stores to the same
// place. `n`: iterations.

kernel void sum_of_column(global float* out, global const float* in, int n, int width) {
  int i = get_global_id(0);
  if (i < width)
    for (int k = 0; k < n; k++) out[i] += in[k * width + i];
}

kernel void sum_of_row(global uint* out, global const uint* in, int n, int height) {
  int i = get_global_id(0);
  if (i >= height) return;
  for (int k = 0; k < n; k++) out[i] += in[i * n + k] ^ (uint)k;
}

kernel void sum_of_products(global float* c, global const float* a, global const float* b, int n) {
  int x = get_global_id(0), y = get_global_id(1);
  if (x >= n || y >= n) return;
  c[y * n + x] *= 0.5f;
  for (int k = 0; k < n; k++) c[y * n + x] += 2 * a[y * n + k] * b[k * n + x];
}

kernel void sum_f64(global double* out, global const double* in, int n, int width) {
  int i = get_global_id(0);
  if (i < width)
    for (int k = 0; k < n; k++) out[i] += in[k * width + i];
}

kernel void sum_of_bytes(global uchar* out, global const uchar* in, int n, int width) {
  int i = get_global_id(0);
  if (i < width)
    for (int k = 0; k < n; k++) out[i] = out[i] * 3 + in[k * width + i];
}

// What is read is what was stored, in some iterations: `from` leads to the element itself, or to
// others that nothing writes.
kernel void sum_of_itself(global uint* out, global const uint* from, int n, int width) {
  int i = get_global_id(0);
  if (i < width)
    for (int k = 0; k < n; k++) out[i] += out[from[k * width + i]] * 3 + 1;
}

// Two work-items store the same to one place.
kernel void sum_of_pairs(global uint* out, global const uint* in, int n, int width) {
  int i = get_global_id(0);
  if (i >= width) return;
  uint sum = 0;
  for (int k = 0; k < n; k++) {
    sum += in[k * width + i];
    out[i / 2] = sum;
  }
}

// Some lanes read from where the sums are, though not what is written.
kernel void sum_of_others(global uint* out, global const uint* in, global const uint* factors, int n,
                          int width) {
  int x = get_global_id(0), y = get_global_id(1), height = get_global_size(1);
  if (x >= width) return;
  global const uint* from = x % 64 < 40 ? in : out + width * height;
  for (int k = 0; k < n; k++) out[y * width + x] += from[x + k] * factors[y * n + k];
}
