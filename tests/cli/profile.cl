// Kernels whose accesses, conflicts and loops can be counted by hand.
#define LANE __builtin_amdgcn_workitem_id_x()
#define ID (__builtin_amdgcn_workgroup_id_x() * 64 + LANE)

// Reads dwords one after the other, writes one every `stride` dwords.
kernel void strided(global uint* out, global const uint* in, uint stride) {
  out[ID * stride] = in[ID];
}

// A store to LDS and a load from it, a barrier between them.
kernel void conflicts(global uint* out, local uint* tile, uint stride) {
  tile[LANE * stride] = ID;
  __builtin_amdgcn_s_barrier();
  out[ID] = tile[LANE * stride] + 1;
}

// Lane n goes round n times.
kernel void uneven(global uint* out) {
  uint sum = 1;
  for (uint n = 0; n < LANE; ++n) sum = sum * 3 + n;
  out[ID] = sum;
}
