#include <algorithm>

#include "wide/kinds.h"

namespace gcnjit::bench::wide {
namespace {

void RadixCount(uint32_t* counts, const uint32_t* keys, int shift, int n, int groups) {
  for (int g = 0; g < groups; ++g) {
    uint32_t bins[16] = {};
    for (int i = g * 1024; i < n && i < (g + 1) * 1024; ++i) ++bins[keys[i] >> shift & 15];
    for (int d = 0; d < 16; ++d) counts[d * groups + g] = bins[d];
  }
}

void RadixScatter(uint32_t* out, const uint32_t* keys, int shift, int n) {
  for (int base = 0; base < n; base += 256) {
    const int end = base + 256 < n ? base + 256 : n;
    int begins[17] = {};
    for (int i = base; i < end; ++i) ++begins[(keys[i] >> shift & 15) + 1];
    for (int d = 1; d < 17; ++d) begins[d] += begins[d - 1];
    for (int i = base; i < end; ++i) out[base + begins[keys[i] >> shift & 15]++] = keys[i];
  }
}

void OddEvenMerge(uint32_t* keys, int p, int k, int n) {
  for (int j = k % p; j + k < n; j += 2 * k) {
    for (int a = j; a < j + k && a + k < n; ++a) {
      if (a / (2 * p) == (a + k) / (2 * p) && keys[a] > keys[a + k]) {
        const uint32_t x = keys[a];
        keys[a] = keys[a + k];
        keys[a + k] = x;
      }
    }
  }
}

void SortBlocks(uint32_t* keys, int n) {
  // The comparison is of this file, so that no other file shares this sort.
  for (int base = 0; base < n; base += 512) {
    std::sort(keys + base, keys + (base + 512 < n ? base + 512 : n),
              [](uint32_t a, uint32_t b) { return a < b; });
  }
}

void InsertionSort(int* keys, int n) {
  for (int i = 0; i < n; ++i) {
    int* const a = keys + i * 16;
    for (int k = 1; k < 16; ++k) {
      const int key = a[k];
      int j = k - 1;
      for (; j >= 0 && a[j] > key; --j) a[j + 1] = a[j];
      a[j + 1] = key;
    }
  }
}

void MergeRuns(int* out, const int* in, int n) {
  for (int i = 0; i < n; ++i) {
    const int *a = in + i * 64, *b = a + 32;
    int x = 0, y = 0;
    for (int k = 0; k < 64; ++k) {
      out[i * 64 + k] = y >= 32 || (x < 32 && a[x] <= b[y]) ? a[x++] : b[y++];
    }
  }
}

void RankSort(float* out, const float* in, int n) {
  for (int begin = 0; begin < n; begin += 128) {
    const int end = begin + 128 < n ? begin + 128 : n;
    for (int i = begin; i < end; ++i) {
      int rank = 0;
      for (int j = begin; j < end; ++j) rank += in[j] < in[i] || (in[j] == in[i] && j < i);
      out[begin + rank] = in[i];
    }
  }
}

// Runs of 32 that ascend.
constexpr auto Runs = [](size_t i, size_t, uint64_t r) { return i % 32 * 1000 + r % 1000; };

// clang-format off
constexpr Row kRows[] = {
    {"radix_count", Native<RadixCount>, {8001, 262001, 8000001}, Items(Groups(N, 1024) * 256, 256),
     {Out<uint32_t>(Groups(N, 1024) * 16), In<uint32_t>(N, Bits), Number(4), Number(N),
      Number(Groups(N, 1024))}},
    {"radix_scatter", Native<RadixScatter>, {4001, 65001, 2000001}, Items(N, 256),
     {Out<uint32_t>(N), In<uint32_t>(N, Bits), Number(8), Number(N)}},
    {"odd_even_merge", Native<OddEvenMerge>, {8001, 262001, 8000001}, Items(N / 2, 256),
     {InOut<uint32_t>(N, Bits), Number(1024), Number(64), Number(N)}},
    {"bitonic_block", Native<SortBlocks>, {4001, 65001, 2000001}, Items(Groups(N, 512) * 256, 256),
     {InOut<uint32_t>(N, Bits), Number(N)}},
    {"insertion_sort", Native<InsertionSort>, {500, 8001, 250001}, Items(N, 64),
     {InOut<int>(16 * N, Bits), Number(N)}},
    {"merge_runs", Native<MergeRuns>, {500, 5001, 120001}, Items(N, 64),
     {Out<int>(64 * N), In<int>(64 * N, Runs), Number(N)}},
    {"rank_sort", Native<RankSort>, {2001, 40001, 1000001}, Items(N, 128),
     {Out<float>(N), In<float>(N, Below<1000>), Number(N)}},
};
// clang-format on

}  // namespace

const Rows kSort = RowsOf(kRows);

}  // namespace gcnjit::bench::wide
