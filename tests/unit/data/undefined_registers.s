// Kernels for initial_state_test.cpp: what waves find in registers that nothing has written. gfx900.
  .text

// Leaves rubbish in every register that the other kernels may use. The barrier keeps all waves of the
// group alive until each has done so.
  .globl spoil
  .p2align 8
  .type spoil,@function
spoil:
  s_mov_b32 s60, 0xdeadbeef
.irp n, 6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47,48,49,50,51,52,53,54,55,56,57,58,59
  s_mov_b32 s\n, s60
.endr
  s_mov_b64 vcc, 0x5a
  s_mov_b32 m0, 0x5a
.irp n, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31
  v_mov_b32 v\n, s60
.endr
  s_cmp_eq_u32 s60, s60
  s_barrier
  s_endpgm

// Each group stores after the one before it, so that none hides what another has found.
.macro own_place
  s_mul_i32 s25, s6, 48 * 256
  s_add_u32 s0, s0, s25
  s_addc_u32 s1, s1, 0
.endm

// Work-item i of a group stores nine dwords at its place 12 * i.
  .globl look
  .p2align 8
  .type look,@function
look:
  s_load_dwordx2 s[0:1], s[4:5], 0x0
  s_cselect_b32 s20, 1, 0                 // SCC
  s_barrier
  v_mul_u32_u24 v31, 48, v0
  s_waitcnt lgkmcnt(0)
  own_place
  // Never written.
  global_store_dword v31, v1, s[0:1]
  global_store_dword v31, v5, s[0:1] offset:4
  // Written in the lower half of the lanes, read in all.
  s_mov_b32 exec_hi, 0
  v_mov_b32 v6, 5
  s_mov_b32 exec_hi, -1
  global_store_dword v31, v6, s[0:1] offset:8
  // Written in one lane.
  s_movk_i32 s21, 0x4d
  v_writelane_b32 v8, s21, 3
  global_store_dword v31, v8, s[0:1] offset:12
  // An SGPR; VCC and M0; SCC as it was at the start.
  v_mov_b32 v2, s30
  global_store_dword v31, v2, s[0:1] offset:16
  s_or_b32 s22, vcc_lo, m0
  v_mov_b32 v2, s22
  global_store_dword v31, v2, s[0:1] offset:20
  v_mov_b32 v2, s20
  global_store_dword v31, v2, s[0:1] offset:24
  // A lane that EXEC excludes.
  s_mov_b64 exec, 1
  v_readlane_b32 s23, v9, 40
  s_mov_b64 exec, -1
  v_mov_b32 v2, s23
  global_store_dword v31, v2, s[0:1] offset:28
  // Read by an instruction that is not compiled.
  v_lshlrev_b32 v3, 2, v0
  ds_permute_b32 v2, v3, v11
  s_waitcnt lgkmcnt(0)
  global_store_dword v31, v2, s[0:1] offset:32
  s_endpgm

// One dword, of a register that MODE chooses: v13.
  .globl look_by_index
  .p2align 8
  .type look_by_index,@function
look_by_index:
  s_load_dwordx2 s[0:1], s[4:5], 0x0
  v_mul_u32_u24 v31, 48, v0
  s_barrier
  s_mov_b32 s24, 3
  s_waitcnt lgkmcnt(0)
  own_place
  s_set_gpr_idx_on s24, 1
  v_mov_b32 v2, v10
  s_set_gpr_idx_off
  global_store_dword v31, v2, s[0:1]
  s_endpgm

// Two dwords, after a jump to an address that only a register has.
  .globl look_after_jump
  .p2align 8
  .type look_after_jump,@function
look_after_jump:
  s_load_dwordx2 s[0:1], s[4:5], 0x0
  v_mul_u32_u24 v31, 48, v0
  s_barrier
  s_getpc_b64 s[26:27]
.Lhere:
  s_add_u32 s26, s26, landing-.Lhere
  s_addc_u32 s27, s27, 0
  s_setpc_b64 s[26:27]
  s_endpgm
landing:
  s_waitcnt lgkmcnt(0)
  own_place
  v_mov_b32 v2, s31
  global_store_dword v31, v7, s[0:1]
  global_store_dword v31, v2, s[0:1] offset:4
  s_endpgm

// Three dwords, of registers that are read before they are written, round after round.
  .globl look_and_spoil
  .p2align 8
  .type look_and_spoil,@function
look_and_spoil:
  s_load_dwordx2 s[0:1], s[4:5], 0x0
  v_mul_u32_u24 v31, 48, v0
