// Planes in work-groups of two dimensions: a wave's lanes are in rows of 8 to 64, each of which is
// consecutive elements. `pitch`: from one row to the next. Work-items outside of the plane do nothing.

#define PLANE(name, type, result)                                                                \
  kernel void name(global type* out, global const type* in, int pitch, int out_pitch, int width, \
                   int height) {                                                                 \
    int x = get_global_id(0), y = get_global_id(1);                                              \
    if (x >= width || y >= height) return;                                                       \
    out[y * out_pitch + x] = result;                                                             \
  }

PLANE(plane_of_bytes, uchar, in[y * pitch + x] * 3 + y)
PLANE(plane_of_words, ushort, in[y * pitch + x] * 3 + y)
PLANE(plane_of_dwords, uint, in[y * pitch + x] * 3 + y)
PLANE(plane_of_quadwords, ulong, in[y * pitch + x] * 3 + y)
PLANE(plane_of_vectors, uint4, in[y * pitch + x] * 3 + (uint4)(y))

// A row's neighbours, which one load may have.
PLANE(two_bytes, uchar, in[y * pitch + x] * 3 + in[y * pitch + x + 1])
PLANE(two_dwords, uint, in[y * pitch + x] * 3 + in[y * pitch + x + 1])
PLANE(three_dwords, uint,
      in[y * pitch + x] * 3 + in[y * pitch + x + 1] * 5 + in[y * pitch + x + 2])
PLANE(four_dwords, uint,
      in[y * pitch + x] * 3 + in[y * pitch + x + 1] * 5 + in[y * pitch + x + 2] * 7 +
          in[y * pitch + x + 3])

// Of three rows.
PLANE(nine_dwords, uint,
      in[y * pitch + x] * 3 + in[y * pitch + x + 1] * 5 + in[y * pitch + x + 2] * 7 +
          in[(y + 1) * pitch + x] * 11 + in[(y + 1) * pitch + x + 1] * 13 +
          in[(y + 1) * pitch + x + 2] * 17 + in[(y + 2) * pitch + x] * 19 +
          in[(y + 2) * pitch + x + 1] * 23 + in[(y + 2) * pitch + x + 2] * 29)

// Bottom up.
PLANE(upside_down, uint, in[(height - 1 - y) * pitch + x] * 3 + y)

// Indices that are numbers without a sign, which may wrap around; they do where `height` ends the
// plane, for work-items that do nothing.
kernel void unsigned_plane(global uint* out, global const uint* in, uint pitch, uint out_pitch,
                           uint width, uint height) {
  uint x = get_global_id(0), y = get_global_id(1);
  uint from = y * pitch + x, to = y * out_pitch + x;
  if (x >= width || y >= height) return;
  out[to] = in[from] * 3 + in[from + 1];
}

// No guard: all of the groups' work-items are in the plane.
kernel void whole_plane(global uint* out, global const uint* in, int pitch, int out_pitch) {
  int x = get_global_id(0), y = get_global_id(1);
  out[y * out_pitch + x] = in[y * pitch + x] * 3 + in[y * pitch + x + 1];
}
