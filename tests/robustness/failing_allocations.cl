// A loop that lanes leave one after the other, LDS, and work-groups of several waves.
kernel void work(global uint* out, global const uint* in, local uint* shared) {
  uint l = __builtin_amdgcn_workitem_id_x(), sum = 0;
  uint i = __builtin_amdgcn_workgroup_id_x() * 128 + l;
  for (uint k = in[i] & 1023; k != 0; k >>= 1) sum += in[k] / (k + 3);
  shared[l] = sum;
  __builtin_amdgcn_fence(__ATOMIC_SEQ_CST, "workgroup");
  __builtin_amdgcn_s_barrier();
  out[i] = shared[l ^ 1] + 1;
}
