#include <cmath>

#include "wide/kinds.h"

namespace gcnjit::bench::wide {
namespace {

uint32_t Rol(uint32_t x, int n) { return x << n | x >> (32 - n); }

void XxhashLike(uint32_t* out, const uint32_t* in, uint32_t seed, int n) {
  for (int i = 0; i < n; ++i) {
    uint32_t v[4] = {seed + 0x9E3779B1u + 0x85EBCA77u, seed + 0x85EBCA77u, seed,
                     seed - 0x9E3779B1u};
    for (int k = 0; k < 16; ++k) {
      v[k & 3] = Rol(v[k & 3] + in[i * 16 + k] * 0x85EBCA77u, 13) * 0x9E3779B1u;
    }
    uint32_t h = Rol(v[0], 1) + Rol(v[1], 7) + Rol(v[2], 12) + Rol(v[3], 18) + 64;
    h = (h ^ h >> 15) * 0x85EBCA77u;
    h = (h ^ h >> 13) * 0xC2B2AE3Du;
    out[i] = h ^ h >> 16;
  }
}

struct Md5Table {
  uint32_t k[64];
  Md5Table() {
    for (int i = 0; i < 64; ++i) {
      k[i] = static_cast<uint32_t>(std::floor(std::fabs(std::sin(i + 1.0)) * 4294967296.0));
    }
  }
};

void Md5(uint32_t* out, const uint32_t* in, int n) {
  static const Md5Table table;
  static const int turns[16] = {7, 12, 17, 22, 5, 9, 14, 20, 4, 11, 16, 23, 6, 10, 15, 21};
  for (int i = 0; i < n; ++i, in += 16) {
    uint32_t a = 0x67452301, b = 0xefcdab89, c = 0x98badcfe, d = 0x10325476;
    const auto round = [&](int r, uint32_t f, int g) {
      const uint32_t next = b + Rol(a + f + table.k[r] + in[g & 15], turns[r / 16 * 4 + (r & 3)]);
      a = d;
      d = c;
      c = b;
      b = next;
    };
    for (int r = 0; r < 16; ++r) round(r, (b & c) | (~b & d), r);
    for (int r = 16; r < 32; ++r) round(r, (d & b) | (~d & c), 5 * r + 1);
    for (int r = 32; r < 48; ++r) round(r, b ^ c ^ d, 3 * r + 5);
    for (int r = 48; r < 64; ++r) round(r, c ^ (b | ~d), 7 * r);
    out[i * 4] = a + 0x67452301;
    out[i * 4 + 1] = b + 0xefcdab89;
    out[i * 4 + 2] = c + 0x98badcfe;
    out[i * 4 + 3] = d + 0x10325476;
  }
}

void Sha1(uint32_t* out, const uint32_t* in, int n) {
  for (int i = 0; i < n; ++i) {
    uint32_t w[80];
    for (int k = 0; k < 16; ++k) w[k] = in[k * n + i];
    for (int k = 16; k < 80; ++k) w[k] = Rol(w[k - 3] ^ w[k - 8] ^ w[k - 14] ^ w[k - 16], 1);
    uint32_t a = 0x67452301, b = 0xefcdab89, c = 0x98badcfe, d = 0x10325476, e = 0xc3d2e1f0;
    const auto round = [&](int r, uint32_t f, uint32_t k) {
      const uint32_t next = Rol(a, 5) + f + e + k + w[r];
      e = d;
      d = c;
      c = Rol(b, 30);
      b = a;
      a = next;
    };
    for (int r = 0; r < 20; ++r) round(r, (b & c) | (~b & d), 0x5a827999);
    for (int r = 20; r < 40; ++r) round(r, b ^ c ^ d, 0x6ed9eba1);
    for (int r = 40; r < 60; ++r) round(r, (b & c) | (b & d) | (c & d), 0x8f1bbcdc);
    for (int r = 60; r < 80; ++r) round(r, b ^ c ^ d, 0xca62c1d6);
    out[i] = a + 0x67452301;
    out[n + i] = b + 0xefcdab89;
    out[2 * n + i] = c + 0x98badcfe;
    out[3 * n + i] = d + 0x10325476;
    out[4 * n + i] = e + 0xc3d2e1f0;
  }
}

void AesTables(uint32_t* data, const uint32_t* t, const uint32_t* keys, int n) {
  for (int i = 0; i < n; ++i) {
    uint32_t s[4];
    for (int k = 0; k < 4; ++k) s[k] = data[i * 4 + k] ^ keys[k];
    for (int r = 1; r <= 10; ++r) {
      uint32_t x[4];
      for (int k = 0; k < 4; ++k) {
        x[k] = t[s[k] & 255] ^ t[256 + (s[(k + 1) & 3] >> 8 & 255)] ^
               t[512 + (s[(k + 2) & 3] >> 16 & 255)] ^ t[768 + (s[(k + 3) & 3] >> 24)] ^
               keys[r * 4 + k];
      }
      for (int k = 0; k < 4; ++k) s[k] = x[k];
    }
    for (int k = 0; k < 4; ++k) data[i * 4 + k] = s[k];
  }
}

void ChaCha20(uint32_t* data, const uint32_t* key, int n) {
  for (int i = 0; i < n; ++i, data += 16) {
    uint32_t s[16] = {0x61707865, 0x3320646e, 0x79622d32, 0x6b206574}, x[16];
    for (int k = 0; k < 8; ++k) s[4 + k] = key[k];
    s[12] = static_cast<uint32_t>(i);
    for (int k = 13; k < 16; ++k) s[k] = key[k - 5];
    for (int k = 0; k < 16; ++k) x[k] = s[k];
    const auto quarter = [&x](int a, int b, int c, int d) {
      x[a] += x[b], x[d] = Rol(x[d] ^ x[a], 16), x[c] += x[d], x[b] = Rol(x[b] ^ x[c], 12);
      x[a] += x[b], x[d] = Rol(x[d] ^ x[a], 8), x[c] += x[d], x[b] = Rol(x[b] ^ x[c], 7);
    };
    for (int r = 0; r < 10; ++r) {
      for (int k = 0; k < 4; ++k) quarter(k, 4 + k, 8 + k, 12 + k);
      for (int k = 0; k < 4; ++k) {
        quarter(k, 4 + (k + 1) % 4, 8 + (k + 2) % 4, 12 + (k + 3) % 4);
      }
    }
    for (int k = 0; k < 16; ++k) data[k] ^= x[k] + s[k];
  }
}

void Crc32(uint32_t* out, const uint8_t* in, const uint32_t* table, int n) {
  for (int i = 0; i < n; ++i, in += 64) {
    uint32_t crc = 0xFFFFFFFF;
    for (int k = 0; k < 64; ++k) crc = crc >> 8 ^ table[(crc ^ in[k]) & 255];
    out[i] = ~crc;
  }
}

void FnvWords(uint32_t* out, const uint8_t* in, const int* length, int n) {
  for (int i = 0; i < n; ++i) {
    uint32_t h = 2166136261u;
    for (int k = 0; k < length[i]; ++k) h = (h ^ in[i * 16 + k]) * 16777619u;
    out[i] = h;
  }
}

constexpr auto CrcTable = [](size_t i, size_t, uint64_t) {
  auto crc = static_cast<uint32_t>(i);
  for (int bit = 0; bit < 8; ++bit) crc = crc >> 1 ^ ((crc & 1) != 0 ? 0xEDB88320 : 0);
  return crc;
};
constexpr auto Lengths = [](size_t, size_t, uint64_t r) { return 1 + r % 16; };

// clang-format off
constexpr Row kRows[] = {
    {"xxhash_like", Native<XxhashLike>, {2001, 16001, 1000001}, Items(N, 256),
     {Out<uint32_t>(N), In<uint32_t>(16 * N, Bits), Number<uint32_t>(2654435), Number(N)}},
    {"md5", Native<Md5>, {1001, 16001, 400001}, Items(N, 64),
     {Out<uint32_t>(4 * N), In<uint32_t>(16 * N, Bits), Number(N)}},
    {"sha1", Native<Sha1>, {1001, 16001, 200001}, Items(N, 64),
     {Out<uint32_t>(5 * N), In<uint32_t>(16 * N, Bits), Number(N)}},
    {"aes_tables", Native<AesTables>, {1001, 20001, 1000001}, Items(N, 256),
     {InOut<uint32_t>(4 * N, Bits), In<uint32_t>(1024, Bits), In<uint32_t>(44, Bits), Number(N)}},
    {"chacha20", Native<ChaCha20>, {1001, 16001, 500001}, Items(N, 64),
     {InOut<uint32_t>(16 * N, Bits), In<uint32_t>(11, Bits), Number(N)}},
    {"crc32", Native<Crc32>, {1001, 8001, 400001}, Items(N, 64),
     {Out<uint32_t>(N), In<uint8_t>(64 * N, Bits), In<uint32_t>(256, CrcTable), Number(N)}},
    {"fnv_words", Native<FnvWords>, {4001, 30001, 1500001}, Items(N, 256),
     {Out<uint32_t>(N), In<uint8_t>(16 * N, Bits), In<int>(N, Lengths), Number(N)}},
};
// clang-format on

}  // namespace

const Rows kHash = RowsOf(kRows);

}  // namespace gcnjit::bench::wide
