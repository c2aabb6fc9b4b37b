// Kernels for the tests of the HSA library. Without a library of builtins: the grid has one dimension.
static uint GlobalId(void) {
  return __builtin_amdgcn_workgroup_id_x() * __builtin_amdgcn_workgroup_size_x() +
         __builtin_amdgcn_workitem_id_x();
}

// A variable of the code object.
__attribute__((used, visibility("default"))) __global uint counter = 7;

// One that the file has in a read-only segment.
__attribute__((used, visibility("default"))) __constant uint table[4] = {10, 20, 30, 40};

__kernel void add_one(__global uint* values) { values[GlobalId()] += 1; }

__kernel void count(__global uint* total) {
  __atomic_fetch_add(total, 1, __ATOMIC_RELAXED);
  if (GlobalId() == 0) __atomic_fetch_add(&counter, 1, __ATOMIC_RELAXED);
}

// The request as the kernel finds it.
__kernel void look(__global ulong* out) {
  const __constant uint* packet = (const __constant uint*)__builtin_amdgcn_dispatch_ptr();
  const __constant uint* queue = (const __constant uint*)__builtin_amdgcn_queue_ptr();
  out[0] = packet[0];    // header and setup
  out[1] = packet[3];    // grid size along x
  out[2] = packet[14];   // completion signal, low half
  out[3] = (ulong)queue;
  out[4] = queue[0x40 / 4];  // apertures
  out[5] = queue[0x44 / 4];
}

// The packet's number in its queue. Clang has no builtin for LLVM's intrinsic.
ulong DispatchId(void) __asm("llvm.amdgcn.dispatch.id");
__kernel void look_at_id(__global ulong* out) { *out = DispatchId(); }

// The JIT leaves clocks to the interpreter.
__kernel void clock(__global ulong* out) { out[GlobalId()] = __builtin_amdgcn_s_memrealtime(); }

// Waits for another agent.
__kernel void wait_for(__global uint* flag, __global uint* done) {
  while (__atomic_load_n(flag, __ATOMIC_ACQUIRE) == 0) __builtin_amdgcn_s_sleep(1);
  __atomic_store_n(done, *flag + 1, __ATOMIC_RELEASE);
}

// Says that it runs, and waits.
__kernel void say_and_wait(__global uint* running, __global uint* flag) {
  __atomic_store_n(running, 1, __ATOMIC_RELEASE);
  while (__atomic_load_n(flag, __ATOMIC_ACQUIRE) == 0) __builtin_amdgcn_s_sleep(1);
}

// Waits, says that it is through, and faults.
__kernel void wait_and_trap(__global uint* flag, __global uint* through) {
  while (__atomic_load_n(flag, __ATOMIC_ACQUIRE) == 0) __builtin_amdgcn_s_sleep(1);
  __atomic_store_n(through, 1, __ATOMIC_RELEASE);
  __builtin_trap();
}

__kernel void set(__global uint* flag, uint value) {
  __atomic_store_n(flag, value, __ATOMIC_RELEASE);
}

__kernel void reverse_in_lds(__global uint* values, __local uint* copy) {
  const uint id = __builtin_amdgcn_workitem_id_x();
  const uint size = __builtin_amdgcn_workgroup_size_x();
  copy[id] = values[id];
  __builtin_amdgcn_s_barrier();
  values[id] = copy[size - 1 - id];
}

__kernel void write_far(__global uint* from, ulong offset) { from[offset] = 1; }

// As cooperative launches begin: the next barrier of all groups is for `others` more than one.
__kernel void begin_sync(uint others) {
  __asm__ volatile("s_mov_b32 m0, 0\n\tds_gws_init %0 gds\n\ts_waitcnt lgkmcnt(0)" ::"v"(others)
                   : "memory");
}

// Waits for all work-groups of the grid, in the middle, as cooperative kernels do.
__kernel void sync_grid(__global volatile uint* values, uint groups) {
  const uint group = __builtin_amdgcn_workgroup_id_x();
  values[group] = group + 1;
  __builtin_amdgcn_fence(__ATOMIC_SEQ_CST, "agent");
  __asm__ volatile("s_mov_b32 m0, 0\n\tds_gws_barrier %0 gds\n\ts_waitcnt lgkmcnt(0)" ::"v"(
                       groups - 1)
                   : "memory");
  __builtin_amdgcn_fence(__ATOMIC_SEQ_CST, "agent");
  values[groups + group] = values[groups - 1 - group];
}

__kernel void run_no_code(void) { __asm__ volatile(".long 0xbfff0000"); }

#pragma OPENCL EXTENSION __cl_clang_function_pointers : enable
__attribute__((noinline)) uint twice_and_one(uint value) { return 2 * value + 1; }

__kernel void give_function(__global ulong* function) { *function = (ulong)&twice_and_one; }

__kernel void call_function(ulong function, __global uint* values) {
  values[GlobalId()] = ((uint (*)(uint))function)(values[GlobalId()]);
}
