// Kernels for the tests of the command line: good ones, and ones that misbehave.
#define ID __builtin_amdgcn_workgroup_id_x() * 64 + __builtin_amdgcn_workitem_id_x()

kernel void scale(global uint* out, global const uint* in, uint factor) {
  const uint id = ID;
  out[id] = in[id] * factor;
}

kernel void add_double(global double* out, double a, ulong b) { out[ID] = a + (double)b; }

kernel void sum_local(global uint* out, local uint* scratch) {
  const uint lane = __builtin_amdgcn_workitem_id_x();
  scratch[lane] = lane;
  __builtin_amdgcn_s_barrier();
  if (lane == 0) {
    uint sum = 0;
    for (uint n = 0; n < 64; ++n) sum += scratch[n];
    out[0] = sum;
  }
}

// Work-item `bad` stores 8 KiB past the buffer.
kernel void stray(global uint* out, uint bad) {
  const uint id = ID;
  out[id == bad ? id + 2048 : id] = id;
}

kernel void endless(global volatile uint* flag) {
  while (*flag == 0) {
  }
}

kernel void lds_hog(global uint* out, local uint* more) {
  local uint big[7 * 1024 + 512];  // 30 KiB
  big[ID] = 1;
  more[ID] = 2;
  __builtin_amdgcn_s_barrier();
  out[ID] = big[63] + more[63];
}

// Group `bad` never ends.
kernel void endless_group(global volatile uint* flag, uint bad) {
  while (__builtin_amdgcn_workgroup_id_x() == bad && *flag == 0) {
  }
}

// What get_work_dim() of the device library reads: `setup` of the dispatch packet.
kernel void dimensions(global uint* out) {
  out[ID] = ((constant ushort*)__builtin_amdgcn_dispatch_ptr())[1];
}

kernel void trap(global uint* out) {
  out[ID] = 1;
  __builtin_trap();
}

kernel void __attribute__((reqd_work_group_size(64, 1, 1))) exactly_64(global uint* out) { out[ID] = ID; }
