#include "wide/kinds.h"

namespace gcnjit::bench::wide {
namespace {

int Min(int a, int b) { return a < b ? a : b; }

void ScanHillis(int* out, const int* in, int n) {
  for (int base = 0; base < n; base += 256) {
    int sum = 0;
    for (int i = base; i < Min(base + 256, n); ++i) out[i] = sum += in[i];
  }
}

void ScanBlelloch(int* out, int* sums, const int* in, int n) {
  for (int base = 0; base < n; base += 512) {
    int sum = 0;
    for (int i = base; i < Min(base + 512, n); ++i) {
      out[i] = sum;
      sum += in[i];
    }
    sums[base / 512] = sum;
  }
}

void ScanAdd(int* out, const int* sums, int n) {
  for (int i = 0; i < n; ++i) out[i] += sums[i / 512];
}

void Compact(int* out, const int* in, const int* flags, const int* places, int n) {
  for (int i = 0; i < n; ++i) {
    if (flags[i]) out[places[i]] = in[i];
  }
}

void ReduceStrided(int* sums, const int* in, int n) {
  for (int base = 0; base < n; base += 4096) {
    int sum = 0;
    for (int i = base; i < Min(base + 4096, n); ++i) sum += in[i];
    sums[base / 4096] = sum;
  }
}

void ArgMax(float* top, int* place, const float* in, int n) {
  for (int base = 0; base < n; base += 256) {
    int best = base;
    for (int i = base; i < Min(base + 256, n); ++i) {
      if (in[i] > in[best]) best = i;
    }
    top[base / 256] = in[best];
    place[base / 256] = best;
  }
}

// Of each five the second and the fourth.
constexpr auto Flags = [](size_t i, size_t, uint64_t) { return i % 5 == 1 || i % 5 == 3; };
constexpr auto Places = [](size_t i, size_t, uint64_t) { return i / 5 * 2 + i % 5 / 2; };

// clang-format off
constexpr Row kRows[] = {
    {"scan_hillis", Native<ScanHillis>, {4001, 131001, 4000001}, Items(N, 256),
     {Out<int>(N), In<int>(N, Small), Number(N)}},
    {"scan_blelloch", Native<ScanBlelloch>, {4001, 131001, 4000001},
     Items(Groups(N, 512) * 256, 256),
     {Out<int>(N), Out<int>(Groups(N, 512)), In<int>(N, Small), Number(N)}},
    {"scan_add", Native<ScanAdd>, {4001, 262001, 8000001}, Items(N, 256),
     {InOut<int>(N, Small), In<int>(Groups(N, 512), Small), Number(N)}},
    {"compact", Native<Compact>, {4001, 262001, 5000001}, Items(N, 256),
     {Out<int>(N), In<int>(N, Bits), In<int>(N, Flags), In<int>(N, Places), Number(N)}},
    {"reduce_strided", Native<ReduceStrided>, {16001, 500001, 16000001},
     Items(Groups(N, 4096) * 128, 128),
     {Out<int>(Groups(N, 4096)), In<int>(N, Small), Number(N)}},
    {"arg_max", Native<ArgMax>, {4001, 131001, 8000001}, Items(N, 256),
     {Out<float>(Groups(N, 256)), Out<int>(Groups(N, 256)), In<float>(N, Below<1000>), Number(N)}},
};
// clang-format on

}  // namespace

const Rows kScan = RowsOf(kRows);

}  // namespace gcnjit::bench::wide
