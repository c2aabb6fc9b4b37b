// Loops that store in each iteration, to a row, or a column, of each work-item's own. `pitch`: from
// one row to the next; rows that are longer than that meet.

kernel void prefix_of_rows(global uint* out, global const uint* in, int n, int height, int pitch) {
  int i = get_global_id(0);
  if (i >= height) return;
  uint sum = 0;
  for (int k = 0; k < n; k++) {
    sum = sum * 3 + in[i * pitch + k];
    out[i * pitch + k] = sum;
  }
}

// What is loaded is what was stored in the iteration before, and what the next row stores where rows
// meet.
kernel void rows_in_place(global uint* a, global const uint* in, int n, int height, int pitch) {
  int i = get_global_id(0);
  if (i >= height) return;
  for (int k = 1; k < n; k++) {
    int at = i * pitch + k;
    a[at] = a[at] * 5 + a[at - 1] + in[at];
  }
}

// What is loaded is what was stored three iterations before: not to be read ahead.
kernel void rows_of_thirds(global uint* a, global const uint* in, int n, int height, int pitch) {
  int i = get_global_id(0);
  if (i >= height) return;
  for (int k = 3; k < n; k++) {
    int at = i * pitch + k;
    a[at] = a[at - 3] * 3 + in[at];
  }
}

kernel void rows_backwards(global uint* a, global const uint* in, int n, int height, int pitch) {
  int i = get_global_id(0);
  if (i >= height) return;
  for (int k = n - 2; k >= 0; k--) {
    int at = i * pitch + k;
    a[at] = a[at] ^ a[at + 1] * 7 ^ in[at];
  }
}

kernel void rows_of_bytes(global uchar* out, global ushort* wide, global const uchar* in, int n,
                          int height, int pitch) {
  int i = get_global_id(0);
  if (i >= height) return;
  uint sum = i;
  for (int k = 0; k < n; k++) {
    sum += in[i * pitch + k];
    out[i * pitch + k] = (uchar)(sum >> 1);
    wide[i * pitch + k] = (ushort)(sum * 3);
  }
}

// Each row takes what the next one has there.
kernel void rows_from_next(global uint* a, int n, int height, int pitch) {
  int i = get_global_id(0);
  if (i >= height) return;
  for (int k = 0; k < n; k++) a[i * pitch + k] = a[(i + 1) * pitch + k] * 3 + k;
}

kernel void prefix_of_columns(global double* out, global const double* in, int n, int width) {
  int i = get_global_id(0);
  if (i >= width) return;
  double sum = 0;
  for (int k = 0; k < n; k++) {
    sum += in[k * width + i];
    out[k * width + i] = sum;
  }
}
