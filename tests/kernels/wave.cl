// Operations between the lanes of a wave: reads, votes, swizzles, permutes, DPP, sub-groups.
#pragma OPENCL EXTENSION cl_khr_subgroups : enable

kernel void wave_readlane(global int* out, global const int* in, int lane) {
  const size_t i = get_global_id(0);
  const int v = in[i];
  out[5 * i] = __builtin_amdgcn_readfirstlane(v);
  out[5 * i + 1] = __builtin_amdgcn_readlane(v, lane);
  out[5 * i + 2] = __builtin_amdgcn_readlane(v, (lane * 3 + 1) & 63);
  int r = -1;
  // Other operands than above: compilers merge equal reads although their lanes differ.
  if (v & 1) r = __builtin_amdgcn_readfirstlane(v ^ 2);
  else if (v & 2) r = __builtin_amdgcn_readfirstlane(v ^ 8) + 1;
  out[5 * i + 3] = r;
  // One turn for each distinct value.
  int turns = 0, waiting = 1;
  while (waiting) {
    ++turns;
    if (__builtin_amdgcn_readfirstlane(v & 7) == (v & 7)) waiting = 0;
  }
  out[5 * i + 4] = turns;
}

kernel void wave_votes(global ulong* out, global const int* in, global const float* f) {
  const size_t i = get_global_id(0);
  const int v = in[i];
  global ulong* o = out + i * 8;
  o[0] = __builtin_amdgcn_sicmp(v, 10, 38);              // greater, signed
  o[1] = __builtin_amdgcn_uicmp((uint)v, 10u, 36);       // less, unsigned
  o[2] = __builtin_amdgcn_sicmpl((long)v * 3, -30l, 40); // less, signed
  o[3] = __builtin_amdgcn_fcmpf(f[i], 0.5f, 2);          // greater, ordered
  o[4] = __builtin_amdgcn_fcmpf(f[i], 0.25f, 12);        // less or unordered
  const ulong odd = __builtin_amdgcn_uicmp((uint)v & 1, 1u, 32);
  o[5] = __builtin_amdgcn_mbcnt_hi((uint)(odd >> 32), __builtin_amdgcn_mbcnt_lo((uint)odd, 100));
  o[6] = popcount(odd) + 100 * __builtin_ctzl(odd);
  o[7] = v < 0 ? __builtin_amdgcn_read_exec() : 5;
}

// Swizzles within 32 lanes: quad permutations and masks.
kernel void wave_swizzle(global int* out, global const int* in) {
  const size_t i = get_global_id(0);
  const int v = in[i];
  global int* o = out + i * 7;
  o[0] = __builtin_amdgcn_ds_swizzle(v, 0x801b);  // quads reversed
  o[1] = __builtin_amdgcn_ds_swizzle(v, 0x80b1);  // pairs swapped
  o[2] = __builtin_amdgcn_ds_swizzle(v, 0x041f);  // lane ^ 1
  o[3] = __builtin_amdgcn_ds_swizzle(v, 0x7c1f);  // lane ^ 31
  o[4] = __builtin_amdgcn_ds_swizzle(v, 0x0018);  // the first of each eight
  o[5] = __builtin_amdgcn_ds_swizzle(v, 0x00fc);  // lane & 28 | 7
  o[6] = __builtin_amdgcn_ds_swizzle(v, 0x401f);  // lane ^ 16
}

#if GENERATION >= 8
kernel void wave_permute(global int* out, global const int* in) {
  const size_t i = get_global_id(0);
  const int v = in[i];
  const int lane = get_local_id(0) & 63;
  global int* o = out + i * 4;
  o[0] = __builtin_amdgcn_ds_bpermute(((lane * 5 + 3) & 63) * 4, v);
  o[1] = __builtin_amdgcn_ds_permute(((lane * 5 + 3) & 63) * 4, v);
  o[2] = __builtin_amdgcn_ds_bpermute((lane / 4) * 4 + 256, v);
  // Only some lanes send.
  o[3] = lane % 3 == 0 ? __builtin_amdgcn_ds_permute(((lane + 6) & 63) * 4, v) : -7;
}

