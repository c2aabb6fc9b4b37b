// Guards as kernels have them: which work-items do anything is a comparison of their ids with
// numbers. Each kernel stores to the work-item's own place if it passes.

#define BODY(i) out[i] = in[i] * 3 + (uint)(i)

kernel void guard_uint(global uint* out, global const uint* in, uint n) {
  const uint i = get_global_id(0);
  if (i < n) BODY(i);
}
kernel void guard_int(global uint* out, global const uint* in, int n) {
  const int i = get_global_id(0);
  if (i < n) BODY(i);
}
kernel void guard_int_up_to(global uint* out, global const uint* in, int n) {
  const int i = get_global_id(0);
  if (i <= n) BODY(i);
}
kernel void guard_size(global uint* out, global const uint* in, ulong n) {
  const size_t i = get_global_id(0);
  if (i < n) BODY(i);
}
kernel void guard_long(global uint* out, global const uint* in, long n) {
  const long i = get_global_id(0);
  if (i < n) BODY(i);
}
kernel void guard_early_return(global uint* out, global const uint* in, int n) {
  const int i = get_global_id(0);
  if (i >= n) return;
  BODY(i);
}
// All but the borders.
kernel void guard_inside(global uint* out, global const uint* in, int n) {
  const int i = get_global_id(0);
  if (i > 0 && i < n - 1) BODY(i);
}
// Lower bounds alone.
kernel void guard_from(global uint* out, global const uint* in, uint m) {
  const uint i = get_global_id(0);
  if (i >= m) BODY(i);
}
kernel void guard_above(global uint* out, global const uint* in, int m) {
  const int i = get_global_id(0);
  if (i > m) BODY(i);
}
// What is compared may be negative, and may wrap around.
kernel void guard_moved(global uint* out, global const uint* in, int n, int by) {
  const int i = get_global_id(0);
  const int j = (int)((uint)i - (uint)by);
  if (j >= 0 && j < n) BODY(i);
}
kernel void guard_wrapping(global uint* out, global const uint* in, uint n, uint by) {
  const uint i = get_global_id(0);
  if (i + by < n) BODY(i);
}
kernel void guard_2d(global uint* out, global const uint* in, int width, int height) {
  const int x = get_global_id(0);
  const int y = get_global_id(1);
  const int row = get_global_size(0);
  if (x < width && y < height) BODY(y * row + x);
}
kernel void guard_2d_inside(global uint* out, global const uint* in, int width, int height) {
  const int x = get_global_id(0);
  const int y = get_global_id(1);
  const int row = get_global_size(0);
  if (x > 0 && y > 0 && x < width - 1 && y < height - 1) {
    const int i = y * row + x;
    out[i] = in[i - 1] + in[i + 1] + in[i - row] + in[i + row];
  }
}
// The border is done first, and returns: compilers make a chain of masks of it, of which the last one
// is the opposite of an earlier one.
kernel void guard_2d_border(global uint* out, global const uint* in, int width, int height) {
  const int x = get_global_id(0);
  const int y = get_global_id(1);
  const int row = get_global_size(0);
  if (x >= width || y >= height) return;
  const int i = y * row + x;
  if (x == 0 || y == 0 || x == width - 1 || y == height - 1) {
    BODY(i);
    return;
  }
  out[i] = in[i - 1] + in[i + 1] + in[i - row] + in[i + row];
}
// The group works together after the guard: in LDS, of which each work-item uses its own place.
kernel void guard_with_lds(global uint* out, global const uint* in, int n) {
  local uint places[256];
  const int i = get_global_id(0);
  const int l = get_local_id(0);
  if (i < n) {
    places[l] = in[i];
    places[l] = places[l] * 3 + (uint)i;
    out[i] = places[l];
  }
}
// A second guard, by data, within the first one.
kernel void guard_by_data(global uint* out, global const uint* in, int n) {
  const int i = get_global_id(0);
  if (i < n) {
    const uint value = in[i];
    if (value & 1) out[i] = value * 3 + (uint)i;
  }
}
// Neighbours, which compilers load together: the lanes' elements overlap.
kernel void guard_pairs(global uint* out, global const uint* in, int n) {
  const int i = get_global_id(0);
  if (i < n - 1) out[i] = in[i] * 3 + in[i + 1];
}
kernel void guard_triples(global uint* out, global const uint* in, int n) {
  const int i = get_global_id(0);
  if (i > 0 && i < n - 1) out[i] = in[i - 1] * 5 + in[i] * 3 + in[i + 1];
}
