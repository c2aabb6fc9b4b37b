// Kernels of the Python tests.
kernel void saxpy(float a, global const float* x, global float* y, uint n) {
  const uint i = get_global_id(0);
  if (i < n) y[i] = a * x[i] + y[i];
}

kernel void add_one(global uint* data) { data[get_global_id(0)] += 1; }

// Where the second array begins in the first one's memory shows in what is read.
kernel void shift(global const uint* from, global uint* to) {
  const uint i = get_global_id(0);
  to[i] = from[i] + 100;
}

kernel void values(global double* out, char c, uchar uc, short s, ushort us, int i, uint ui, long l, ulong ul,
                   float f, double d) {
  if (get_global_id(0) != 0) return;
  out[0] = c; out[1] = uc; out[2] = s; out[3] = us; out[4] = i; out[5] = ui;
  out[6] = (double)l; out[7] = (double)ul; out[8] = f; out[9] = d;
}

kernel void vectors(global float* out, float4 v, int3 w, float2 u) {
  if (get_global_id(0) != 0) return;
  out[0] = v.x; out[1] = v.y; out[2] = v.z; out[3] = v.w;
  out[4] = (float)w.x; out[5] = (float)w.y; out[6] = (float)w.z;
  out[7] = u.x; out[8] = u.y;
}

typedef struct { int a; float b; ushort c; } Pair;
kernel void structure(global float* out, Pair pair) {
  if (get_global_id(0) != 0) return;
  out[0] = (float)pair.a; out[1] = pair.b; out[2] = (float)pair.c;
}

kernel void ids(global uint* out) {
  const size_t at = (get_global_id(2) * get_global_size(1) + get_global_id(1)) * get_global_size(0) + get_global_id(0);
  out[at] = (uint)(get_global_id(0) + 100 * get_global_id(1) + 10000 * get_global_id(2));
}

kernel void place(global uint* out) {
  if (get_global_id(0) != get_global_offset(0)) return;
  out[0] = get_work_dim(); out[1] = (uint)get_local_size(0); out[2] = (uint)get_global_offset(0);
  out[3] = (uint)get_num_groups(0);
}

kernel void __attribute__((reqd_work_group_size(16, 4, 1))) sixteen_by_four(global uint* out) {
  out[get_group_id(0)] = (uint)(get_local_size(0) * 1000 + get_local_size(1));
}

kernel void reverse(global uint* data, local uint* scratch) {
  const uint i = get_local_id(0);
  scratch[i] = data[i];
  barrier(CLK_LOCAL_MEM_FENCE);
  data[i] = scratch[get_local_size(0) - 1 - i];
}

// A race in LDS: no barrier.
kernel void race(global uint* data, local uint* scratch) {
  const uint i = get_local_id(0);
  scratch[i] = data[i];
  data[i] = scratch[get_local_size(0) - 1 - i];
}

kernel void stray(global uint* data) {
  const uint i = get_global_id(0);
  data[i] = i;
  if (i == 69) data[0x100000] = 1;
}

kernel void is_null(global uint* out, global uint* pointer) { out[0] = pointer == 0; }

kernel void follow(global uint* out, global const ulong* pointers) {
  const uint i = get_global_id(0);
  out[i] = *(global const uint*)pointers[i];
}

kernel void spin(global volatile uint* flag) {
  while (*flag == 0) {}
}

kernel void clock(global ulong* out) { out[get_global_id(0)] = __builtin_readcyclecounter(); }

global uint counter[4] = {1, 2, 3, 4};
kernel void count(global uint* out) {
  out[get_global_id(0)] = counter[get_global_id(0)];
  counter[get_global_id(0)] += 10;
}
