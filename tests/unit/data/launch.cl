// Kernels for the tests that launch_fixture.h serves. No device library: only compiler builtins.
#define LOCAL_X __builtin_amdgcn_workitem_id_x()
#define LOCAL_Y __builtin_amdgcn_workitem_id_y()
#define LOCAL_Z __builtin_amdgcn_workitem_id_z()
#define GLOBAL_X (__builtin_amdgcn_workgroup_id_x() * __builtin_amdgcn_workgroup_size_x() + LOCAL_X)
#define GLOBAL_Y (__builtin_amdgcn_workgroup_id_y() * __builtin_amdgcn_workgroup_size_y() + LOCAL_Y)
#define GLOBAL_Z (__builtin_amdgcn_workgroup_id_z() * __builtin_amdgcn_workgroup_size_z() + LOCAL_Z)

// Each work-item counts itself at its place in the grid and leaves its local ids there.
kernel void __attribute__((amdgpu_flat_work_group_size(1, 512)))
ids(global atomic_uint* visits, global uint* local_ids) {
  const uint place = (GLOBAL_Z * __builtin_amdgcn_grid_size_y() + GLOBAL_Y) *
                         __builtin_amdgcn_grid_size_x() + GLOBAL_X;
  __opencl_atomic_fetch_add(visits + place, 1u, memory_order_relaxed, memory_scope_device);
  local_ids[place] = LOCAL_X | LOCAL_Y << 10 | LOCAL_Z << 20;
}

// LDS, a barrier and a private array, in every group.
kernel void __attribute__((amdgpu_flat_work_group_size(1, 512)))
exchange(global uint* out, uint seed, local uint* tile) {
  const uint lane = LOCAL_X;
  volatile uint table[32];
  for (uint n = 0; n < 32; ++n) table[n] = seed * n + lane;
  tile[lane] = table[(lane + seed) & 31] + GLOBAL_X;
  __builtin_amdgcn_fence(__ATOMIC_SEQ_CST, "workgroup");
  __builtin_amdgcn_s_barrier();
  out[GLOBAL_X] = tile[lane ^ 65] * 3 + table[lane & 31];
}

// 16 KiB of scratch a work-item; counts the dwords that lost what was stored in them while the whole
// group stored.
kernel void __attribute__((amdgpu_flat_work_group_size(1, 1024))) deep(global uint* lost) {
  volatile uint table[4096];
  const uint id = GLOBAL_X;
  uint wrong = 0;
  for (uint n = 0; n < 256; ++n) table[(id + n * 16) & 4095] = id * 256 + n;
  __builtin_amdgcn_s_barrier();
  for (uint n = 0; n < 256; ++n) wrong += table[(id + n * 16) & 4095] != id * 256 + n;
  lost[id] = wrong;
}

// The last work-item of group `bad` stores 1 MiB past the buffer.
kernel void __attribute__((amdgpu_flat_work_group_size(1, 512)))
stray(global uint* out, uint bad) {
  const uint id = GLOBAL_X;
  out[id == bad * 64 + 63 ? id + (1 << 18) : id] = id + 1;
}

// Stores for a while.
kernel void churn(global volatile uint* out, uint rounds) {
  for (uint n = 0; n < rounds; ++n) out[GLOBAL_X] = n;
}

// The first wave of every seventh group counts for `rounds` rounds. Nothing but SGPRs changes from
// group to group.
kernel void __attribute__((amdgpu_flat_work_group_size(1, 512)))
count_sometimes(global uint* out, uint rounds) {
  const uint wave = __builtin_amdgcn_readfirstlane(LOCAL_X / 64);
  const bool is_long = __builtin_amdgcn_workgroup_id_x() % 7 == 6 && wave == 0;
  const uint last = is_long ? rounds : 1;
  uint count = 0;
  for (uint n = 0; n < last; ++n) {
    count += 3;
    __asm__ volatile("" : "+s"(count));  // one by one
  }
  out[GLOBAL_X] = GLOBAL_X * 2 + count;
}

kernel void endless(global volatile uint* flag) {
  while (*flag == 0) {
  }
}

kernel void endless_group(global volatile uint* flag, uint bad) {
  while (__builtin_amdgcn_workgroup_id_x() == bad && *flag == 0) {
  }
}

// Each group waits for the one before it, as scans do.
kernel void chain(global atomic_uint* turn) {
  const uint group = __builtin_amdgcn_workgroup_id_x();
  while (__opencl_atomic_load(turn, memory_order_relaxed, memory_scope_device) != group) {
  }
  __builtin_amdgcn_s_barrier();
  if (LOCAL_X == 0)
    __opencl_atomic_store(turn, group + 1, memory_order_relaxed, memory_scope_device);
}

kernel void __attribute__((reqd_work_group_size(32, 2, 1))) exactly(global uint* out) {
  out[GLOBAL_Y * 32 + GLOBAL_X] = 7;
}

kernel void lds_8k(global uint* out, local uint* more) {
  local uint table[2048];
  table[LOCAL_X] = 1;
  more[LOCAL_X] = 2;
  __builtin_amdgcn_fence(__ATOMIC_SEQ_CST, "workgroup");
  __builtin_amdgcn_s_barrier();
  out[LOCAL_X] = table[LOCAL_X ^ 1] + more[LOCAL_X ^ 1] + ((uint)more << 8);
}

// The dispatch packet's `setup`: how many dimensions the grid has (HSA Runtime 1.2, 2.6.2). The
// device library's get_work_dim() reads it, too.
kernel void packet_setup(global uint* out) {
  out[GLOBAL_X] = ((constant ushort*)__builtin_amdgcn_dispatch_ptr())[1];
}

// Counts in the global data share; `out` has what each work-item found there.
kernel void count_in_gds(global uint* out) {
  uint found;
  __asm volatile(
      "s_mov_b32 m0, 0xffff\n\tds_add_rtn_u32 %0, %1, %2 gds\n\ts_waitcnt vmcnt(0) expcnt(0) lgkmcnt(0)"
      : "=v"(found)
      : "v"(8), "v"(1)
      : "m0", "memory");
  out[GLOBAL_X] = found;
}
