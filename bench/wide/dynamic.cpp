#include "wide/kinds.h"

namespace gcnjit::bench::wide {
namespace {

int Min(int a, int b) { return a < b ? a : b; }
int Max(int a, int b) { return a > b ? a : b; }

void NwTile(int* score, const int* similarity, const int* top, const int* left, int penalty,
            int tiles) {
  for (int g = 0; g < tiles; ++g) {
    for (int y = 0; y < 16; ++y) {
      for (int x = 0; x < 16; ++x) {
        const int* above = y > 0 ? &score[(g * 16 + y - 1) * 16] : &top[g * 17 + 1];
        const int* row = &score[(g * 16 + y) * 16];
        const int up = above[x];
        const int west = x > 0 ? row[x - 1] : left[g * 16 + y];
        const int corner = x > 0 ? above[x - 1] : y > 0 ? left[g * 16 + y - 1] : top[g * 17];
        score[(g * 16 + y) * 16 + x] =
            Max(corner + similarity[(g * 16 + y) * 16 + x], Max(west - penalty, up - penalty));
      }
    }
  }
}

void LcsDiagonal(int* now, const int* before, const int* before2, const int8_t* a, const int8_t* b,
                 int d, int n) {
  for (int i = Max(0, d - n); i <= Min(n, d); ++i) {
    if (i == 0 || i == d) {
      now[i] = 0;
    } else {
      now[i] = a[i - 1] == b[d - i - 1] ? before2[i - 1] + 1 : Max(before[i - 1], before[i]);
    }
  }
}

void Pathfinder(int* out, const int* in, const int* wall, int n) {
  for (int begin = 0; begin < n; begin += 1000) {  // as much as fits into the first cache
    int rows[2][1016];
    const int low = Max(begin - 8, 0), high = Min(begin + 1008, n);
    int* now = rows[0];
    int* next = rows[1];
    for (int x = low; x < high; ++x) now[x - low] = in[x];
    for (int r = 0; r < 8; ++r) {
      for (int x = low; x < high; ++x) {
        int best = now[x - low];
        if (x > low) best = Min(best, now[x - low - 1]);
        if (x < high - 1) best = Min(best, now[x - low + 1]);
        next[x - low] = best + wall[r * n + x];
      }
      int* const other = now;
      now = next;
      next = other;
    }
    for (int x = begin; x < Min(begin + 1000, n); ++x) out[x] = now[x - low];
  }
}

void KnapsackRow(int* next, const int* now, int weight, int value, int n) {
  for (int w = 0; w < n; ++w) {
    next[w] = w >= weight ? Max(now[w], now[w - weight] + value) : now[w];
  }
}

void EditDistance(int* distance, const int8_t* a, const int8_t* b, int n) {
  for (int p = 0; p < n; ++p) {
    int row[13];
    for (int j = 0; j <= 12; ++j) row[j] = j;
    for (int i = 1; i <= 12; ++i) {
      int diagonal = row[0];
      row[0] = i;
      for (int j = 1; j <= 12; ++j) {
        const int up = row[j];
        const int cost = a[p * 12 + i - 1] == b[p * 12 + j - 1] ? 0 : 1;
        row[j] = Min(Min(row[j] + 1, row[j - 1] + 1), diagonal + cost);
        diagonal = up;
      }
    }
    distance[p] = row[12];
  }
}

void Viterbi(float* next, int* from, const float* now, const float* transition, int n) {
  for (int q = 0; q < n; ++q) {
    for (int s = 0; s < 16; ++s) {
      float best = -1e30f;
      int arg = 0;
      for (int k = 0; k < 16; ++k) {
        const float p = now[q * 16 + k] + transition[k * 16 + s];
        if (p > best) {
          best = p;
          arg = k;
        }
      }
      next[q * 16 + s] = best;
      from[q * 16 + s] = arg;
    }
  }
}

// clang-format off
constexpr Row kRows[] = {
    {"nw_tile", Native<NwTile>, {100, 2000, 50000}, Items(16 * N, 16),
     {Out<int>(256 * N), In<int>(256 * N, Small), In<int>(17 * N, Below<100>),
      In<int>(16 * N, Below<100>), Number(3), Number(N)}},
    {"lcs_diagonal", Native<LcsDiagonal>, {4001, 131001, 4000001}, Items(N + 1, 256),
     {Out<int>(N + 1), In<int>(N + 1, Below<100>), In<int>(N + 1, Below<100>),
      In<int8_t>(N, Below<4>), In<int8_t>(N, Below<4>), Number(N + 10), Number(N)}},
    {"pathfinder", Native<Pathfinder>, {4001, 50001, 1000001}, Items(Groups(N, 240) * 256, 256),
     {Out<int>(N), In<int>(N, Below<10>), In<int>(8 * N, Below<10>), Number(N)}},
    {"knapsack_row", Native<KnapsackRow>, {4001, 262001, 16000001}, Items(N, 256),
     {Out<int>(N), In<int>(N, Below<1000>), Number(177), Number(100), Number(N)}},
    {"edit_distance", Native<EditDistance>, {1001, 8001, 300001}, Items(N, 64),
     {Out<int>(N), In<int8_t>(12 * N, Below<4>), In<int8_t>(12 * N, Below<4>), Number(N)}},
    {"viterbi", Native<Viterbi>, {250, 10001, 300001}, Plane(16, N, 16, 16),
     {Out<float>(16 * N), Out<int>(16 * N), In<float>(16 * N, Unit), In<float>(256, Unit),
      Number(N)}},
};
// clang-format on

}  // namespace

const Rows kDynamic = RowsOf(kRows);

}  // namespace gcnjit::bench::wide
