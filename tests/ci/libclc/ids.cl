// RUN: %libclc-compile
// RUN: %libclc-run --kernel row --threads-x 100 --blocks-x 3 %t
// RUN: %libclc-run --kernel block --threads-x 4 --threads-y 3 --threads-z 2 --blocks-y 5 --blocks-z 7 %t
// RUN: %libclc-run --kernel block --threads 4 --blocks-y 5 --threads-y 3 --threads-z 2 --blocks-z 7 %t
kernel void row(void) {
  if (__builtin_amdgcn_workgroup_size_x() != 100) __builtin_trap();
  if (__builtin_amdgcn_grid_size_x() != 300) __builtin_trap();
}
kernel void block(void) {
  if (__builtin_amdgcn_workgroup_size_x() != 4 || __builtin_amdgcn_grid_size_x() != 4) __builtin_trap();
  if (__builtin_amdgcn_workgroup_size_y() != 3 || __builtin_amdgcn_grid_size_y() != 15) __builtin_trap();
  if (__builtin_amdgcn_workgroup_size_z() != 2 || __builtin_amdgcn_grid_size_z() != 14) __builtin_trap();
}
