// A kernel whose code the tests write themselves, over the s_nop that it consists of. What a wave
// finds in its registers and where the arguments lie: frame.h.
  .text
  .globl frame
  .p2align 8
  .type frame,@function
frame:
  .rept 24000
  s_nop 0x7e55
  .endr
  s_endpgm
.Lend:
  .size frame, .Lend - frame

  .rodata
  .p2align 6
  .amdhsa_kernel frame
    .amdhsa_group_segment_fixed_size 4036
    .amdhsa_private_segment_fixed_size 64
    .amdhsa_kernarg_size 64
    .amdhsa_user_sgpr_private_segment_buffer 1
    .amdhsa_user_sgpr_dispatch_ptr 1
    .amdhsa_user_sgpr_kernarg_segment_ptr 1
    .amdhsa_user_sgpr_flat_scratch_init 1
    .amdhsa_system_sgpr_private_segment_wavefront_offset 1
    .amdhsa_system_sgpr_workgroup_id_x 1
    .amdhsa_system_sgpr_workgroup_id_y 1
    .amdhsa_system_sgpr_workgroup_id_z 1
    .amdhsa_next_free_vgpr 32
    .amdhsa_next_free_sgpr 96
#ifdef __gfx90a__
    .amdhsa_accum_offset 32
#endif
  .end_amdhsa_kernel

  .amdgpu_metadata
---
amdhsa.version: [ 1, 1 ]
amdhsa.kernels:
  - .name: frame
    .symbol: frame.kd
    .kernarg_segment_size: 64
    .kernarg_segment_align: 8
    .group_segment_fixed_size: 4036
    .private_segment_fixed_size: 64
    .wavefront_size: 64
    .sgpr_count: 102
    .vgpr_count: 32
    .max_flat_workgroup_size: 256
    .args:
      - { .size: 64, .offset: 0, .value_kind: by_value }
...
  .end_amdgpu_metadata
