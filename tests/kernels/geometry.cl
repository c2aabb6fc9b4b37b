// Where a work-item is: identifiers, sizes, offsets, partial groups, in one to three dimensions.

// Everything a work-item can ask, written by linear id.
kernel void where_am_i(global uint* out) {
  const uint linear = get_global_linear_id();
  global uint* o = out + linear * 24;
  for (uint d = 0; d < 3; ++d) {
    o[d] = get_global_id(d);
    o[3 + d] = get_local_id(d);
    o[6 + d] = get_group_id(d);
    o[9 + d] = get_global_size(d);
    o[12 + d] = get_local_size(d);
    o[15 + d] = get_num_groups(d);
    o[18 + d] = get_global_offset(d);
  }
  o[21] = get_local_linear_id();
  o[22] = get_enqueued_local_size(0) + 1000 * get_enqueued_local_size(1) +
          1000000 * get_enqueued_local_size(2);
  o[23] = get_work_dim();
}

// A kernel that needs few of the identifiers: other system registers are enabled.
kernel void only_z(global uint* out) {
  out[get_group_id(2) * 4 + get_local_id(2)] = get_global_id(2) + 7;
}

kernel void only_group_y(global uint* out) {
  if (get_local_id(0) == 0) atomic_add(&out[get_group_id(1)], (uint)get_group_id(1) + 1);
}

kernel __attribute__((reqd_work_group_size(8, 4, 2))) void fixed_size(global uint* out) {
  const size_t i = get_global_linear_id();
  out[i] = get_local_linear_id() * 1000 + get_local_size(0) * 100 + get_local_size(1) * 10 +
           get_local_size(2);
}

typedef struct {
  char a;
  short b;
  int c;
  long d;
  float e;
  double f;
  uchar4 g;
} Settings;

// By-value arguments of all sizes and alignments.
kernel void arguments(global double* out, char a, uchar b, short c, ushort d, int e, uint f,
                      long g, ulong h, float i, double j, char3 k, int4 l, Settings m,
                      constant int* table, ushort n) {
  if (get_global_id(0) != 0) return;
  out[0] = a; out[1] = b; out[2] = c; out[3] = d; out[4] = e; out[5] = f;
  out[6] = g; out[7] = h; out[8] = i; out[9] = j;
  out[10] = k.x + 10 * k.y + 100 * k.z;
  out[11] = l.x + 10 * l.y + 100 * l.z + 1000 * l.w;
  out[12] = m.a; out[13] = m.b; out[14] = m.c; out[15] = m.d; out[16] = m.e; out[17] = m.f;
  out[18] = m.g.x + 2 * m.g.y + 4 * m.g.z + 8 * m.g.w;
  out[19] = table[n];
}

typedef struct {
  ulong in;
  int scale;
  ulong out;
} Buffers;

// Addresses inside a structure.
kernel void pointers_in_struct(Buffers buffers) {
  const size_t i = get_global_id(0);
  global const int* in = (global const int*)buffers.in;
  global int* out = (global int*)buffers.out;
  out[i] = in[i] * buffers.scale;
}

kernel void no_arguments() {}
