// Kernels for the tests of shared memory. No device library: only compiler builtins.
#define ID                                                                          \
  (__builtin_amdgcn_workgroup_id_x() * __builtin_amdgcn_workgroup_size_x() + \
   __builtin_amdgcn_workitem_id_x())

// Consecutive dwords.
kernel void add_one(global uint* out, global const uint* in) { out[ID] = in[ID] + 1; }

// Of rows that lie `pitch` dwords apart.
kernel void add_one_row(global uint* out, global const uint* in, int pitch) {
  const int at = (int)__builtin_amdgcn_workitem_id_y() * pitch + (int)ID;
  out[at] = in[at] + 1;
}

// Consecutive dwords, four each.
kernel void add_one4(global uint4* out, global const uint4* in) { out[ID] = in[ID] + 1; }

// Consecutive bytes.
kernel void add_one_bytes(global uchar* out, global const uchar* in) { out[ID] = in[ID] + 1; }

// Any dwords: a gather and a scatter.
kernel void permute(global uint* out, global const uint* in, global const uint* order) {
  const uint from = order[ID];
  out[from] = in[from] * 3;
}

// The same, of elements of other sizes that begin where these dwords do.
#define PERMUTE(NAME, TYPE)                                                               \
  kernel void NAME(global uint* out, global const uint* in, global const uint* order) {   \
    const uint from = order[ID];                                                          \
    *(global TYPE*)(out + from) = *(global const TYPE*)(in + from) * (TYPE)3;             \
  }
PERMUTE(permute_bytes, uchar)
PERMUTE(permute_words, ushort)
PERMUTE(permute_pairs, ulong)
PERMUTE(permute_quads, uint4)

// One pointer for each work-item.
kernel void follow(global uint* out, global const ulong* pointers) {
  out[ID] = *(global const uint*)pointers[ID];
}

// As many elements as `trips` says, far apart: work-items leave one after the other.
kernel void sum_apart(global uint* out, global const uint* in, global const uint* trips) {
  uint sum = 0;
  for (uint n = 0, at = ID * 4; n < trips[ID]; ++n, at += 13) sum = sum * 3 + in[at];
  out[ID] = sum;
}

// One address for all work-items, by a vector load.
kernel void broadcast(global uint* out, global const volatile uint* in) { out[ID] = in[0] + ID; }

// One address for all work-items, by scalar loads.
kernel void sum16(global uint* out, global const uint* in) {
  uint sum = 0;
  for (uint n = 0; n < 16; ++n) sum += in[n];
  out[ID] = sum;
}

kernel void count(global atomic_uint* counter, global uint* order) {
  order[ID] =
      __opencl_atomic_fetch_add(counter, 1u, memory_order_relaxed, memory_scope_all_svm_devices);
}

kernel void exchange_long(global atomic_ulong* cells) {
  __opencl_atomic_fetch_max(cells + ID, (ulong)ID << 33, memory_order_relaxed,
                            memory_scope_all_svm_devices);
}

// Says that it runs, then uses `memory` until it is told to stop or faults.
kernel void use_until(global volatile uint* started, global volatile uint* stop,
                      global volatile uint* memory, uint store) {
  *started = 1;
  while (*stop == 0) {
    if (store != 0) {
      memory[ID] = ID;
    } else {
      if (memory[ID] == 0x87654321) return;  // a value that is not used need not be loaded
    }
  }
}

// Each lane has `words` words to itself, and reads most of them one after the other.
kernel void read_rows_until(global volatile uint* started, global volatile uint* stop,
                            global const uint* memory, uint words) {
  *started = 1;
  uint sum = 0;
  while (*stop == 0) {
    for (uint k = 0; k < words - (ID & 3); ++k) sum = sum * 3 + memory[ID * words + k];
  }
  if (sum == 0x87654321) *stop = 2;
}

kernel void add_until(global volatile uint* started, global volatile uint* stop,
                      global atomic_uint* memory) {
  *started = 1;
  while (*stop == 0) {
    __opencl_atomic_fetch_add(memory + ID, 1u, memory_order_relaxed, memory_scope_device);
  }
}

// The same through a scalar load; `memory` is read anew each time.
kernel void read_scalar_until(global volatile uint* started, global volatile uint* stop,
                              global const uint* memory) {
  *started = 1;
  while (*stop == 0) {
    uint value;
    __asm volatile("s_load_dword %0, %1, 0x0\n s_waitcnt lgkmcnt(0)" : "=s"(value) : "s"(memory));
  }
}

// Two dwords, which are not read.
kernel void read_pair_until(global volatile uint* started, global volatile uint* stop,
                            global const uint* memory) {
  *started = 1;
  while (*stop == 0) {
    ulong value;
    __asm volatile("s_load_dwordx2 %0, %1, 0x0\n s_waitcnt lgkmcnt(0)" : "=s"(value) : "s"(memory));
  }
}

// Loads of the first `count` work-items alone.
kernel void read_some_until(global volatile uint* started, global volatile uint* stop,
                            global const volatile uint* memory, uint count) {
  *started = 1;
  while (*stop == 0) {
    if (ID < count) (void)memory[ID];
  }
}

kernel void read_some2_until(global volatile uint* started, global volatile uint* stop,
                             global const volatile uint2* memory, uint count) {
  *started = 1;
  while (*stop == 0) {
    if (ID < count) (void)memory[ID];
  }
}

// Any order: gathers of bytes, which compiled code reads as dwords.
kernel void read_last_bytes_until(global volatile uint* started, global volatile uint* stop,
                                  global const volatile uchar* end) {
  *started = 1;
  const uint back = 1 + (ID & 3) * 16 + (ID >> 2);
  while (*stop == 0) (void)*(end - back);
}

// A pointer of each work-item that may be to anything: where[ID] 0: LDS, 1: scratch, 2: `out`,
// 3: pointers[ID].
kernel void count_anywhere(global uint* out, global const ulong* pointers, global const uint* where,
                           uint rounds) {
  local volatile uint tile[64];
  volatile uint own[2];
  const uint lane = __builtin_amdgcn_workitem_id_x();
  tile[lane] = own[0] = own[1] = 5;
  volatile generic uint* at = (volatile generic uint*)(tile + lane);
  if (where[ID] == 1) at = (volatile generic uint*)(own + (rounds & 1));
  if (where[ID] == 2) at = (volatile generic uint*)(out + ID);
  if (where[ID] == 3) at = (volatile generic uint*)(global uint*)pointers[ID];
  for (uint n = 0; n < rounds; ++n) *at += 1;
  const uint sum = *at;
  out[ID] = sum;
}

// Says that it runs, and follows each pointer that it is given then, until that is 1.
kernel void follow_until(global volatile uint* started, global volatile ulong* pointer,
                         global volatile uint* out) {
  *started = 1;
  ulong last = 0;
  for (;;) {
    const ulong at = *pointer;
    if (at == 1) return;
    if (at != last) out[ID] = ((global volatile uint*)at)[ID];
    last = at;
  }
}
