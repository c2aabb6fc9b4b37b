// f16 arithmetic. One operation a result, except in half_chain: targets without f16 arithmetic
// (gfx6, gfx7) may keep intermediate results in f32.
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#pragma OPENCL FP_CONTRACT OFF

kernel void half_arithmetic(global half* out, global const half* a, global const half* b,
                            global const half* c) {
  const size_t i = get_global_id(0);
  const half x = a[i], y = b[i], z = c[i];
  global half* o = out + i * 10;
  o[0] = x + y;
  o[1] = x - y;
  o[2] = x * y;
  o[3] = fma(x, y, z);
  o[4] = fmin(x, y);
  o[5] = fmax(x, z);
  o[6] = fabs(x);
  o[7] = copysign(x, y);
  o[8] = x < y ? z : y;
  o[9] = -x;
}

kernel void half_special(global half* out, global int* flags, global const half* a,
                         global const half* b) {
  const size_t i = get_global_id(0);
  const half x = a[i], y = b[i];
  global half* o = out + i * 9;
  o[0] = x + y;
  o[1] = x * y;
  o[2] = fmin(x, y);
  o[3] = fmax(x, y);
  o[4] = floor(x);
  o[5] = ceil(x);
  o[6] = trunc(x);
  o[7] = rint(x);
  o[8] = x - y;
  flags[i] = (x < y) | (x <= y) << 1 | (x == y) << 2 | (x != y) << 3 | (x > y) << 4 |
             (x != x) << 5 | ((as_ushort(x) & 0x7fff) == 0x7c00) << 6 | !(x >= y) << 7;
}

// Packed arithmetic where there is some.
kernel void half2_arithmetic(global half2* out, global const half2* a, global const half2* b) {
  const size_t i = get_global_id(0);
  out[5 * i] = a[i] + b[i];
  out[5 * i + 1] = a[i] * b[i].yx;
  out[5 * i + 2] = fma(a[i].xx, b[i], a[i]);
  out[5 * i + 3] = fmin(a[i], -b[i]);
  out[5 * i + 4] = (half2)(a[i].y, b[i].x) - b[i];
}

kernel void half_convert(global half* out, global int* ints, global float* floats,
                         global const float* f, global const int* n, global const half* h) {
  const size_t i = get_global_id(0);
  out[3 * i] = (half)f[i];
  out[3 * i + 1] = (half)(n[i] % 3000);
  out[3 * i + 2] = (half)(ushort)(n[i] & 0x3fff);
  ints[3 * i] = (int)h[i];
  ints[3 * i + 1] = (int)(uint)fabs(h[i]);
  ints[3 * i + 2] = (short)h[i];
  floats[i] = h[i];
}

// Matrix times vector, half storage, float sums: small whole numbers, so that it is exact.
kernel void half_matvec(global float* y, global const half* matrix, global const half* x,
                        int columns) {
  const size_t row = get_global_id(0);
  float sum = 0;
  for (int j = 0; j < columns; j += 4) {
    const float4 m = vload_half4(0, matrix + row * columns + j);
    const float4 v = vload_half4(0, x + j);
    sum += dot(m, v);
  }
  y[row] = sum;
}

#if GENERATION >= 8
// Rounded after each operation, as native f16 does it.
kernel void half_chain(global half* out, global const half* a, global const half* b) {
  const size_t i = get_global_id(0);
  half x = a[i];
  for (int j = 0; j < 20; ++j) x = x * b[i] + a[i] * (half)0.125f - (half)(j & 3);
  out[i] = x;
}

kernel void half2_chain(global half2* out, global const half2* a, global const half2* b) {
  const size_t i = get_global_id(0);
  half2 x = a[i];
  for (int j = 0; j < 20; ++j) x = fmax(x.yx * b[i], a[i]) - x * (half2)(0.5f, 0.25f);
  out[i] = x;
}
#endif
