// Atomic operations that many work-items make on few words. Each kernel leaves what every operation
// returned, so that the order in which they happened can be checked.
#define OPS(T, suffix, A)                                                                          \
  /* Each work-item gets another old value: 0 .. n-1 in some order. */                           \
  kernel void add_##suffix(global A* word, global T* old) {                                        \
    old[ID] = __opencl_atomic_fetch_add(word, (T)1, memory_order_relaxed, memory_scope_device);    \
  }                                                                                                \
  kernel void sub_##suffix(global A* word, global T* old) {                                        \
    old[ID] = __opencl_atomic_fetch_sub(word, (T)1, memory_order_relaxed, memory_scope_device);    \
  }                                                                                                \
  /* Each stored value is returned to a work-item, but for the last one. */                      \
  kernel void exchange_##suffix(global A* word, global T* old) {                                   \
    old[ID] = __opencl_atomic_exchange(word, (T)(ID + 1), memory_order_relaxed,                    \
                                       memory_scope_device);                                       \
  }                                                                                                \
  /* A counter made by hand. */                                                                    \
  kernel void compare_##suffix(global A* word, global T* old) {                                    \
    T expected = __opencl_atomic_load(word, memory_order_relaxed, memory_scope_device);            \
    while (!__opencl_atomic_compare_exchange_weak(word, &expected, expected + 1,                   \
                                                  memory_order_relaxed, memory_order_relaxed,      \
                                                  memory_scope_device)) {                          \
    }                                                                                              \
    old[ID] = expected;                                                                            \
  }                                                                                                \
  /* A work-item is the first to set, clear or turn each bit. */                                \
  kernel void or_##suffix(global A* word, global T* old) {                                         \
    old[ID] = __opencl_atomic_fetch_or(word, (T)1 << ID % BITS(T), memory_order_relaxed,           \
                                       memory_scope_device);                                       \
  }                                                                                                \
  kernel void and_##suffix(global A* word, global T* old) {                                        \
    old[ID] = __opencl_atomic_fetch_and(word, ~((T)1 << ID % BITS(T)), memory_order_relaxed,       \
                                        memory_scope_device);                                      \
  }                                                                                                \
  kernel void xor_##suffix(global A* word, global T* old) {                                        \
    old[ID] = __opencl_atomic_fetch_xor(word, (T)1 << ID % BITS(T), memory_order_relaxed,          \
                                        memory_scope_device);                                      \
  }                                                                                                \
  /* What is returned never goes back. */                                                          \
  kernel void max_##suffix(global A* word, global T* old) {                                        \
    old[ID] = __opencl_atomic_fetch_max(word, (T)(ID * 7 % N), memory_order_relaxed,               \
                                        memory_scope_device);                                      \
  }                                                                                                \
  kernel void min_##suffix(global A* word, global T* old) {                                        \
    old[ID] = __opencl_atomic_fetch_min(word, (T)(ID * 7 % N), memory_order_relaxed,               \
                                        memory_scope_device);                                      \
  }                                                                                                \
  /* The same counter in LDS, one of each group. */                                                \
  kernel void local_add_##suffix(global A* word, global T* old) {                                  \
    local A counter;                                                                               \
    if (LOCAL_ID == 0) __opencl_atomic_store(&counter, 0, memory_order_relaxed,                    \
                                             memory_scope_work_group);                             \
    __builtin_amdgcn_fence(__ATOMIC_SEQ_CST, "workgroup");                                         \
    __builtin_amdgcn_s_barrier();                                                                  \
    old[ID] = __opencl_atomic_fetch_add(&counter, (T)1, memory_order_relaxed,                      \
                                        memory_scope_work_group);                                  \
  }                                                                                                \
  kernel void local_compare_##suffix(global A* word, global T* old) {                              \
    local A counter;                                                                               \
    if (LOCAL_ID == 0) __opencl_atomic_store(&counter, 0, memory_order_relaxed,                    \
                                             memory_scope_work_group);                             \
    __builtin_amdgcn_fence(__ATOMIC_SEQ_CST, "workgroup");                                         \
    __builtin_amdgcn_s_barrier();                                                                  \
    T expected = __opencl_atomic_load(&counter, memory_order_relaxed, memory_scope_work_group);    \
    while (!__opencl_atomic_compare_exchange_weak(&counter, &expected, expected + 1,               \
                                                  memory_order_relaxed, memory_order_relaxed,      \
                                                  memory_scope_work_group)) {                      \
    }                                                                                              \
    old[ID] = expected;                                                                            \
  }

#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
#pragma OPENCL EXTENSION cl_khr_int64_extended_atomics : enable
#define LOCAL_ID __builtin_amdgcn_workitem_id_x()
#define ID (__builtin_amdgcn_workgroup_id_x() * 256 + LOCAL_ID)
#define N __builtin_amdgcn_grid_size_x()
#define BITS(T) ((uint)sizeof(T) * 8)
OPS(uint, u32, atomic_uint)
OPS(ulong, u64, atomic_ulong)

// Ring counters, which only GPUs have: 0 .. 99 again and again.
kernel void inc_u32(global uint* word, global uint* old) {
  old[ID] = __builtin_amdgcn_atomic_inc32(word, 99u, __ATOMIC_RELAXED, "agent");
}
kernel void dec_u32(global uint* word, global uint* old) {
  old[ID] = __builtin_amdgcn_atomic_dec32(word, 99u, __ATOMIC_RELAXED, "agent");
}
kernel void inc_u64(global ulong* word, global ulong* old) {
  old[ID] = __builtin_amdgcn_atomic_inc64(word, 99ul, __ATOMIC_RELAXED, "agent");
}
kernel void dec_u64(global ulong* word, global ulong* old) {
  old[ID] = __builtin_amdgcn_atomic_dec64(word, 99ul, __ATOMIC_RELAXED, "agent");
}
