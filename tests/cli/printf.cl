// OpenCL's printf as compilers leave it to the runtime. Debian 12's device libraries have a printf that
// prints nothing, so this does without them, and has their __printf_alloc. No text has a multiple of four
// characters: of those LLVM 19 tells a size that is not what it stores.
typedef atomic_uint Counter;
global char* __printf_alloc(uint bytes) {
  global char* buffer = (global char*)((constant size_t*)__builtin_amdgcn_implicitarg_ptr())[BUFFER_ARGUMENT];
  const uint size = ((global uint*)buffer)[1];
  uint used = __opencl_atomic_load((global Counter*)buffer, memory_order_relaxed, memory_scope_device);
  do {
    if (8 + used + bytes > size) return 0;
  } while (!__opencl_atomic_compare_exchange_strong((global Counter*)buffer, &used, used + bytes, memory_order_relaxed,
                                                    memory_order_relaxed, memory_scope_device));
  return buffer + 8 + used;
}
#define ID (int)(__builtin_amdgcn_workgroup_id_x() * 64 + __builtin_amdgcn_workitem_id_x())

kernel void formats(global uint* out, float f, ulong l) {
  if (ID != 3) return;
  printf("%d|%5d|%-5d|%05d|%x|%u|%hhd\n", ID, -ID, ID, ID, 255, -1, (char)44);
  printf("a:b|%.2f|%e|%s|%c|%lu|%ld|%%\n", f, f, "words", 'x', l, -(long)l);
  printf("%v4d|%v2hlf|%v3hhd\t|%-6s|\n", (int4)(1, 2, 3, -4), (float2)(0.5f, f), (char3)(-1, 2, 3), "ab");
  out[0] = printf("no arguments\n") + 1;
}

kernel void many(global uint* out, uint calls) {
  for (uint n = 0; n < calls; ++n) printf("%s\n", "012345678901234567890123456789012345678");
  out[ID] = 1;
}

kernel void stray_print(global uint* out) {
  if (ID == 0) printf("before the fault\n");
  out[ID * 65536] = 1;
}
