// A kernel that runs through 2 MiB of zeros, of which the file has none: v_cndmask_b32 v0, s0, v0,
// again and again, and then no code.
  .text
  .globl slide
  .p2align 8
  .type slide,@function
slide:
  s_getpc_b64 s[4:5]
  s_add_u32 s4, s4, zeros@rel32@lo+4
  s_addc_u32 s5, s5, zeros@rel32@hi+4
  s_setpc_b64 s[4:5]
.Lend:
  .size slide, .Lend - slide

  .section .zeros,"ax",@nobits
  .p2align 8
  .globl zeros
  .hidden zeros
zeros:
  .space 2097152

  .rodata
  .p2align 6
  .amdhsa_kernel slide
    .amdhsa_next_free_vgpr 8
    .amdhsa_next_free_sgpr 16
  .end_amdhsa_kernel
