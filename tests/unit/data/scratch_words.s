// For scratch_words_test.cpp: each work-item loads the dword at offset 4 * id of a buffer, twice, with
// fields of its resource that the kernel is given. In a block, a loop, that finds them in SGPRs.
.amdgcn_target "amdgcn-amd-amdhsa--gfx900"
.text
.globl load_through
.p2align 8
.type load_through,@function
load_through:
  // out, in, bits of word 1, word 3
  s_load_dwordx4 s[8:11], s[4:5], 0x0
  s_load_dwordx2 s[14:15], s[4:5], 0x10
  s_waitcnt lgkmcnt(0)
  s_mov_b32 s16, s10
  s_or_b32 s17, s11, s14
  s_movk_i32 s18, 0x4000
  s_mov_b32 s19, s15
  v_lshlrev_b32_e32 v1, 2, v0
  v_mov_b32_e32 v3, 0
  s_movk_i32 s20, 2
  s_branch .Lload
  s_nop 0
.Lload:
  buffer_load_dword v2, v1, s[16:19], 0 offen
  s_waitcnt vmcnt(0)
  v_mul_u32_u24_e32 v3, 3, v3
  v_add_u32_e32 v3, v3, v2
  s_sub_u32 s20, s20, 1
  s_cmp_lg_u32 s20, 0
  s_cbranch_scc1 .Lload
  v_lshlrev_b32_e32 v1, 2, v0
  global_store_dword v1, v3, s[8:9]
  s_endpgm
.Lload_through_end:
.size load_through, .Lload_through_end-load_through
.rodata
.p2align 6
.amdhsa_kernel load_through
  .amdhsa_user_sgpr_private_segment_buffer 1
  .amdhsa_user_sgpr_kernarg_segment_ptr 1
  .amdhsa_next_free_vgpr 8
  .amdhsa_next_free_sgpr 32
.end_amdhsa_kernel

.amdgpu_metadata
---
amdhsa.version: [1, 1]
amdhsa.kernels:
  - .name: load_through
    .symbol: load_through.kd
    .kernarg_segment_size: 24
    .kernarg_segment_align: 8
    .group_segment_fixed_size: 0
    .private_segment_fixed_size: 0
    .wavefront_size: 64
    .sgpr_count: 32
    .vgpr_count: 8
    .max_flat_workgroup_size: 256
    .args:
      - {.offset: 0, .size: 8, .value_kind: global_buffer, .address_space: global}
      - {.offset: 8, .size: 8, .value_kind: global_buffer, .address_space: global}
      - {.offset: 16, .size: 4, .value_kind: by_value}
      - {.offset: 20, .size: 4, .value_kind: by_value}
...
.end_amdgpu_metadata
