// A function that lies before the kernel that calls it.
__attribute__((noinline)) void store(global uint* out, ulong index) { out[index << 32] = 1; }

kernel void call(global uint* out) {
  store(out, 1 + __builtin_amdgcn_workitem_id_x());
  out[0] = 2;
}
