kernel void one(global uint* out) { out[__builtin_amdgcn_workitem_id_x()] = 1; }
