// Native SHA-256 compressions, one a lane.
#include <cstring>
#include <utility>

#include "native/native.h"
#include "native/vector.h"

namespace gcnjit::bench::native {
namespace {

constexpr uint32_t kRound[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};
constexpr uint32_t kInitial[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                  0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};

template <int Bits>
Words RotateRight(Words value) {
  return value >> Bits | value << (32 - Bits);
}

// Round J; the roles of the eight words of the state turn with J, so nothing is moved.
template <int J>
[[gnu::always_inline]] inline void Round(Words (&state)[8], Words (&w)[16]) {
  const auto word = [&](int index) -> Words& { return state[(index + 64 - J) & 7]; };
  if constexpr (J >= 16) {
    const Words w1 = w[(J + 1) & 15], w14 = w[(J + 14) & 15];
    w[J & 15] += (RotateRight<7>(w1) ^ RotateRight<18>(w1) ^ w1 >> 3) + w[(J + 9) & 15] +
                 (RotateRight<17>(w14) ^ RotateRight<19>(w14) ^ w14 >> 10);
  }
  const Words a = word(0), b = word(1), c = word(2), e = word(4), f = word(5), g = word(6);
  const Words t1 = word(7) + (RotateRight<6>(e) ^ RotateRight<11>(e) ^ RotateRight<25>(e)) +
                   ((e & f) | (~e & g)) + kRound[J] + w[J & 15];
  const Words t2 =
      (RotateRight<2>(a) ^ RotateRight<13>(a) ^ RotateRight<22>(a)) + ((a & b) | ((a | b) & c));
  word(3) += t1;
  word(7) = t1 + t2;
}

template <int... J>
[[gnu::always_inline]] inline void Rounds(Words (&state)[8], Words (&w)[16],
                                          std::integer_sequence<int, J...>) {
  (Round<J>(state, w), ...);
}

}  // namespace

void Sha256(uint32_t* out, const uint32_t* seed, size_t count) {
  Words index;
  for (size_t lane = 0; lane < kLanes; ++lane) index[lane] = static_cast<uint32_t>(lane);
  for (size_t i = 0; i < count; i += kLanes) {
    Words w[16], state[8];
    for (int j = 0; j < 16; ++j) w[j] = seed[j] ^ index;
    for (int j = 0; j < 8; ++j) state[j] = kInitial[j] - Words{};
    Rounds(state, w, std::make_integer_sequence<int, 64>());
    Words folded = {};
    for (int j = 0; j < 8; ++j) folded ^= state[j] + kInitial[j];
    std::memcpy(out + i, &folded, sizeof folded);
    index += kLanes;
  }
}

}  // namespace gcnjit::bench::native
