// A kernel whose code the tests write themselves, over the s_nop that it consists of. What a wave
// finds in its registers and where the arguments lie: frame.h.
  .text
  .globl frame
  .p2align 8
  .type frame,@function
frame:
.Lframe:
  .rept 24000
  s_nop 0x7e55
  .endr
  s_endpgm
.Lend:
  .size frame, .Lend - frame

  .rodata
  .p2align 6
#ifdef __gfx942__
// The same registers as elsewhere, which the assembler has no words for on this target.
  .globl frame.kd
  .type frame.kd,@object
frame.kd:
  .long 4036, 64, 64, 0
  .quad .Lframe - frame.kd
  .fill 20
  .long 7  // ACCUM_OFFSET: 32 VGPRs
  .long 0x00AC0303  // 32 VGPRs, denormals of f64 and f16, DX10_CLAMP, IEEE
  .long 0x00000395  // scratch, 10 user SGPRs, ids of the work-group
  .short 0x002B  // private segment buffer, dispatch packet, arguments, FLAT_SCRATCH
  .fill 6
  .size frame.kd, 64
#else
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
#endif

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
