// A race is found by --check, and by nothing else.
// RUN: %compile
// RUN: %run --global 128 --local 128 --arg buf:512
// RUN: not %run --global 128 --local 128 --arg buf:512 --check=races | %check
// CHECK: lds-race in kernel 'reverse'
kernel void reverse(global int* out) {
  local int copy[128];
  int i = __builtin_amdgcn_workitem_id_x();
  copy[i] = out[i];
  out[i] = copy[127 - i];
}
