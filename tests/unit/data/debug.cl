// Kernels for the tests of src/debug: what they leave depends on the order in which waves execute.
#define LOCAL_X __builtin_amdgcn_workitem_id_x()
#define GROUP_X __builtin_amdgcn_workgroup_id_x()

// Each wave takes a number from all groups' counter, `rounds` times, with barriers in between in
// all but wave 0 of odd groups, which ends early.
kernel void __attribute__((amdgpu_flat_work_group_size(1, 512)))
tickets(global uint* out, global atomic_uint* counter, uint rounds) {
  const uint wave = __builtin_amdgcn_readfirstlane(LOCAL_X / 64);
  const uint mine = wave == 0 && (GROUP_X & 1) ? 1 : rounds;
  for (uint n = 0; n < mine; ++n) {
    uint ticket = 0;
    if ((LOCAL_X & 63) == 0) {
      ticket = __opencl_atomic_fetch_add(counter, 1u, memory_order_relaxed, memory_scope_device);
    }
    ticket = __builtin_amdgcn_readfirstlane(ticket);
    for (uint k = 0; k < (wave * 7 + n) % 5; ++k) __builtin_amdgcn_s_sleep(1);
    out[((GROUP_X * 8 + wave) * rounds + n) * 64 + (LOCAL_X & 63)] = ticket + LOCAL_X;
    if (n & 1) __builtin_amdgcn_s_barrier();
  }
}

// The first group waits for what the last one stores, for as long as that takes.
kernel void wait_for_last_group(global volatile uint* flag, uint groups, global uint* out) {
  if (GROUP_X == groups - 1) *flag = 7;
  while (*flag != 7) {
  }
  out[GROUP_X * 64 + LOCAL_X] = *flag;
}

// Reads a clock in each round.
kernel void clocks(global ulong* out, uint rounds) {
  ulong sum = 0;
  for (uint n = 0; n < rounds; ++n) {
    sum = sum * 3 + __builtin_amdgcn_s_memtime();
    out[n] = sum;
  }
}

// Lane 5 of group 1 stores 1 MiB past the buffer; all lanes of group 0 store different values to
// one place.
kernel void mistakes(global uint* out) {
  if (GROUP_X == 0) out[0] = LOCAL_X;
  out[GROUP_X * 64 + LOCAL_X + (GROUP_X == 1 && LOCAL_X == 5 ? 1 << 18 : 0)] = 1;
}

// All groups store to one place.
kernel void collide(global uint* out) { out[LOCAL_X] = GROUP_X + 1; }
