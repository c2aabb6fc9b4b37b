// Hashes and ciphers, a message or a block a work-item.

#define ROL(x, n) rotate((uint)(x), (uint)(n))

// After xxHash32's rounds: 64 bytes a message.
kernel void xxhash_like(global uint* out, global const uint* in, uint seed, int n) {
  int i = get_global_id(0);
  if (i >= n) return;
  uint v[4] = {seed + 0x9E3779B1u + 0x85EBCA77u, seed + 0x85EBCA77u, seed, seed - 0x9E3779B1u};
  for (int k = 0; k < 16; k++) v[k & 3] = ROL(v[k & 3] + in[i * 16 + k] * 0x85EBCA77u, 13) * 0x9E3779B1u;
  uint h = ROL(v[0], 1) + ROL(v[1], 7) + ROL(v[2], 12) + ROL(v[3], 18) + 64;
  h = (h ^ h >> 15) * 0x85EBCA77u;
  h = (h ^ h >> 13) * 0xC2B2AE3Du;
  out[i] = h ^ h >> 16;
}

constant uint md5_k[64] = {
    0xd76aa478, 0xe8c7b756, 0x242070db, 0xc1bdceee, 0xf57c0faf, 0x4787c62a, 0xa8304613, 0xfd469501,
    0x698098d8, 0x8b44f7af, 0xffff5bb1, 0x895cd7be, 0x6b901122, 0xfd987193, 0xa679438e, 0x49b40821,
    0xf61e2562, 0xc040b340, 0x265e5a51, 0xe9b6c7aa, 0xd62f105d, 0x02441453, 0xd8a1e681, 0xe7d3fbc8,
    0x21e1cde6, 0xc33707d6, 0xf4d50d87, 0x455a14ed, 0xa9e3e905, 0xfcefa3f8, 0x676f02d9, 0x8d2a4c8a,
    0xfffa3942, 0x8771f681, 0x6d9d6122, 0xfde5380c, 0xa4beea44, 0x4bdecfa9, 0xf6bb4b60, 0xbebfbc70,
    0x289b7ec6, 0xeaa127fa, 0xd4ef3085, 0x04881d05, 0xd9d4d039, 0xe6db99e5, 0x1fa27cf8, 0xc4ac5665,
    0xf4292244, 0x432aff97, 0xab9423a7, 0xfc93a039, 0x655b59c3, 0x8f0ccc92, 0xffeff47d, 0x85845dd1,
    0x6fa87e4f, 0xfe2ce6e0, 0xa3014314, 0x4e0811a1, 0xf7537e82, 0xbd3af235, 0x2ad7d2bb, 0xeb86d391};
constant uint md5_s[16] = {7, 12, 17, 22, 5, 9, 14, 20, 4, 11, 16, 23, 6, 10, 15, 21};

// One block of 64 bytes.
kernel void md5(global uint* out, global const uint* in, int n) {
  int i = get_global_id(0);
  if (i >= n) return;
  uint a = 0x67452301, b = 0xefcdab89, c = 0x98badcfe, d = 0x10325476;
  for (int r = 0; r < 64; r++) {
    uint f;
    int g;
    if (r < 16) {
      f = (b & c) | (~b & d);
      g = r;
    } else if (r < 32) {
      f = (d & b) | (~d & c);
      g = (5 * r + 1) & 15;
    } else if (r < 48) {
      f = b ^ c ^ d;
      g = (3 * r + 5) & 15;
    } else {
      f = c ^ (b | ~d);
      g = 7 * r & 15;
    }
    uint next = b + ROL(a + f + md5_k[r] + in[i * 16 + g], md5_s[r / 16 * 4 + (r & 3)]);
    a = d;
    d = c;
    c = b;
    b = next;
  }
  out[i * 4] = a + 0x67452301;
  out[i * 4 + 1] = b + 0xefcdab89;
  out[i * 4 + 2] = c + 0x98badcfe;
  out[i * 4 + 3] = d + 0x10325476;
}

