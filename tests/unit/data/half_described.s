// Two kernels, one of which the metadata does not describe.
  .text
  .globl described
  .p2align 8
  .type described,@function
described:
  s_endpgm
  .globl bare
  .p2align 8
  .type bare,@function
bare:
  s_endpgm
  .rodata
  .p2align 6
  .amdhsa_kernel described
    .amdhsa_next_free_vgpr 1
    .amdhsa_next_free_sgpr 1
  .end_amdhsa_kernel
  .p2align 6
  .amdhsa_kernel bare
    .amdhsa_kernarg_size 24
    .amdhsa_next_free_vgpr 1
    .amdhsa_next_free_sgpr 1
  .end_amdhsa_kernel
  .amdgpu_metadata
---
amdhsa.version: [1, 1]
amdhsa.kernels:
  - .name: described
    .symbol: described.kd
    .kernarg_segment_size: 8
    .kernarg_segment_align: 8
    .group_segment_fixed_size: 0
    .private_segment_fixed_size: 0
    .wavefront_size: 64
    .sgpr_count: 1
    .vgpr_count: 1
    .max_flat_workgroup_size: 1024
    .args:
      - {.offset: 0, .size: 8, .value_kind: global_buffer, .address_space: global}
...
  .end_amdgpu_metadata