.Lround:
  v_add_u32 v5, 3, v5
  v_add_u32 v0, 100, v0
  s_add_u32 s30, s30, 1
  s_cmp_lt_u32 s30, 2
  s_cbranch_scc1 .Lround
  s_waitcnt lgkmcnt(0)
  own_place
  v_mov_b32 v2, s30
  global_store_dword v31, v5, s[0:1]
  global_store_dword v31, v0, s[0:1] offset:4
  global_store_dword v31, v2, s[0:1] offset:8
  s_endpgm

// The same of scalars alone: SCC, an SGPR, and what the wave itself has left in both at a barrier.
  .globl look_and_spoil_scalars
  .p2align 8
  .type look_and_spoil_scalars,@function
look_and_spoil_scalars:
  s_load_dwordx2 s[0:1], s[4:5], 0x0
  s_cselect_b32 s20, 1, 0
  s_mov_b32 s21, s30
  s_movk_i32 s30, 0x77
  s_cmp_eq_u32 s6, s6
  s_barrier
  s_cselect_b32 s22, s30, 0
  v_mul_u32_u24 v31, 48, v0
  s_waitcnt lgkmcnt(0)
  own_place
.irp n, 0,1,2
  v_mov_b32 v2, s2\n
  global_store_dword v31, v2, s[0:1] offset:4*\n
.endr
  s_endpgm

  .rodata
.macro descriptor name
  .p2align 6
  .amdhsa_kernel \name
    .amdhsa_user_sgpr_kernarg_segment_ptr 1
    .amdhsa_user_sgpr_private_segment_buffer 1
    .amdhsa_kernarg_size 8
    .amdhsa_next_free_vgpr 32
    .amdhsa_next_free_sgpr 64
  .end_amdhsa_kernel
.endm
  descriptor spoil
  descriptor look
  descriptor look_by_index
  descriptor look_after_jump
  descriptor look_and_spoil
  descriptor look_and_spoil_scalars

  .amdgpu_metadata
---
amdhsa.version: [ 1, 1 ]
amdhsa.kernels:
  - .name: spoil
    .symbol: spoil.kd
    .kernarg_segment_size: 8
    .kernarg_segment_align: 8
    .group_segment_fixed_size: 0
    .private_segment_fixed_size: 0
    .wavefront_size: 64
    .sgpr_count: 70
    .vgpr_count: 32
    .max_flat_workgroup_size: 1024
    .args:
      - { .size: 8, .offset: 0, .value_kind: global_buffer, .address_space: global }
  - .name: look
    .symbol: look.kd
    .kernarg_segment_size: 8
    .kernarg_segment_align: 8
    .group_segment_fixed_size: 0
    .private_segment_fixed_size: 0
    .wavefront_size: 64
    .sgpr_count: 70
    .vgpr_count: 32
    .max_flat_workgroup_size: 1024
    .args:
      - { .size: 8, .offset: 0, .value_kind: global_buffer, .address_space: global }
  - .name: look_by_index
    .symbol: look_by_index.kd
    .kernarg_segment_size: 8
    .kernarg_segment_align: 8
    .group_segment_fixed_size: 0
    .private_segment_fixed_size: 0
    .wavefront_size: 64
    .sgpr_count: 70
    .vgpr_count: 32
    .max_flat_workgroup_size: 1024
    .args:
      - { .size: 8, .offset: 0, .value_kind: global_buffer, .address_space: global }
  - .name: look_after_jump
    .symbol: look_after_jump.kd
    .kernarg_segment_size: 8
    .kernarg_segment_align: 8
    .group_segment_fixed_size: 0
    .private_segment_fixed_size: 0
    .wavefront_size: 64
    .sgpr_count: 70
    .vgpr_count: 32
    .max_flat_workgroup_size: 1024
    .args:
      - { .size: 8, .offset: 0, .value_kind: global_buffer, .address_space: global }
  - .name: look_and_spoil
    .symbol: look_and_spoil.kd
    .kernarg_segment_size: 8
    .kernarg_segment_align: 8
    .group_segment_fixed_size: 0
    .private_segment_fixed_size: 0
    .wavefront_size: 64
    .sgpr_count: 70
    .vgpr_count: 32
    .max_flat_workgroup_size: 1024
    .args:
      - { .size: 8, .offset: 0, .value_kind: global_buffer, .address_space: global }
  - .name: look_and_spoil_scalars
    .symbol: look_and_spoil_scalars.kd
    .kernarg_segment_size: 8
    .kernarg_segment_align: 8
    .group_segment_fixed_size: 0
    .private_segment_fixed_size: 0
    .wavefront_size: 64
    .sgpr_count: 70
    .vgpr_count: 32
    .max_flat_workgroup_size: 1024
    .args:
      - { .size: 8, .offset: 0, .value_kind: global_buffer, .address_space: global }
...
  .end_amdgpu_metadata
