// A kernel of code object v3 or later without metadata: out[i] = i * i + n.
  .text
  .globl squares
  .p2align 8
  .type squares,@function
squares:
  s_load_dword s4, s[0:1], 0x8
  s_load_dwordx2 s[2:3], s[0:1], 0x0
  v_lshlrev_b32 v1, 2, v0
  v_mul_u32_u24 v2, v0, v0
  s_waitcnt lgkmcnt(0)
  v_add_u32 v2, s4, v2
  global_store_dword v1, v2, s[2:3]
  s_endpgm
.Lend:
  .size squares, .Lend-squares
  .rodata
  .p2align 6
  .amdhsa_kernel squares
    .amdhsa_user_sgpr_kernarg_segment_ptr 1
    .amdhsa_kernarg_size 12
    .amdhsa_next_free_vgpr 3
    .amdhsa_next_free_sgpr 8
  .end_amdhsa_kernel
