// What is left depends on which group is the last one to write.
kernel void last_group(global uint* out) { out[0] = __builtin_amdgcn_workgroup_id_x(); }
