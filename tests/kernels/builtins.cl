// Instructions that only compiler builtins reach.

kernel void alu_bits(global uint* out, global const uint* a, global const uint* b,
                     global const uint* c) {
  const size_t i = get_global_id(0);
  const uint x = a[i], y = b[i], z = c[i];
  global uint* o = out + i * 11;
  o[0] = __builtin_amdgcn_ubfe(x, y & 31, z & 31);
  o[1] = (uint)__builtin_amdgcn_sbfe((int)x, y & 31, z & 31);
  o[2] = __builtin_amdgcn_alignbit(x, y, z);
  o[3] = __builtin_amdgcn_alignbyte(x, y, z & 3);
  o[4] = __builtin_amdgcn_sad_u8(x, y, z);
  o[5] = __builtin_amdgcn_msad_u8(x, y, z);
  o[6] = __builtin_amdgcn_sad_hi_u8(x, y, z);
  o[7] = __builtin_amdgcn_sad_u16(x, y, z);
  o[8] = __builtin_amdgcn_lerp(x, y, z);
  o[9] = min(max(x, y), max(min(x, y), z));                    // v_med3_u32
  o[10] = (uint)max(min((int)x, (int)y), min(max((int)x, (int)y), (int)z));
}

kernel void alu_floats(global float* out, global int* ints, global const float* a,
                       global const float* b, global const float* c, global const float* d) {
  const size_t i = get_global_id(0);
  const float x = a[i], y = b[i], z = c[i], special = d[i];
  global float* o = out + i * 10;
  global int* n = ints + i * 6;
  o[0] = __builtin_amdgcn_fmed3f(x, y, z);
  o[1] = __builtin_amdgcn_fractf(x);
  o[2] = __builtin_amdgcn_frexp_mantf(x);
  o[3] = __builtin_amdgcn_ldexpf(x, (int)z);
  float legacy;
  __asm__("v_mul_legacy_f32 %0, %1, %2"
          : "=v"(legacy)
          : "v"(y > 0 ? special : x), "v"(y > 0 ? 0.0f : y));
  o[4] = legacy;
  o[5] = __builtin_amdgcn_cubeid(x, y, z);
  o[6] = __builtin_amdgcn_cubesc(x, y, z);
  o[7] = __builtin_amdgcn_cubetc(x, y, z);
  o[8] = __builtin_amdgcn_cubema(x, y, z);
  o[9] = clamp(x * 0.25f, 0.0f, 1.0f);
  n[0] = __builtin_amdgcn_frexp_expf(x);
  n[1] = __builtin_amdgcn_classf(special, 0x1f8) + 2 * __builtin_amdgcn_classf(special, 0x108) +
         4 * __builtin_amdgcn_classf(special, 0x204) + 8 * __builtin_amdgcn_classf(special, 0x090) +
         16 * __builtin_amdgcn_classf(special, 0x022) +
         32 * __builtin_amdgcn_classf(special, 0x041);
  n[2] = as_int(__builtin_amdgcn_cvt_pkrtz(x, y));
  n[3] = (int)__builtin_amdgcn_cvt_pk_u8_f32((float)(as_uint(x) & 0xff), 2, 0x11223344u);
  // Only results that need no rounding.
  const float norm = y > 2 ? 1.0f : y < -2 ? -1.5f : 0.0f;
  n[4] = as_int(__builtin_amdgcn_cvt_pknorm_i16(norm, -norm));
  n[5] = as_int(__builtin_amdgcn_cvt_pknorm_u16(norm, -norm));
}

kernel void alu_packs(global uint* out, global const int* a, global const int* b) {
  const size_t i = get_global_id(0);
  out[2 * i] = as_uint(__builtin_amdgcn_cvt_pk_i16(a[i], b[i]));
  out[2 * i + 1] = as_uint(__builtin_amdgcn_cvt_pk_u16((uint)a[i], (uint)b[i]));
}

// The approximate instructions: within 1 ulp of the exact result.
kernel void alu_approximate(global float* out, global double* doubles, global const float* a) {
  const size_t i = get_global_id(0);
  const float x = a[i];
  out[4 * i] = __builtin_amdgcn_rcpf(x);
  out[4 * i + 1] = __builtin_amdgcn_rsqf(x);
  out[4 * i + 2] = __builtin_amdgcn_sqrtf(x);
  out[4 * i + 3] = __builtin_amdgcn_sinf(x) + 2.0f * __builtin_amdgcn_cosf(x);
  doubles[2 * i] = __builtin_amdgcn_rcp((double)x);
  doubles[2 * i + 1] = __builtin_amdgcn_rsq((double)x);
}

kernel void alu_f64(global double* out, global int* ints, global const double* a) {
  const size_t i = get_global_id(0);
  const double x = a[i];
  out[3 * i] = __builtin_amdgcn_frexp_mant(x);
  out[3 * i + 1] = __builtin_amdgcn_fract(x);
  out[3 * i + 2] = __builtin_amdgcn_ldexp(x, (int)i - 100);
  ints[2 * i] = __builtin_amdgcn_frexp_exp(x);
  ints[2 * i + 1] = __builtin_amdgcn_class(x, 0x3c);
}

