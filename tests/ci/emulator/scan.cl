// The sum of all numbers up to the work-item's own, by a scan in local memory.
#ifndef STEP
#define STEP 2
#endif
kernel void scan() {
  local uint sums[512];
  const uint i = __builtin_amdgcn_workitem_id_x();
  sums[i] = i;
  __builtin_amdgcn_s_barrier();
  for (uint step = 1; step < 256; step *= STEP) {
    const uint sum = sums[i] + (i >= step ? sums[i - step] : 0);
    __builtin_amdgcn_s_barrier();
    sums[i] = sum;
    __builtin_amdgcn_s_barrier();
  }
  if (sums[i] != i * (i + 1) / 2) __builtin_trap();
}
