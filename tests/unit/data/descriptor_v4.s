// Code object v3 to v6 without metadata: every field of the kernel descriptor that the loader reads
// has a value of its own.
  .text
  .globl probe
  .p2align 8
  .type probe,@function
probe:
  s_endpgm
  .rodata
  .p2align 6
  .amdhsa_kernel probe
    .amdhsa_group_segment_fixed_size 1002
    .amdhsa_private_segment_fixed_size 1001
    .amdhsa_kernarg_size 1003
    .amdhsa_user_sgpr_private_segment_buffer 1
    .amdhsa_user_sgpr_dispatch_ptr 0
    .amdhsa_user_sgpr_queue_ptr 1
    .amdhsa_user_sgpr_kernarg_segment_ptr 0
    .amdhsa_user_sgpr_dispatch_id 1
    .amdhsa_user_sgpr_flat_scratch_init 0
    .amdhsa_user_sgpr_private_segment_size 1
    .amdhsa_system_sgpr_private_segment_wavefront_offset 1
    .amdhsa_system_sgpr_workgroup_id_x 1
    .amdhsa_system_sgpr_workgroup_id_y 0
    .amdhsa_system_sgpr_workgroup_id_z 1
    .amdhsa_system_sgpr_workgroup_info 1
    .amdhsa_system_vgpr_workitem_id 2
    .amdhsa_next_free_vgpr 23
    .amdhsa_next_free_sgpr 26
    .amdhsa_float_round_mode_32 1
    .amdhsa_float_round_mode_16_64 1
    .amdhsa_float_denorm_mode_32 0
    .amdhsa_float_denorm_mode_16_64 3
    .amdhsa_dx10_clamp 1
    .amdhsa_ieee_mode 0
    .amdhsa_fp16_overflow 1
  .end_amdhsa_kernel
