// Kernels for barrier_test.cpp and following_groups_test.cpp: waves of a group that meet at barriers,
// and do other things.
#define LOCAL_X __builtin_amdgcn_workitem_id_x()
#define GLOBAL_X (__builtin_amdgcn_workgroup_id_x() * 512 + LOCAL_X)

static void barrier_here() {
  __builtin_amdgcn_fence(__ATOMIC_SEQ_CST, "workgroup");
  __builtin_amdgcn_s_barrier();
}

// Each wave works on what the next one left, and wave n leaves after `first + n * step` rounds.
kernel void __attribute__((amdgpu_flat_work_group_size(1, 512)))
rounds(global uint* out, uint first, uint step) {
  local volatile uint tile[512];
  const uint id = LOCAL_X;
  const uint wave = __builtin_amdgcn_readfirstlane(id / 64);
  tile[id] = id * 7;
  uint value = id;
  for (uint round = 0; round < first + wave * step; ++round) {
    barrier_here();
    value = value * 33 + tile[(id + 64) & 511];
    barrier_here();
    tile[id] = value;
  }
  out[GLOBAL_X] = value;
}

// Wave `bad` stores 1 MiB past the buffer in round 5.
kernel void __attribute__((amdgpu_flat_work_group_size(1, 512)))
stray_round(global uint* out, uint bad) {
  const uint wave = __builtin_amdgcn_readfirstlane(LOCAL_X / 64);
  for (uint round = 0; round < 9; ++round) {
    barrier_here();
    out[GLOBAL_X + (round == 5 && wave == bad ? 1 << 18 : 0)] = round;
  }
}

// In each round the first wave waits for a word of the last one, which gets past the barrier, too.
kernel void __attribute__((amdgpu_flat_work_group_size(1, 512)))
wait_for_last(global uint* out, uint sleeps, uint last) {
  local volatile uint word;
  const uint wave = __builtin_amdgcn_readfirstlane(LOCAL_X / 64);
  uint value = 0;
  if (wave == 0) word = 0;
  for (uint round = 1; round < 20; ++round) {
    barrier_here();
    if (wave == last) word = round;
    if (wave == 0) {
      while (word != round) {
        if (sleeps) __builtin_amdgcn_s_sleep(1);
      }
    }
    value += word;
    barrier_here();
  }
  out[GLOBAL_X] = wave == 0 ? value : 0;
}

// After each barrier all waves read a number, and the first one replaces it. A GPU's waves have read
// theirs long before: they go on together, and the first one has to read its own first.
static uint read_and_replace(local volatile uint* number, uint sum) {
  barrier_here();
  sum = sum * 3 + *number;
  if (__builtin_amdgcn_readfirstlane(LOCAL_X / 64) == 0) *number += 5;
  return sum;
}

kernel void __attribute__((amdgpu_flat_work_group_size(1, 512)))
replaced_number(global uint* out, uint rounds) {
  local volatile uint number;
  if (__builtin_amdgcn_readfirstlane(LOCAL_X / 64) == 0) number = 1;
  uint sum = 0;
  for (uint round = 0; round < rounds; ++round) sum = read_and_replace(&number, sum);
  out[GLOBAL_X] = sum;
}

// The same without a loop: group code.
kernel void __attribute__((amdgpu_flat_work_group_size(1, 512)))
number_replaced_thrice(global uint* out) {
  local volatile uint number;
  if (__builtin_amdgcn_readfirstlane(LOCAL_X / 64) == 0) number = 1;
  uint sum = 0;
  sum = read_and_replace(&number, sum);
  sum = read_and_replace(&number, sum);
  sum = read_and_replace(&number, sum);
  out[GLOBAL_X] = sum;
}

// Each work-item says whether its word of LDS was 0, and leaves something else there.
kernel void __attribute__((amdgpu_flat_work_group_size(1, 512))) find_and_leave(global uint* out) {
  local volatile uint words[512];
  const uint id = LOCAL_X;
  const uint found = words[id];
  words[id] = id + 5;
  out[GLOBAL_X] = found == 0;
}

// Stores what it makes of a table, which may be where it stores; work-item `writer` of each group
// stores to `other` instead.
kernel void __attribute__((amdgpu_flat_work_group_size(1, 512)))
from_table(global uint* out, constant uint* table, global uint* other, uint writer) {
  const uint value = (table[0] * 33 ^ table[5]) * 5 + table[2] * (table[7] | 1);
  global uint* const to = LOCAL_X == writer ? other : out + GLOBAL_X;
  *to = value + LOCAL_X;
}
