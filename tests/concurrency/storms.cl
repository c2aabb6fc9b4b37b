// Kernels for storm_test.cpp.
#define ID (__builtin_amdgcn_workgroup_id_x() * 64 + __builtin_amdgcn_workitem_id_x())

// A few loops and branches, so that there is something to compile.
kernel void mix(global uint* out, uint seed) {
  uint x = seed + ID;
  for (uint n = 0; n < 20; ++n) {
    x = x * 1664525u + 1013904223u;
    if (x & 1u << 20) x ^= seed << n;
  }
  out[ID] = x;
}

// Stores until `stop` is set, or for a while.
kernel void churn(global uint* out, global atomic_uint* stop) {
  for (uint n = 1; n < 4000000u; ++n) {
    out[ID] = n;
    if (__opencl_atomic_load(stop, memory_order_relaxed, memory_scope_device) != 0) break;
  }
}
