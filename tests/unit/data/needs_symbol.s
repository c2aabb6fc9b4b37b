// A pointer to a variable that another code object would have to define.
  .protected probe
  .text
  .globl probe
  .p2align 8
  .type probe,@function
probe:
  s_endpgm
  .rodata
  .p2align 6
  .amdhsa_kernel probe
    .amdhsa_next_free_vgpr 1
    .amdhsa_next_free_sgpr 1
  .end_amdhsa_kernel
  .data
  .p2align 3
  .quad elsewhere
