// A kernel whose first arguments are in SGPRs when a wave starts. Its entry is for firmware that
// does not put them there.
  .amdgcn_target "amdgcn-amd-amdhsa--gfx942"
  .text
  .globl preload
  .p2align 8
  .type preload,@function
preload:
  s_trap 2
  .fill 63, 4, 0xbf800000
// s[0:1]: arguments; s[2:3], s4: the first of them; s5: the work-group.
  v_mov_b32 v1, s4
  v_lshl_add_u32 v2, s5, 6, v0
  v_lshlrev_b32 v2, 2, v2
  global_store_dword v2, v1, s[2:3]
  s_endpgm
.Lend:
  .size preload, .Lend - preload

  .rodata
  .p2align 6
  .amdhsa_kernel preload
    .amdhsa_kernarg_size 16
    .amdhsa_user_sgpr_kernarg_segment_ptr 1
    .amdhsa_user_sgpr_kernarg_preload_length 3
    .amdhsa_user_sgpr_kernarg_preload_offset 0
    .amdhsa_system_sgpr_workgroup_id_x 1
    .amdhsa_next_free_vgpr 8
    .amdhsa_next_free_sgpr 16
    .amdhsa_accum_offset 8
  .end_amdhsa_kernel

  .amdgpu_metadata
---
amdhsa.version: [ 1, 2 ]
amdhsa.kernels:
  - .name: preload
    .symbol: preload.kd
    .kernarg_segment_size: 16
    .kernarg_segment_align: 8
    .group_segment_fixed_size: 0
    .private_segment_fixed_size: 0
    .wavefront_size: 64
    .sgpr_count: 16
    .vgpr_count: 8
    .max_flat_workgroup_size: 256
    .args:
      - { .size: 8, .offset: 0, .value_kind: global_buffer, .address_space: global }
      - { .size: 4, .offset: 8, .value_kind: by_value }
...
  .end_amdgpu_metadata
