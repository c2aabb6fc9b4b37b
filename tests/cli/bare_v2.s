// A kernel of code object v2 without metadata: out[i] = i * i + n.
  .hsa_code_object_version 2,1
  .hsa_code_object_isa 8,0,3,"AMD","AMDGPU"
  .text
  .p2align 8
  .amdgpu_hsa_kernel squares
squares:
  .amd_kernel_code_t
    enable_sgpr_kernarg_segment_ptr = 1
    is_ptr64 = 1
    compute_pgm_rsrc1_vgprs = 1
    compute_pgm_rsrc1_sgprs = 1
    compute_pgm_rsrc2_user_sgpr = 2
    kernarg_segment_byte_size = 12
    wavefront_sgpr_count = 8
    workitem_vgpr_count = 5
  .end_amd_kernel_code_t
  s_load_dword s4, s[0:1], 0x8
  s_load_dwordx2 s[2:3], s[0:1], 0x0
  v_lshlrev_b32 v4, 2, v0
  v_mul_u32_u24 v3, v0, v0
  s_waitcnt lgkmcnt(0)
  v_add_u32 v3, vcc, s4, v3
  v_mov_b32 v2, s3
  v_add_u32 v1, vcc, s2, v4
  v_addc_u32 v2, vcc, v2, 0, vcc
  flat_store_dword v[1:2], v3
  s_endpgm
.Lend:
  .size squares, .Lend-squares