// A counter in local memory that whole waves move (ds_append, ds_consume).
kernel void lds_append(global int* out) {
  local int counter;
  if (get_local_id(0) == 0) counter = 1000;
  barrier(CLK_LOCAL_MEM_FENCE);
  int first = -1;
  if (get_local_id(0) % 3 == 0) first = __builtin_amdgcn_ds_append(&counter);
  int second = __builtin_amdgcn_ds_consume(&counter);
  out[2 * get_global_id(0)] = first;
  out[2 * get_global_id(0) + 1] = second;
}

kernel void hardware_state(global uint* out) {
  const size_t i = get_global_id(0);
  const ulong before = __builtin_readcyclecounter();
  __builtin_amdgcn_s_sleep(1);
  const ulong after = __builtin_readcyclecounter();
  constant ushort* packet = (constant ushort*)__builtin_amdgcn_dispatch_ptr();
  out[6 * i] = after > before;
  out[6 * i + 1] = packet[2];  // workgroup_size_x
  out[6 * i + 2] = ((constant uint*)packet)[3];  // grid_size_x
  out[6 * i + 3] = __builtin_amdgcn_groupstaticsize();
  // MODE: what the kernel descriptor set up; f64 and f16 denormals are kept.
  out[6 * i + 4] = __builtin_amdgcn_s_getreg((2 - 1) << 11 | 6 << 6 | 1);
  out[6 * i + 5] = __builtin_amdgcn_s_getreg((4 - 1) << 11 | 0 << 6 | 1);
}

#if GENERATION >= 8
// All rounding modes: s_setreg on MODE takes effect, for f32 and f64. In one piece of assembly,
// since compilers move arithmetic across changes of the mode.
#define IN_MODE(mode, product, sum)                                       \
  __asm__ volatile("s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 4), " mode   \
                   "\n\ts_nop 1\n\tv_mul_f32 %0, %2, %3\n\t"              \
                   "v_fma_f64 %1, %4, %5, %5\n\t"                         \
                   "s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 4), 0\n\t"   \
                   "s_nop 1"                                              \
                   : "=&v"(product), "=&v"(sum)                           \
                   : "v"(x), "v"(y), "v"(dx), "v"(dy))

kernel void rounding_modes(global float* out, global double* doubles, global const float* a,
                           global const float* b) {
  const size_t i = get_global_id(0);
  const float x = a[i], y = b[i];
  const double dx = x, dy = y;
  float r[4];
  double d[4];
  IN_MODE("0", r[0], d[0]);
  IN_MODE("5", r[1], d[1]);
  IN_MODE("10", r[2], d[2]);
  IN_MODE("15", r[3], d[3]);
  for (int mode = 0; mode < 4; ++mode) {
    out[4 * i + mode] = r[mode];
    doubles[4 * i + mode] = d[mode];
  }
}

kernel void alu_perm(global uint* out, global const uint* a, global const uint* b,
                     global const uint* c) {
  const size_t i = get_global_id(0);
  out[i] = __builtin_amdgcn_perm(a[i], b[i], c[i]);
}

// Sub-dword operands and 16-bit integer arithmetic (SDWA on gfx8 and gfx9, VOP3P on gfx9).
kernel void alu_16bit(global ushort* out, global short* sout, global const ushort* a,
                      global const ushort* b) {
  const size_t i = get_global_id(0);
  const ushort x = a[i], y = b[i];
  global ushort* o = out + i * 9;
  o[0] = x + y;
  o[1] = x - y;
  o[2] = x * y;
  o[3] = x * y + x;
  o[4] = x << (y & 15);
  o[5] = x >> (y & 15);
  o[6] = max(x, y);
  o[7] = min(x, y);
  o[8] = (uchar)x + (uchar)(y >> 8) * (uchar)(x >> 8);
  sout[3 * i] = (short)x >> (y & 15);
  sout[3 * i + 1] = max((short)x, (short)y);
  sout[3 * i + 2] = min((short)(x + 1), (short)y);
}
#endif

#if GENERATION >= 9
kernel void packed_16bit(global short2* out, global ushort2* uout, global const short2* a,
                         global const short2* b) {
  const size_t i = get_global_id(0);
  const short2 x = a[i], y = b[i];
  const ushort2 ux = as_ushort2(x), uy = as_ushort2(y);
  out[6 * i] = x + y.yx;
  out[6 * i + 1] = x - y;
  out[6 * i + 2] = x * y + x.yx;
  out[6 * i + 3] = max(x, y);
  out[6 * i + 4] = min(x, (short2)(y.x, y.x));
  out[6 * i + 5] = x >> (y & (short2)15);
  uout[4 * i] = max(ux, uy);
  uout[4 * i + 1] = min(ux, uy.yx);
  uout[4 * i + 2] = ux >> (uy & (ushort2)15);
  uout[4 * i + 3] = add_sat(ux, uy);
}
#endif

