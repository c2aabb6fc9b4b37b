// IEEE arithmetic in f32 and f64: exact, division and square root included (the build asks for
// correctly rounded ones). Contraction is off, so that a * b + c is two roundings and fma() one.
#pragma OPENCL FP_CONTRACT OFF

kernel void f32_arithmetic(global float* out, global const float* a, global const float* b,
                           global const float* c) {
  const size_t i = get_global_id(0);
  const float x = a[i], y = b[i], z = c[i];
  global float* o = out + i * 12;
  o[0] = x + y;
  o[1] = x - y;
  o[2] = x * y;
  o[3] = x / y;
  o[4] = fma(x, y, z);
  o[5] = x * y + z;
  o[6] = sqrt(fabs(x));
  o[7] = -x * fabs(y);
  o[8] = fmod(x, y);
  o[9] = remainder(x, y);
  o[10] = x < y ? x : z;
  o[11] = (x + y) * 2.0f - z * 0.5f;
}

kernel void f64_arithmetic(global double* out, global const double* a, global const double* b,
                           global const double* c) {
  const size_t i = get_global_id(0);
  const double x = a[i], y = b[i], z = c[i];
  global double* o = out + i * 12;
  o[0] = x + y;
  o[1] = x - y;
  o[2] = x * y;
  o[3] = x / y;
  o[4] = fma(x, y, z);
  o[5] = x * y + z;
  o[6] = sqrt(fabs(x));
  o[7] = -x * fabs(y);
  o[8] = fmod(x, y);
  o[9] = remainder(x, y);
  o[10] = x < y ? x : z;
  o[11] = (x + y) * 2.0 - z * 0.5;
}

// Rounding to integers, sign manipulation, minimum and maximum: NaN, infinities, signed zeros.
kernel void f32_special(global float* out, global int* flags, global const float* a,
                        global const float* b) {
  const size_t i = get_global_id(0);
  const float x = a[i], y = b[i];
  global float* o = out + i * 16;
  o[0] = floor(x);
  o[1] = ceil(x);
  o[2] = trunc(x);
  o[3] = rint(x);
  o[4] = round(x) + 0.0f;  // compilers lose the sign of a zero result
  o[5] = fmin(x, y);
  o[6] = fmax(x, y);
  o[7] = copysign(x, y);
  o[8] = fabs(x);
  o[9] = -x;
  o[10] = x + y;
  o[11] = x * y;
  o[12] = x - y;
  o[13] = fdim(x, y);
  o[14] = sqrt(x);
  o[15] = x / y;
  flags[i] = (x < y) | (x <= y) << 1 | (x == y) << 2 | (x != y) << 3 | (x > y) << 4 |
             (x >= y) << 5 | isnan(x) << 6 | isinf(x) << 7 | isfinite(x) << 8 | signbit(x) << 9 |
             isunordered(x, y) << 10 | islessgreater(x, y) << 11 | isnormal(x) << 12 |
             !(x < y) << 13;
}

kernel void f64_special(global double* out, global int* flags, global const double* a,
                        global const double* b) {
  const size_t i = get_global_id(0);
  const double x = a[i], y = b[i];
  global double* o = out + i * 16;
  o[0] = floor(x);
  o[1] = ceil(x);
  o[2] = trunc(x);
  o[3] = rint(x);
  o[4] = round(x) + 0.0;
  o[5] = fmin(x, y);
  o[6] = fmax(x, y);
  o[7] = copysign(x, y);
  o[8] = fabs(x);
  o[9] = -x;
  o[10] = x + y;
  o[11] = x * y;
  o[12] = x - y;
  o[13] = fdim(x, y);
  o[14] = sqrt(x);
  o[15] = x / y;
  flags[i] = (x < y) | (x <= y) << 1 | (x == y) << 2 | (x != y) << 3 | (x > y) << 4 |
             (x >= y) << 5 | isnan(x) << 6 | isinf(x) << 7 | isfinite(x) << 8 | signbit(x) << 9 |
             isunordered(x, y) << 10 | islessgreater(x, y) << 11 | isnormal(x) << 12 |
             !(x < y) << 13;
}

// Taking numbers apart and putting them together.
kernel void f32_parts(global float* out, global int* exponents, global const float* a,
                      global const int* by) {
  const size_t i = get_global_id(0);
  const float x = a[i];
  int exponent;
  float whole;
  global float* o = out + i * 6;
  o[0] = frexp(x, &exponent);
  o[1] = ldexp(x, by[i]);
  o[2] = modf(x, &whole);
  o[3] = whole;
  o[4] = nextafter(x, x * 2.0f);
  o[5] = logb(x);
  exponents[2 * i] = exponent;
  exponents[2 * i + 1] = ilogb(x);
}

kernel void f64_parts(global double* out, global int* exponents, global const double* a,
                      global const int* by) {
  const size_t i = get_global_id(0);
  const double x = a[i];
  int exponent;
  double whole;
  global double* o = out + i * 6;
  o[0] = frexp(x, &exponent);
  o[1] = ldexp(x, by[i]);
  o[2] = modf(x, &whole);
  o[3] = whole;
  o[4] = nextafter(x, x * 2.0);
  o[5] = logb(x);
  exponents[2 * i] = exponent;
  exponents[2 * i + 1] = ilogb(x);
}

// Denormal inputs and results: kept in f64, kept or flushed in f32 as the target's default says.
kernel void f32_denormals(global float* out, global const float* a, global const float* b) {
  const size_t i = get_global_id(0);
  const float x = a[i], y = b[i];
  out[4 * i] = x + y;
  out[4 * i + 1] = x * y;
  out[4 * i + 2] = fma(x, 0.5f, y);
  out[4 * i + 3] = x - 0.25f * y;
}

kernel void f64_denormals(global double* out, global const double* a, global const double* b) {
  const size_t i = get_global_id(0);
  const double x = a[i], y = b[i];
  out[5 * i] = x + y;
  out[5 * i + 1] = x * y;
  out[5 * i + 2] = fma(x, 0.5, y);
  out[5 * i + 3] = x - 0.25 * y;
  out[5 * i + 4] = x / 3.0;
}

// Vectors of floats through geometric functions that are exact for these inputs.
kernel void f32_vectors(global float4* out, global const float4* a, global const float4* b) {
  const size_t i = get_global_id(0);
  const float4 x = a[i], y = b[i];
  float4 r = x * y + (float4)(1.0f, 2.0f, 3.0f, 4.0f);
  r.xy = r.yx;
  r.w = dot(x, y);
  out[2 * i] = r;
  out[2 * i + 1] = cross(x, y) + select(x, y, x < y).wzyx;
}
