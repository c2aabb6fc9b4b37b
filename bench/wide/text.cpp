#include "wide/kinds.h"

namespace gcnjit::bench::wide {
namespace {

void Substring(uint8_t* found, const uint8_t* text, const uint8_t* pattern, int m, int n) {
  for (int i = 0; i < n; ++i) {
    int k = 0;
    if (i + m <= n) {
      while (k < m && text[i + k] == pattern[k]) ++k;
    }
    found[i] = k == m;
  }
}

void WordCount(int* words, const uint8_t* text, int n) {
  for (int i = 0; i * 64 < n; ++i) {
    int count = 0;
    uint8_t before = i == 0 ? ' ' : text[i * 64 - 1];
    for (int k = i * 64; k < i * 64 + 64 && k < n; ++k) {
      if (text[k] != ' ' && before == ' ') ++count;
      before = text[k];
    }
    words[i] = count;
  }
}

void Histogram(uint32_t* bins, const uint8_t* in, int n) {
  for (int i = 0; i < n; ++i) ++bins[in[i]];
}

void ToUpper(uint8_t* text, int n) {
  for (int i = 0; i < n; ++i) {
    if (text[i] >= 'a' && text[i] <= 'z') text[i] = static_cast<uint8_t>(text[i] - 32);
  }
}

void ParseNumbers(int* out, const uint8_t* text, int n) {
  for (int i = 0; i < n; ++i) {
    int value = 0;
    for (int k = 0; k < 9 && text[i * 9 + k] != ' '; ++k)
      value = value * 10 + (text[i * 9 + k] - '0');
    out[i] = value;
  }
}

constexpr auto Letters = [](size_t, size_t, uint64_t r) {
  return r % 6 == 0 ? ' ' : static_cast<int>((r % 5 == 0 ? 'A' : 'a') + (r >> 8) % 4);
};
constexpr auto Fields = [](size_t i, size_t, uint64_t r) {
  const size_t digits = 1 + Hash(i / 9) % 8;
  return i % 9 < digits ? static_cast<int>('0' + r % 10) : ' ';
};

// clang-format off
constexpr Row kRows[] = {
    {"substring", Native<Substring>, {4001, 131001, 4000001}, Items(N, 256),
     {Out<uint8_t>(N), In<uint8_t>(N, Letters), In<uint8_t>(4, Letters), Number(4), Number(N)}},
    {"word_count", Native<WordCount>, {32001, 500001, 16000001}, Items(Groups(N, 64), 64),
     {Out<int>(Groups(N, 64)), In<uint8_t>(N, Letters), Number(N)}},
    {"histogram_global", Native<Histogram>, {4001, 131001, 4000001}, Items(N, 256),
     {InOut<uint32_t>(256, Zero), In<uint8_t>(N, Bits), Number(N)}},
    {"histogram_local", Native<Histogram>, {16001, 500001, 16000001},
     Items(Groups(N, 4096) * 256, 256),
     {InOut<uint32_t>(256, Zero), In<uint8_t>(N, Bits), Number(N)}},
    {"to_upper", Native<ToUpper>, {8001, 262001, 16000001}, Items(N, 256),
     {InOut<uint8_t>(N, Letters), Number(N)}},
    {"parse_numbers", Native<ParseNumbers>, {1001, 30001, 1500001}, Items(N, 128),
     {Out<int>(N), In<uint8_t>(9 * N, Fields), Number(N)}},
};
// clang-format on

}  // namespace

const Rows kText = RowsOf(kRows);

}  // namespace gcnjit::bench::wide
