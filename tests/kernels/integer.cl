// Integer arithmetic of all widths. Everything is exact.

kernel void int_arithmetic(global uint* out, global const uint* a, global const uint* b) {
  const size_t i = get_global_id(0);
  const uint x = a[i], y = b[i];
  const int sx = (int)x, sy = (int)y;
  global uint* o = out + i * 16;
  o[0] = x + y;
  o[1] = x - y;
  o[2] = x * y;
  o[3] = mul_hi(x, y);
  o[4] = (uint)mul_hi(sx, sy);
  o[5] = mad24(x & 0xffffffu, y & 0xffffffu, x);
  o[6] = (uint)mul24((sx << 8) >> 8, (sy << 8) >> 8);
  o[7] = abs_diff(x, y);
  o[8] = abs_diff(sx >> 1, sy >> 1);  // the library's own subtraction must not overflow
  o[9] = hadd(x, y);
  o[10] = (uint)rhadd(sx, sy);
  o[11] = max(min(x, y), x ^ y);
  o[12] = (uint)clamp(sx, min(sy, 100), max(sy, 100));
  o[13] = abs(sx);
  o[14] = mad_hi(x, y, x);
  o[15] = (x + 3u) * 5u - (y << 2);
}

kernel void int_saturating(global long* out, global const ulong* a, global const ulong* b) {
  const size_t i = get_global_id(0);
  global long* o = out + i * 14;
  const ulong x = a[i], y = b[i];
  o[0] = add_sat((char)x, (char)y);
  o[1] = sub_sat((char)x, (char)y);
  o[2] = add_sat((uchar)x, (uchar)y);
  o[3] = sub_sat((ushort)x, (ushort)y);
  o[4] = add_sat((short)x, (short)y);
  o[5] = add_sat((int)x, (int)y);
  o[6] = sub_sat((int)x, (int)y);
  o[7] = add_sat((uint)x, (uint)y);
  o[8] = sub_sat((uint)x, (uint)y);
  o[9] = add_sat((long)x, (long)y);
  o[10] = sub_sat((long)x, (long)y);
  o[11] = (long)add_sat(x, y);
  o[12] = (long)sub_sat(x, y);
  o[13] = mad_sat((int)x, (int)y, (int)(x >> 32));
}

kernel void int_bits(global uint* out, global const uint* a, global const uint* b) {
  const size_t i = get_global_id(0);
  const uint x = a[i], y = b[i];
  global uint* o = out + i * 16;
  o[0] = x << (y & 31);
  o[1] = x >> (y & 31);
  o[2] = (uint)((int)x >> (y & 31));
  o[3] = rotate(x, y);
  o[4] = clz(x);
  o[5] = popcount(x);
  o[6] = x == 0 ? 77 : (uint)__builtin_ctz(x);
  o[7] = bitselect(x, y, 0x00ff0ff0u);
  o[8] = __builtin_bitreverse32(x);
  o[9] = (x & y) ^ (x | ~y);
  o[10] = (x >> 5) & 0x7f;
  o[11] = (uint)((int)(x << 9) >> 20);
  o[12] = upsample((ushort)x, (ushort)y);
  o[13] = __builtin_bswap32(x);
  o[14] = (x & 0xff00u) | (y & ~0xff00u);
  o[15] = __builtin_rotateright32(x, y & 31) + (uint)clz((ushort)y);
}

kernel void int_divide32(global uint* out, global const uint* a, global const uint* b) {
  const size_t i = get_global_id(0);
  const uint x = a[i], y = b[i] == 0 ? 3 : b[i];
  const int sx = (int)x, sy = (int)(x == 0x80000000u && y == 0xffffffffu ? 7 : y);
  global uint* o = out + i * 8;
  o[0] = x / y;
  o[1] = x % y;
  o[2] = (uint)(sx / sy);
  o[3] = (uint)(sx % sy);
  o[4] = x / 7;
  o[5] = (uint)(sx % 1000);
  o[6] = (uint)(sx / -16);
  o[7] = (uint)((uchar)x / (uchar)(y | 1)) + (uint)((short)sx / (short)((sy & 0x7ff) | 1));
}

kernel void int_divide64(global ulong* out, global const ulong* a, global const ulong* b) {
  const size_t i = get_global_id(0);
  const ulong x = a[i], y = b[i] == 0 ? 3 : b[i];
  const long sx = (long)x;
  const long sy = (long)(x == 0x8000000000000000ul && y == ~0ul ? 7 : y);
  global ulong* o = out + i * 8;
  o[0] = x / y;
  o[1] = x % y;
  o[2] = (ulong)(sx / sy);
  o[3] = (ulong)(sx % sy);
  o[4] = x / 1000000007ul;
  o[5] = (ulong)(sx % 12345);
  o[6] = x / (uint)(y | 1);
  o[7] = (ulong)(sx / 64);
}

