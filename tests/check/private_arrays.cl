// Accesses to a private array by an index that may be out of bounds: directly, and by way of a generic
// pointer (HAS_FLAT). For private_arrays_test.cpp.
#define DIRECT(T, name)                                                                   \
  kernel void store_##name(global T* out, int index) {                                    \
    volatile private T a[16];                                                             \
    for (int n = 0; n < 16; ++n) a[n] = (T)(n);                                           \
    a[index] = (T)(7);                                                                    \
    out[__builtin_amdgcn_workitem_id_x()] = a[3];                                         \
  }                                                                                       \
  kernel void load_##name(global T* out, int index) {                                     \
    volatile private T a[16];                                                             \
    for (int n = 0; n < 16; ++n) a[n] = (T)(n);                                           \
    out[__builtin_amdgcn_workitem_id_x()] = a[index];                                     \
  }
#define GENERIC(T, name)                                                                  \
  __attribute__((noinline)) static void put_##name(T* to, int value) {                    \
    *(volatile T*)to = (T)(value);                                                        \
  }                                                                                       \
  kernel void generic_store_##name(global T* out, int index) {                            \
    volatile private T a[16];                                                             \
    for (int n = 0; n < 16; ++n) a[n] = (T)(n);                                           \
    put_##name((T*)&a[index], 7);                                                         \
    out[__builtin_amdgcn_workitem_id_x()] = a[3];                                         \
  }

DIRECT(uchar, 1)
DIRECT(ushort, 2)
DIRECT(uint, 4)
DIRECT(ulong, 8)
DIRECT(uint4, 16)

kernel void atomic_4(global uint* out, int index) {
  volatile private atomic_uint a[16];
  for (int n = 0; n < 16; ++n) __opencl_atomic_init(&a[n], n);
  // Otherwise the array would be optimised away.
  volatile private atomic_uint* at = a;
  __asm__ volatile("" : "+v"(at) : : "memory");
  out[__builtin_amdgcn_workitem_id_x()] =
      __opencl_atomic_fetch_add(at + index, 1, memory_order_relaxed, memory_scope_device);
}

#ifdef HAS_FLAT
GENERIC(uchar, 1)
GENERIC(ushort, 2)
GENERIC(uint, 4)
GENERIC(ulong, 8)
GENERIC(uint4, 16)
#endif