// One block, with its 16 words in a private array that goes round.
kernel void sha1(global uint* out, global const uint* in, int n) {
  int i = get_global_id(0);
  if (i >= n) return;
  uint w[16];
  for (int k = 0; k < 16; k++) w[k] = in[k * n + i];
  uint a = 0x67452301, b = 0xefcdab89, c = 0x98badcfe, d = 0x10325476, e = 0xc3d2e1f0;
  for (int r = 0; r < 80; r++) {
    if (r >= 16) w[r & 15] = ROL(w[(r + 13) & 15] ^ w[(r + 8) & 15] ^ w[(r + 2) & 15] ^ w[r & 15], 1);
    uint f, k;
    if (r < 20) {
      f = (b & c) | (~b & d);
      k = 0x5a827999;
    } else if (r < 40) {
      f = b ^ c ^ d;
      k = 0x6ed9eba1;
    } else if (r < 60) {
      f = (b & c) | (b & d) | (c & d);
      k = 0x8f1bbcdc;
    } else {
      f = b ^ c ^ d;
      k = 0xca62c1d6;
    }
    uint next = ROL(a, 5) + f + e + k + w[r & 15];
    e = d;
    d = c;
    c = ROL(b, 30);
    b = a;
    a = next;
  }
  out[i] = a + 0x67452301;
  out[n + i] = b + 0xefcdab89;
  out[2 * n + i] = c + 0x98badcfe;
  out[3 * n + i] = d + 0x10325476;
  out[4 * n + i] = e + 0xc3d2e1f0;
}

// Ten rounds as AES has them, with four tables of 256 in LDS; the tables are arguments.
kernel __attribute__((reqd_work_group_size(256, 1, 1)))
void aes_tables(global uint4* data, global const uint* tables, global const uint4* keys, int n) {
  local uint t[1024];
  int lane = get_local_id(0), i = get_global_id(0);
  for (int k = lane; k < 1024; k += 256) t[k] = tables[k];
  barrier(CLK_LOCAL_MEM_FENCE);
  if (i >= n) return;
  uint4 s = data[i] ^ keys[0];
  for (int r = 1; r <= 10; r++) {
    uint4 k = keys[r];
    uint4 x;
    x.x = t[s.x & 255] ^ t[256 + (s.y >> 8 & 255)] ^ t[512 + (s.z >> 16 & 255)] ^ t[768 + (s.w >> 24)] ^ k.x;
    x.y = t[s.y & 255] ^ t[256 + (s.z >> 8 & 255)] ^ t[512 + (s.w >> 16 & 255)] ^ t[768 + (s.x >> 24)] ^ k.y;
    x.z = t[s.z & 255] ^ t[256 + (s.w >> 8 & 255)] ^ t[512 + (s.x >> 16 & 255)] ^ t[768 + (s.y >> 24)] ^ k.z;
    x.w = t[s.w & 255] ^ t[256 + (s.x >> 8 & 255)] ^ t[512 + (s.y >> 16 & 255)] ^ t[768 + (s.z >> 24)] ^ k.w;
    s = x;
  }
  data[i] = s;
}

#define QUARTER(a, b, c, d)                                            \
  a += b; d = ROL(d ^ a, 16); c += d; b = ROL(b ^ c, 12);              \
  a += b; d = ROL(d ^ a, 8); c += d; b = ROL(b ^ c, 7);

// ChaCha20: 64 bytes of key stream a work-item, onto the data.
kernel void chacha20(global uint* data, global const uint* key, int n) {
  int i = get_global_id(0);
  if (i >= n) return;
  uint s[16], x[16];
  s[0] = 0x61707865;
  s[1] = 0x3320646e;
  s[2] = 0x79622d32;
  s[3] = 0x6b206574;
  for (int k = 0; k < 8; k++) s[4 + k] = key[k];
  s[12] = i;
  for (int k = 13; k < 16; k++) s[k] = key[k - 5];
  for (int k = 0; k < 16; k++) x[k] = s[k];
  for (int r = 0; r < 10; r++) {
    QUARTER(x[0], x[4], x[8], x[12])
    QUARTER(x[1], x[5], x[9], x[13])
    QUARTER(x[2], x[6], x[10], x[14])
    QUARTER(x[3], x[7], x[11], x[15])
    QUARTER(x[0], x[5], x[10], x[15])
    QUARTER(x[1], x[6], x[11], x[12])
    QUARTER(x[2], x[7], x[8], x[13])
    QUARTER(x[3], x[4], x[9], x[14])
  }
  for (int k = 0; k < 16; k++) data[i * 16 + k] ^= x[k] + s[k];
}

// CRC-32 of blocks of 64 bytes, byte by byte, with a table.
kernel void crc32(global uint* out, global const uchar* in, global const uint* table, int n) {
  int i = get_global_id(0);
  if (i >= n) return;
  uint crc = 0xFFFFFFFF;
  for (int k = 0; k < 64; k++) crc = crc >> 8 ^ table[(crc ^ in[i * 64 + k]) & 255];
  out[i] = ~crc;
}

// FNV-1a of words of up to 16 letters.
kernel void fnv_words(global uint* out, global const uchar* in, global const int* length, int n) {
  int i = get_global_id(0);
  if (i >= n) return;
  uint h = 2166136261u;
  for (int k = 0; k < length[i]; k++) h = (h ^ in[i * 16 + k]) * 16777619u;
  out[i] = h;
}
