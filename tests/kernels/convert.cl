// Conversions: saturating, all rounding modes, all widths.

kernel void float_to_integer(global int* out, global const float* a) {
  const size_t i = get_global_id(0);
  const float x = a[i];
  global int* o = out + i * 8;
  o[0] = convert_int_sat(x);
  o[1] = (int)convert_uint_sat(x);
  o[2] = convert_char_sat_rte(x);
  o[3] = convert_uchar_sat_rtz(x);
  o[4] = convert_short_sat_rtp(x);
  o[5] = convert_ushort_sat_rtn(x);
  o[6] = convert_int_sat_rte(x);
  o[7] = (int)convert_uint_sat_rtp(x);
}

kernel void float_to_integer_in_range(global int* out, global long* out64, global const float* a) {
  const size_t i = get_global_id(0);
  const float x = a[i];
  global int* o = out + i * 6;
  o[0] = (int)x;
  o[1] = convert_int_rte(x);
  o[2] = convert_int_rtp(x);
  o[3] = convert_int_rtn(x);
  o[4] = (int)(uint)fabs(x);
  o[5] = (char)(int)x;
  out64[2 * i] = (long)(x * 4096.0f);
  out64[2 * i + 1] = (long)(ulong)fabs(x * 65536.0f);
}

kernel void double_to_integer(global int* out, global long* out64, global const double* a) {
  const size_t i = get_global_id(0);
  const double x = a[i];
  global int* o = out + i * 4;
  o[0] = convert_int_sat(x);
  o[1] = (int)convert_uint_sat(x);
  o[2] = convert_int_sat_rte(x);
  o[3] = convert_short_sat_rtn(x);
  out64[2 * i] = convert_long_sat(x);
  out64[2 * i + 1] = (long)convert_ulong_sat(x);
}

kernel void integer_to_float(global float* out, global const long* a) {
  const size_t i = get_global_id(0);
  const long x = a[i];
  global float* o = out + i * 16;
  o[0] = convert_float((int)x);
  o[1] = convert_float_rtz((int)x);
  o[2] = convert_float_rtp((int)x);
  o[3] = convert_float_rtn((int)x);
  o[4] = convert_float((uint)x);
  o[5] = convert_float_rtz((uint)x);
  o[6] = convert_float_rtp((uint)x);
  o[7] = convert_float_rtn((uint)x);
  o[8] = convert_float(x);
  o[9] = convert_float_rtz(x);
  o[10] = convert_float_rtp(x);
  o[11] = convert_float_rtn(x);
  o[12] = convert_float((ulong)x);
  o[13] = convert_float((uchar)x);
  o[14] = convert_float((short)x);
  o[15] = convert_float((uchar)(x >> 16));
}

kernel void integer_to_double(global double* out, global const long* a) {
  const size_t i = get_global_id(0);
  const long x = a[i];
  global double* o = out + i * 7;
  o[0] = convert_double((int)x);
  o[1] = convert_double((uint)x);
  o[2] = convert_double(x);
  o[3] = convert_double_rtz(x);
  o[4] = convert_double_rtp(x);
  o[5] = convert_double_rtn(x);
  o[6] = convert_double((ulong)x);
}

kernel void double_to_float(global float* out, global double* back, global const double* a) {
  const size_t i = get_global_id(0);
  const double x = a[i];
  global float* o = out + i * 4;
  o[0] = convert_float(x);
  o[1] = convert_float_rtz(x);
  o[2] = convert_float_rtp(x);
  o[3] = convert_float_rtn(x);
  back[i] = (double)o[0];
}

kernel void float_to_half(global half* out, global float* back, global const float* a) {
  const size_t i = get_global_id(0);
  const float x = a[i];
  vstore_half(x, 5 * i, out);
  vstore_half_rte(x, 5 * i + 1, out);
  vstore_half_rtz(x, 5 * i + 2, out);
  vstore_half_rtp(x, 5 * i + 3, out);
  vstore_half_rtn(x, 5 * i + 4, out);
  back[i] = vload_half(5 * i + 1, out);
}

kernel void vector_conversions(global uchar4* bytes, global float4* floats, global short8* shorts,
                               global const float4* a, global const uchar4* b,
                               global const int8* c) {
  const size_t i = get_global_id(0);
  bytes[i] = convert_uchar4_sat(a[i] * 16.0f);
  floats[i] = convert_float4(b[i]) * 0.25f;
  shorts[i] = convert_short8_sat(c[i]);
}

kernel void reinterpret(global uint* out, global const float* f, global const double* d,
                        global const uchar4* b) {
  const size_t i = get_global_id(0);
  const uint2 halves = as_uint2(d[i]);
  out[5 * i] = as_uint(f[i]) ^ 0x80000000u;
  out[5 * i + 1] = halves.x;
  out[5 * i + 2] = halves.y;
  out[5 * i + 3] = as_uint(b[i].wzyx);
  out[5 * i + 4] = as_uint((ushort2)(as_ushort2(f[i]).y, (ushort)b[i].x << 4));
}
