// Kernels for progress_test.cpp: the first work-item of each group waits for other groups, in one of
// several patterns and ways, while the group holds LDS, scratch or waits at a barrier itself.
#define GROUP __builtin_amdgcn_workgroup_id_x()
#define LOCAL __builtin_amdgcn_workitem_id_x()

enum Pattern { kLater, kBarrier, kRingUp, kRingDown, kPairs };
enum Way { kLoads, kAtomics, kSleeps, kCounts };

uint Load(global atomic_uint* word) {
  return __opencl_atomic_load(word, memory_order_acquire, memory_scope_device);
}
void Store(global atomic_uint* word, uint value) {
  __opencl_atomic_store(word, value, memory_order_release, memory_scope_device);
}
uint Add(global atomic_uint* word, uint value) {
  return __opencl_atomic_fetch_add(word, value, memory_order_acq_rel, memory_scope_device);
}

// Until the word is `value` or more. Returns 0, which the compiler does not know.
uint Await(global atomic_uint* word, uint value, uint way) {
  uint count = 0;
  switch (way) {
    case kLoads:
      while (Load(word) < value) {
      }
      break;
    case kAtomics:
      while (Add(word, 0) < value) {
      }
      break;
    case kSleeps:
      while (Load(word) < value) __builtin_amdgcn_s_sleep(1);
      break;
    case kCounts:
      // No two turns of it find the same registers.
      while (Load(word) < value) ++count;
      break;
  }
  return count >> 31;
}

// words[0] is of all groups, words[1 + n] of one. All of them begin as 0, and only grow.
uint Meet(global atomic_uint* words, uint groups, uint round, uint pattern, uint way) {
  const uint group = GROUP;
  uint zero = 0;
  switch (pattern) {
    case kLater:
      if (group + 1 < groups) zero = Await(words + 1 + group + 1, round + 1, way);
      Store(words + 1 + group, round + 1);
      break;
    case kBarrier:
      Add(words, 1);
      zero = Await(words, groups * (round + 1), way);
      break;
    case kRingUp:
      zero = Await(words, groups * round + group, way);
      Store(words, groups * round + group + 1);
      break;
    case kRingDown:
      zero = Await(words, groups * round + groups - 1 - group, way);
      Store(words, groups * round + groups - group);
      break;
    case kPairs:
      Store(words + 1 + group, round + 1);
      zero = Await(words + 1 + groups - 1 - group, round + 1, way);
      break;
  }
  return zero;
}

void Sync() {
  __builtin_amdgcn_fence(__ATOMIC_SEQ_CST, "workgroup");
  __builtin_amdgcn_s_barrier();
}

#define KERNEL(name, size) \
  kernel void __attribute__((amdgpu_flat_work_group_size(1, size))) \
  name(global atomic_uint* words, global uint* out, uint groups, uint rounds, uint pattern, uint way)
#define OUT out[GROUP * __builtin_amdgcn_workgroup_size_x() + LOCAL]

KERNEL(nothing, 64) {
  uint sum = LOCAL;
  for (uint round = 0; round < rounds; ++round) {
    if (LOCAL == 0) sum += Meet(words, groups, round, pattern, way);
    sum += GROUP + round;
  }
  OUT = sum;
}

// One wave waits for other groups, the others for it.
KERNEL(barriers, 512) {
  uint sum = LOCAL;
  for (uint round = 0; round < rounds; ++round) {
    Sync();
    if (LOCAL == 0) sum += Meet(words, groups, round, pattern, way);
    Sync();
    sum += GROUP + round;
  }
  OUT = sum;
}

KERNEL(lds, 256) {
  local uint table[512];
  uint sum = LOCAL;
  for (uint n = LOCAL; n < 512; n += __builtin_amdgcn_workgroup_size_x()) table[n] = GROUP + n;
  for (uint round = 0; round < rounds; ++round) {
    Sync();
    if (LOCAL == 0) sum += Meet(words, groups, round, pattern, way);
    Sync();
    const uint n = (LOCAL * 7 + round) & 511;
    sum += table[n] - n + round;
  }
  OUT = sum;
}

KERNEL(scratch, 128) {
  volatile uint table[100];
  uint sum = LOCAL;
  for (uint n = 0; n < 100; ++n) table[n] = GROUP + n * LOCAL;
  for (uint round = 0; round < rounds; ++round) {
    if (LOCAL == 0) sum += Meet(words, groups, round, pattern, way);
    Sync();
    const uint n = (LOCAL + round) % 100;
    sum += table[n] - n * LOCAL + round;
  }
  OUT = sum;
}

// All the LDS that a group can have: on gfx600 half of a compute unit's, on others all of it.
#ifdef __gfx600__
#define MOST_LDS 8192
#else
#define MOST_LDS 16384
#endif
KERNEL(alone, 64) {
  local uint table[MOST_LDS];
  uint sum = LOCAL;
  table[LOCAL * (MOST_LDS / 64)] = GROUP;
  for (uint round = 0; round < rounds; ++round) {
    if (LOCAL == 0) sum += Meet(words, groups, round, pattern, way);
    sum += table[LOCAL * (MOST_LDS / 64)] + round;
  }
  OUT = sum;
}

// 32 KiB of scratch a work-item.
KERNEL(deep, 256) {
  volatile uint table[8192];
  uint sum = LOCAL;
  table[LOCAL * 32] = GROUP;
  for (uint round = 0; round < rounds; ++round) {
    Sync();
    if (LOCAL == 0) sum += Meet(words, groups, round, pattern, way);
    Sync();
    sum += table[LOCAL * 32] + round;
  }
  OUT = sum;
}

// After the first round, one group stores where it must not.
KERNEL(stray, 64) {
  if (LOCAL == 0) Meet(words, groups, 0, pattern, way);
  if (GROUP == rounds && LOCAL == 5) out += 1 << 28;
  OUT = LOCAL;
}
