// RUN: %compile
// RUN: %run --global 8 --local 8 --arg out:32:- | od -An -v -td4 -w32 | %check
// CHECK: {{^ *0 +1 +4 +9 +16 +25 +36 +49$}}
kernel void squares(global int* out) {
  int i = __builtin_amdgcn_workitem_id_x();
  out[i] = i * i;
}