kernel void wave_dpp(global int* out, global const int* in) {
  const size_t i = get_global_id(0);
  const int v = in[i], old = -1000 - (int)i;
  global int* o = out + i * 18;
  o[0] = __builtin_amdgcn_update_dpp(old, v, 0x1b, 0xf, 0xf, false);    // quad_perm [3,2,1,0]
  o[1] = __builtin_amdgcn_update_dpp(old, v, 0x55, 0xf, 0xf, false);    // quad_perm [1,1,1,1]
  o[2] = __builtin_amdgcn_update_dpp(old, v, 0x101, 0xf, 0xf, false);   // row_shl:1
  o[3] = __builtin_amdgcn_update_dpp(old, v, 0x10f, 0xf, 0xf, true);    // row_shl:15, zeroes
  o[4] = __builtin_amdgcn_update_dpp(old, v, 0x112, 0xf, 0xf, false);   // row_shr:2
  o[5] = __builtin_amdgcn_update_dpp(old, v, 0x118, 0xf, 0xf, true);    // row_shr:8, zeroes
  o[6] = __builtin_amdgcn_update_dpp(old, v, 0x123, 0xf, 0xf, false);   // row_ror:3
  o[7] = __builtin_amdgcn_update_dpp(old, v, 0x130, 0xf, 0xf, false);   // wave_shl:1
  o[8] = __builtin_amdgcn_update_dpp(old, v, 0x134, 0xf, 0xf, false);   // wave_rol:1
  o[9] = __builtin_amdgcn_update_dpp(old, v, 0x138, 0xf, 0xf, false);   // wave_shr:1
  o[10] = __builtin_amdgcn_update_dpp(old, v, 0x13c, 0xf, 0xf, false);  // wave_ror:1
  o[11] = __builtin_amdgcn_update_dpp(old, v, 0x140, 0xf, 0xf, false);  // row_mirror
  o[12] = __builtin_amdgcn_update_dpp(old, v, 0x141, 0xf, 0xf, false);  // row_half_mirror
  o[13] = __builtin_amdgcn_update_dpp(old, v, 0x142, 0xa, 0xf, false);  // row_bcast:15, rows 1, 3
  o[14] = __builtin_amdgcn_update_dpp(old, v, 0x143, 0xc, 0xf, false);  // row_bcast:31, rows 2, 3
  o[15] = __builtin_amdgcn_update_dpp(old, v, 0xb1, 0x5, 0xf, false);   // rows 0, 2 only
  o[16] = __builtin_amdgcn_update_dpp(old, v, 0xb1, 0xf, 0x6, false);   // banks 1, 2 only
  o[17] = (v & 3) == 0 ? __builtin_amdgcn_update_dpp(old, v, 0x111, 0xf, 0xf, false) : 1;
}

// The scan that libraries use: shifts within rows, then broadcasts between them.
kernel void wave_dpp_scan(global int* out, global const int* in) {
  const size_t i = get_global_id(0);
  int v = in[i];
  v += __builtin_amdgcn_update_dpp(0, v, 0x111, 0xf, 0xf, false);
  v += __builtin_amdgcn_update_dpp(0, v, 0x112, 0xf, 0xf, false);
  v += __builtin_amdgcn_update_dpp(0, v, 0x114, 0xf, 0xf, false);
  v += __builtin_amdgcn_update_dpp(0, v, 0x118, 0xf, 0xf, false);
  v += __builtin_amdgcn_update_dpp(0, v, 0x142, 0xa, 0xf, false);
  v += __builtin_amdgcn_update_dpp(0, v, 0x143, 0xc, 0xf, false);
  out[i] = v;
}
#endif

kernel void wave_sub_groups(global int* out, global const int* in) {
  const size_t i = get_global_id(0);
  const int v = in[i];
  global int* o = out + i * 11;
  o[0] = sub_group_reduce_add(v);
  o[1] = sub_group_reduce_max(v);
  o[2] = sub_group_scan_inclusive_add(v);
  o[3] = sub_group_scan_exclusive_add(v);
  o[4] = sub_group_scan_inclusive_min(v);
  o[5] = sub_group_broadcast(v, 9);
  o[6] = sub_group_any(v == 77);
  o[7] = sub_group_all(v > -990);
  o[8] = get_sub_group_local_id() + 100 * get_sub_group_id();
  o[9] = get_sub_group_size() + 100 * get_max_sub_group_size();
  o[10] = get_num_sub_groups();
}
