// Compiled for several targets and code object versions: arguments of every explicit kind that code
// without the device library has, a constant, and a variable that is reached through a relocation.
__constant int table[4] = {1, 2, 3, 4};
__attribute__((visibility("default"))) __global int counter = 7;

__kernel void copy(__global const int* in, __global int* out, int n, __local int* tmp) {
  size_t i = __builtin_amdgcn_workitem_id_x();
  tmp[i] = in[i] + table[i & 3];
  __builtin_amdgcn_s_barrier();
  if ((int)i < n) out[i] = tmp[i ^ 1] + counter;
}

__kernel __attribute__((reqd_work_group_size(64, 1, 1))) void by_value(__global float4* out,
                                                                       float4 v, uchar c,
                                                                       double d) {
  out[__builtin_amdgcn_workgroup_id_x()] = v + (float)c + (float)d;
}