#if defined(__gfx906__) || defined(__gfx908__) || defined(__gfx90a__) || defined(__gfx942__)
kernel void dot_products(global int* out, global float* floats, global const int* a,
                         global const int* b) {
  const size_t i = get_global_id(0);
  const int x = a[i], y = b[i];
  global int* o = out + i * 8;
  o[0] = __builtin_amdgcn_sdot4(x, y, 1000, false);
  o[1] = (int)__builtin_amdgcn_udot4((uint)x, (uint)y, 1000u, false);
  o[2] = __builtin_amdgcn_sdot8(x, y, -5, false);
  o[3] = (int)__builtin_amdgcn_udot8((uint)x, (uint)y, 7u, false);
  o[4] = __builtin_amdgcn_sdot2(as_short2(x), as_short2(y), 3, false);
  o[5] = (int)__builtin_amdgcn_udot2(as_ushort2(x), as_ushort2(y), 3u, false);
  o[6] = __builtin_amdgcn_sdot4(x, y, 0x7fffff00, true);
  o[7] = (int)__builtin_amdgcn_udot4((uint)x, (uint)y, 0xffff0000u, true);
  const half2 h = convert_half2(as_char4(x).xy), k = convert_half2(as_char4(y).xy);
  floats[i] = __builtin_amdgcn_fdot2(h, k, 0.5f, false);
}
#endif

#if defined(__gfx908__) || defined(__gfx90a__)
// Products of a wave: a[32][8] * b[8][32]; x[16][16] * y[16][16], of bytes and of the same as
// halves, where y's columns are stored one after another.
kernel void matrix_products(global float* out, global float* halves, global int* bytes,
                            global const float* a, global const float* b, global const int* x,
                            global const int* y) {
  const size_t wave = get_group_id(0);
  const size_t lane = get_local_id(0);
  a += wave * 32 * 8, b += wave * 8 * 32, out += wave * 32 * 32;
  float16 sum = 0;
  for (size_t k = lane / 32; k < 8; k += 2) {
    sum = __builtin_amdgcn_mfma_f32_32x32x2f32(a[lane % 32 * 8 + k], b[k * 32 + lane % 32], sum, 0,
                                               0, 0);
  }
  float of_lane[16];
  vstore16(sum, 0, of_lane);
  for (size_t n = 0; n < 16; ++n) {
    out[(n / 4 * 8 + lane / 32 * 4 + n % 4) * 32 + lane % 32] = of_lane[n];
  }

  const size_t column = lane % 16, first = lane / 16 * 4;
  const int rows = x[wave * 64 + column * 4 + lane / 16];
  const int columns = y[wave * 64 + column * 4 + lane / 16];
  const int4 of_bytes = __builtin_amdgcn_mfma_i32_16x16x16i8(rows, columns, (int4)(7), 0, 0, 0);
  const float4 of_halves = __builtin_amdgcn_mfma_f32_16x16x16f16(
      convert_half4(as_char4(rows)), convert_half4(as_char4(columns)), (float4)(7), 0, 0, 0);
  const int* ints = (const int*)&of_bytes;
  const float* floats = (const float*)&of_halves;
  for (size_t n = 0; n < 4; ++n) {
    const size_t at = wave * 256 + (first + n) * 16 + column;
    bytes[at] = ints[n];
    halves[at] = floats[n];
  }
}
// a[64][48] * b[48][64] by four waves, each of which has a quarter of the result and adds up what
// all of them have put into LDS.
kernel void matrix_tiles(global float* out, global const float* a, global const float* b) {
  local float rows[16][65], columns[16][65];
  const size_t item = get_local_id(0), lane = item % 64;
  const size_t row = item / 128 * 32, column = item / 64 % 2 * 32;
  a += get_group_id(0) * 64 * 48, b += get_group_id(0) * 48 * 64, out += get_group_id(0) * 64 * 64;
  float16 sum = 0;
  for (size_t first = 0; first < 48; first += 16) {
    for (size_t n = item; n < 16 * 64; n += 256) {
      rows[n % 16][n / 16] = a[n / 16 * 48 + first + n % 16];
      columns[n / 64][n % 64] = b[(first + n / 64) * 64 + n % 64];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll
    for (size_t k = 0; k < 16; k += 2) {
      sum = __builtin_amdgcn_mfma_f32_32x32x2f32(rows[k + lane / 32][row + lane % 32],
                                                 columns[k + lane / 32][column + lane % 32], sum, 0,
                                                 0, 0);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  float of_lane[16];
  vstore16(sum, 0, of_lane);
  for (size_t n = 0; n < 16; ++n) {
    out[(row + n / 4 * 8 + lane / 32 * 4 + n % 4) * 64 + column + lane % 32] = of_lane[n];
  }
}
#endif
