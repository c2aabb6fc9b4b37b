// Code object v2 without metadata: every field of amd_kernel_code_t that the loader reads has a
// value of its own.
  .hsa_code_object_version 2,1
  .hsa_code_object_isa 8,0,3,"AMD","AMDGPU"
  .text
  .globl probe
  .p2align 8
  .type probe,@function
  .amdgpu_hsa_kernel probe
probe:
  .amd_kernel_code_t
    kernel_code_entry_byte_offset = 512
    granulated_workitem_vgpr_count = 5
    granulated_wavefront_sgpr_count = 3
    float_mode = 0xC5
    enable_dx10_clamp = 1
    enable_ieee_mode = 0
    enable_sgpr_private_segment_wave_byte_offset = 1
    user_sgpr_count = 13
    enable_sgpr_workgroup_id_x = 1
    enable_sgpr_workgroup_id_y = 0
    enable_sgpr_workgroup_id_z = 1
    enable_sgpr_workgroup_info = 1
    enable_vgpr_workitem_id = 2
    enable_sgpr_private_segment_buffer = 1
    enable_sgpr_dispatch_ptr = 0
    enable_sgpr_queue_ptr = 1
    enable_sgpr_kernarg_segment_ptr = 0
    enable_sgpr_dispatch_id = 1
    enable_sgpr_flat_scratch_init = 0
    enable_sgpr_private_segment_size = 1
    enable_sgpr_grid_workgroup_count_x = 1
    enable_sgpr_grid_workgroup_count_y = 0
    enable_sgpr_grid_workgroup_count_z = 1
    is_ptr64 = 1
    is_dynamic_callstack = 1
    workitem_private_segment_byte_size = 1001
    workgroup_group_segment_byte_size = 1002
    kernarg_segment_byte_size = 1003
    wavefront_sgpr_count = 29
    workitem_vgpr_count = 23
    kernarg_segment_alignment = 5
  .end_amd_kernel_code_t
  s_nop 0
  .p2align 9
  s_endpgm