kernel void long_arithmetic(global ulong* out, global const ulong* a, global const ulong* b) {
  const size_t i = get_global_id(0);
  const ulong x = a[i], y = b[i];
  const long sx = (long)x, sy = (long)y;
  global ulong* o = out + i * 20;
  o[0] = x + y;
  o[1] = x - y;
  o[2] = x * y;
  o[3] = mul_hi(x, y);
  o[4] = (ulong)mul_hi(sx, sy);
  o[5] = x << (y & 63);
  o[6] = x >> (y & 63);
  o[7] = (ulong)(sx >> (y & 63));
  o[8] = rotate(x, y);
  o[9] = clz(x);
  o[10] = popcount(x);
  o[11] = min(x, y);
  o[12] = (ulong)max(sx, sy);
  o[13] = abs_diff(x, y);
  o[14] = (ulong)hadd(sx, sy);
  o[15] = (x < y) + 2 * (sx < sy) + 4 * (x == y) + 8 * (sx >= sy) + 16 * (x > y) + 32 * (x != y);
  o[16] = (ulong)(uint)x * (uint)y + x;
  o[17] = (ulong)((long)(int)x * (int)y - sy);
  o[18] = ((x & y) | (~x & (y >> 3))) ^ (x << 7);
  o[19] = x == 0 ? 64 : (ulong)__builtin_ctzl(x);
}

kernel void int_narrow(global char4* out8, global short2* out16, global uchar* sums,
                       global const char4* a8, global const short2* a16) {
  const size_t i = get_global_id(0);
  const char4 c = a8[i];
  const short2 s = a16[i];
  out8[i] = (char4)((char)(c.x + c.y), (char)(c.y * c.z), (char)(c.z >> 2), (char)(c.w - c.x));
  out16[i] = (short2)((short)(s.x * s.y), (short)(s.x << 3)) - (short2)(c.x, c.w);
  sums[i] = (uchar)((uchar)c.x + (uchar)c.y + (uchar)(s.x >> 8)) >> 1;
}

kernel void int_compare_select(global int4* out, global const int4* a, global const int4* b) {
  const size_t i = get_global_id(0);
  const int4 x = a[i], y = b[i];
  const int4 less = x < y;
  int4 r = select(x, y, less);
  r += (x == y) * 3;
  if (any(x > 1000000000)) r ^= 0x55;
  if (all(y < 0)) r = ~r;
  out[i] = r + (convert_int4(convert_uint4(x) < convert_uint4(y)) & 16);
}

kernel void int_shuffle(global uchar16* out, global const uchar16* a, global const uchar16* masks) {
  const size_t i = get_global_id(0);
  const uchar16 v = a[i];
  const uchar16 w = a[i].sfedcba9876543210;
  out[2 * i] = shuffle2(v, w, masks[i]);
  out[2 * i + 1] = (uchar16)(v.even, v.odd) + (uchar16)(w.hi.lo, v.lo.hi, w.s0246, v.s1357);
}

// Carry chains over four words: a 128-bit sum, difference and product by hand.
kernel void int_wide(global uint4* out, global const uint4* a, global const uint4* b) {
  const size_t i = get_global_id(0);
  const uint4 x = a[i], y = b[i];
  ulong carry = (ulong)x.x + y.x;
  uint4 sum;
  sum.x = (uint)carry;
  carry = (carry >> 32) + x.y + y.y;
  sum.y = (uint)carry;
  carry = (carry >> 32) + x.z + y.z;
  sum.z = (uint)carry;
  carry = (carry >> 32) + x.w + y.w;
  sum.w = (uint)carry;
  uint xs[4] = {x.x, x.y, x.z, x.w}, ys[4] = {y.x, y.y, y.z, y.w}, product[4] = {0, 0, 0, 0};
  for (int j = 0; j < 4; ++j) {
    ulong c = 0;
    for (int k = 0; j + k < 4; ++k) {
      c += (ulong)xs[j] * ys[k] + product[j + k];
      product[j + k] = (uint)c;
      c >>= 32;
    }
  }
  out[2 * i] = sum;
  out[2 * i + 1] = (uint4)(product[0], product[1], product[2], product[3]);
}
