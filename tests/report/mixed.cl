// Something of everything that a page shows.
kernel void mixed(global float* out, global const float* in, local float* tile) {
  const uint lane = __builtin_amdgcn_workitem_id_x();
  const uint id = __builtin_amdgcn_workgroup_id_x() * 256 + lane;
  tile[lane * 16 % 4096] = in[id];
  __builtin_amdgcn_s_barrier();
  const float x = tile[(lane ^ 1) * 16 % 4096];
  float sum = x;
  for (uint n = 0; n < lane % 50; ++n) {
    sum = sum * x + 0.5f;
  }
  out[id * 16] = sum;
}
