// Kernels for the tests of `gcnjit debug`, which know the numbers of these lines.
#define LOCAL __builtin_amdgcn_workitem_id_x()
#define GROUP __builtin_amdgcn_workgroup_id_x()

static inline float scaled(float a, float x) {
  return a * x;
}

kernel void saxpy(float a, global const float* x, global float* y) {
  const uint i = GROUP * 64 + LOCAL;
  const float ax = scaled(a, x[i]);
  y[i] = ax + y[i];
}

// The sum of 128 numbers, a group each. With `early`, wave 1 does not wait for wave 0.
kernel void __attribute__((reqd_work_group_size(128, 1, 1)))
sums(global uint* out, global const uint* in, uint early) {
  local uint tile[128];
  const uint lane = LOCAL;
  tile[lane] = in[GROUP * 128 + lane];
  if (!early) __builtin_amdgcn_s_barrier();
  if (lane == 64) {
    uint sum = 0;
    for (uint n = 0; n < 128; ++n) {
      sum += tile[n];
    }
    out[GROUP] = sum;
  }
}

// Work-item `bad` stores 1 MiB past the buffer.
kernel void stray(global uint* out, uint bad) {
  const uint i = GROUP * 64 + LOCAL;
  uint at = i;
  if (i == bad) at += 1 << 18;
  out[at] = i;
}

kernel void endless(global volatile uint* flag) {
  while (*flag == 0) {
  }
}
