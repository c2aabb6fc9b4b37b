// The maths library. Results are compared within the bounds of the OpenCL specification.

kernel void f32_trigonometry(global float* out, global const float* a, global const float* b) {
  const size_t i = get_global_id(0);
  const float x = a[i], y = b[i];
  float cosine;
  global float* o = out + i * 12;
  o[0] = sin(x);
  o[1] = cos(x);
  o[2] = tan(x);
  o[3] = asin(y);
  o[4] = acos(y);
  o[5] = atan(x);
  o[6] = atan2(x, y);
  o[7] = sincos(y, &cosine);
  o[8] = cosine;
  o[9] = sinpi(y);
  o[10] = cospi(y);
  o[11] = sin(x * 1000000.0f);
}

kernel void f32_exponential(global float* out, global const float* a, global const float* b) {
  const size_t i = get_global_id(0);
  const float x = a[i], y = b[i];
  global float* o = out + i * 14;
  o[0] = exp(y);
  o[1] = exp2(y);
  o[2] = exp10(y * 0.25f);
  o[3] = expm1(y);
  o[4] = log(x);
  o[5] = log2(x);
  o[6] = log10(x);
  o[7] = log1p(x);
  o[8] = pow(x, y);
  o[9] = pown(y, 3);
  o[10] = powr(x, 0.3f);
  o[11] = cbrt(y);
  o[12] = rsqrt(x);
  o[13] = hypot(x, y);
}

kernel void f32_hyperbolic(global float* out, global const float* a) {
  const size_t i = get_global_id(0);
  const float x = a[i];
  global float* o = out + i * 9;
  o[0] = sinh(x);
  o[1] = cosh(x);
  o[2] = tanh(x);
  o[3] = asinh(x);
  o[4] = acosh(fabs(x) + 1.5f);
  o[5] = atanh(x * 0.1f);
  o[6] = erf(x);
  o[7] = erfc(x);
  o[8] = tgamma(fabs(x) + 0.5f);
}

kernel void f32_native(global float* out, global const float* a) {
  const size_t i = get_global_id(0);
  const float x = a[i];
  global float* o = out + i * 9;
  o[0] = native_sin(x);
  o[1] = native_cos(x);
  o[2] = native_exp(x);
  o[3] = native_exp2(x);
  o[4] = native_log(x);
  o[5] = native_log2(x);
  o[6] = native_rsqrt(x);
  o[7] = native_recip(x);
  o[8] = native_sqrt(x);
}

kernel void f64_trigonometry(global double* out, global const double* a, global const double* b) {
  const size_t i = get_global_id(0);
  const double x = a[i], y = b[i];
  global double* o = out + i * 8;
  o[0] = sin(x);
  o[1] = cos(x);
  o[2] = tan(x);
  o[3] = asin(y);
  o[4] = acos(y);
  o[5] = atan(x);
  o[6] = atan2(x, y);
  o[7] = sin(x * 1e12);
}

kernel void f64_exponential(global double* out, global const double* a, global const double* b) {
  const size_t i = get_global_id(0);
  const double x = a[i], y = b[i];
  global double* o = out + i * 12;
  o[0] = exp(y);
  o[1] = exp2(y);
  o[2] = expm1(y);
  o[3] = log(x);
  o[4] = log2(x);
  o[5] = log1p(x);
  o[6] = pow(x, y);
  o[7] = cbrt(y);
  o[8] = rsqrt(x);
  o[9] = hypot(x, y);
  o[10] = tanh(y);
  o[11] = erf(y);
}
