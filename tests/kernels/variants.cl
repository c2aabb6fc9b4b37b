// The representative subset: compiled by every compiler for every code object version at several
// optimisation levels. No library, so that clang-14 can build it too; hence builtins throughout.

#define GLOBAL_X \
  (__builtin_amdgcn_workgroup_id_x() * __builtin_amdgcn_workgroup_size_x() + \
   __builtin_amdgcn_workitem_id_x())

void group_barrier(void) {
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
  __builtin_amdgcn_s_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
}

kernel void v_add(global int* out, global const int* a, global const int* b, int count) {
  const int i = GLOBAL_X;
  if (i < count) out[i] = a[i] + b[i];
}

kernel void v_lds_reverse(global float* out, global const float* in) {
  local float tile[128];
  const uint l = __builtin_amdgcn_workitem_id_x();
  tile[l] = in[GLOBAL_X];
  group_barrier();
  out[GLOBAL_X] = tile[127 - l] * 2.0f;
}

kernel void v_private_index(global uint* out, global const uint* in) {
  uint a[24];
  const uint i = GLOBAL_X, v = in[i];
  for (uint j = 0; j < 24; ++j) a[j] = v + j * j;
  for (uint j = 0; j < 30; ++j) a[(v + j) % 24] ^= a[(v * 3 + j * 5) % 24] + j;
  uint sum = 0;
  for (uint j = 0; j < 24; ++j) sum = sum * 7 + a[j];
  out[i] = sum;
}

__attribute__((noinline)) int v_step(int a, int b) { return a % 2 == 0 ? a / 2 + b : 3 * a - b; }
__attribute__((noinline)) int v_twice(int a, int b) { return v_step(v_step(a, b), b + 1); }

kernel void v_calls(global int* out, global const int* in) {
  const int i = GLOBAL_X;
  int v = in[i];
  for (int j = 0; j < (i & 7); ++j) v = v_twice(v, j);
  out[i] = v;
}

constant int v_table[8] = {3, 1, 4, 1, 5, 9, 2, 6};
constant int v_other[8] = {2, 7, 1, 8, 2, 8, 1, 8};
constant int* constant v_tables[2] = {v_table, v_other};

kernel void v_constants(global int* out, global const uint* in) {
  const int i = GLOBAL_X;
  out[i] = v_tables[in[i] & 1][(in[i] >> 4) & 7] * 10 + v_table[i & 7];
}

kernel void v_atomics(global int* counters, global const int* in) {
  const int v = in[GLOBAL_X];
  __opencl_atomic_fetch_add((volatile global atomic_int*)&counters[0], v, __ATOMIC_RELAXED,
                            __OPENCL_MEMORY_SCOPE_DEVICE);
  __opencl_atomic_fetch_max((volatile global atomic_int*)&counters[1], v, __ATOMIC_RELAXED,
                            __OPENCL_MEMORY_SCOPE_DEVICE);
  __opencl_atomic_fetch_xor((volatile global atomic_int*)&counters[2], v, __ATOMIC_RELAXED,
                            __OPENCL_MEMORY_SCOPE_DEVICE);
}

kernel void v_doubles(global double* out, global const double* a, global const double* b) {
  const int i = GLOBAL_X;
  out[2 * i] = __builtin_fma(a[i], b[i], a[i]);
  out[2 * i + 1] = a[i] / b[i];
}

kernel void v_divide64(global ulong* out, global const ulong* a, global const ulong* b) {
  const int i = GLOBAL_X;
  out[2 * i] = a[i] / b[i];
  out[2 * i + 1] = (ulong)((long)a[i] % (long)b[i]);
}

kernel void v_arguments(global double* out, char a, short b, local int* first, int c,
                        local double* second, ulong d, float3 e, double f) {
  const uint l = __builtin_amdgcn_workitem_id_x();
  first[l] = (int)l * c;
  second[l] = f * l;
  group_barrier();
  out[l] = first[63 - l] + second[63 - l] + a + b + (double)(d >> 8) + e.x + e.y * 2 + e.z * 4;
}

kernel void v_geometry(global uint* out) {
  const uint sx = __builtin_amdgcn_workgroup_size_x(), sy = __builtin_amdgcn_workgroup_size_y();
  const uint sz = __builtin_amdgcn_workgroup_size_z();
  const uint x = __builtin_amdgcn_workgroup_id_x() * sx + __builtin_amdgcn_workitem_id_x();
  const uint y = __builtin_amdgcn_workgroup_id_y() * sy + __builtin_amdgcn_workitem_id_y();
  const uint z = __builtin_amdgcn_workgroup_id_z() * sz + __builtin_amdgcn_workitem_id_z();
  const uint gx = __builtin_amdgcn_grid_size_x(), gy = __builtin_amdgcn_grid_size_y();
  const uint gz = __builtin_amdgcn_grid_size_z();
  out[(z * gy + y) * gx + x] = sx + 10 * sy + 100 * sz + 1000 * gx + 10000 * gy + 1000000 * gz;
}

kernel void v_switch(global int* out, global const int* in) {
  const int i = GLOBAL_X;
  int v = in[i], steps = 0;
  while (v > 0 && steps < 100) {
    switch (v % 5) {
      case 0: v /= 5; break;
      case 1: v -= 1; continue;
      case 2: v = v / 2 + 3; break;
      case 3: if (v > 1000) goto done; v -= 3; break;
      default: v = v * 2 - v / 3 * 2; break;
    }
    ++steps;
    if (steps == 40) break;
  }
done:
  out[i] = v * 128 + steps;
}
