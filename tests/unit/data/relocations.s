// What a relocatable object may leave to a linker, one kernel that needs all of it: out[i] is
// i + 100 (code in another section) + 1000 (by way of the global offset table) + 20000 (an absolute
// address) + 0 (a weak symbol that is nowhere) + 0 (a variable that has only a size).
  .section .text.far,"ax",@progbits
  .p2align 8
far:
  v_add_u32 v2, 100, v2
  s_branch back

  .text
  .globl k
  .p2align 8
  .type k,@function
k:
  s_load_dwordx2 s[4:5], s[0:1], 0x0
  v_mov_b32 v2, v0
  s_branch far
back:
  s_getpc_b64 s[6:7]
  s_add_u32 s6, s6, value@gotpcrel32@lo+4
  s_addc_u32 s7, s7, value@gotpcrel32@hi+12
  s_load_dwordx2 s[6:7], s[6:7], 0x0
  s_waitcnt lgkmcnt(0)
  s_load_dword s8, s[6:7], 0x0
  s_mov_b32 s10, table@abs32@lo
  s_mov_b32 s11, table@abs32@hi
  s_load_dword s9, s[10:11], 0x4
  s_mov_b32 s12, nowhere@abs32@lo
  s_getpc_b64 s[14:15]
  s_add_u32 s14, s14, shared@rel32@lo+4
  s_addc_u32 s15, s15, shared@rel32@hi+12
  s_load_dword s13, s[14:15], 0x0
  s_waitcnt lgkmcnt(0)
  v_add_u32 v2, s8, v2
  v_add_u32 v2, s9, v2
  v_add_u32 v2, s12, v2
  v_add_u32 v2, s13, v2
  v_lshlrev_b32 v1, 2, v0
  global_store_dword v1, v2, s[4:5]
  s_endpgm

  .weak nowhere
  .comm shared,4,4
  .data
  .globl value
  .p2align 2
value: .long 1000
  .size value, 4
  .type value,@object
  .p2align 3
  .globl pointer
pointer: .quad value
  .size pointer, 8
  .type pointer,@object
  .section .rodata.t,"a",@progbits
  .globl table
  .p2align 2
table: .long 1, 20000
  .rodata
  .p2align 6
  .amdhsa_kernel k
    .amdhsa_user_sgpr_kernarg_segment_ptr 1
    .amdhsa_kernarg_size 8
    .amdhsa_next_free_vgpr 3
    .amdhsa_next_free_sgpr 16
  .end_amdhsa_kernel
  .section .debug_made,"",@progbits
  .quad value
