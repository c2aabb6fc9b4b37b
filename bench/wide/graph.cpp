#include "wide/kinds.h"

namespace gcnjit::bench::wide {
namespace {

void BfsLevel(int* level, int* changed, const int* first, const int* edges, int now, int n) {
  for (int v = 0; v < n; ++v) {
    if (level[v] != now) continue;
    for (int e = first[v]; e < first[v + 1]; ++e) {
      const int u = edges[e];
      if (level[u] < 0) {
        level[u] = now + 1;
        *changed = 1;
      }
    }
  }
}

void PageRank(float* next, const float* rank, const int* first, const int* edges, const int* degree,
              int n) {
  for (int v = 0; v < n; ++v) {
    float sum = 0;
    for (int e = first[v]; e < first[v + 1]; ++e) {
      sum += rank[edges[e]] / static_cast<float>(degree[edges[e]]);
    }
    next[v] = 0.15f / static_cast<float>(n) + 0.85f * sum;
  }
}

void FloydWarshall(int* distance, int n, int k) {
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) {
      const int through = distance[i * n + k] + distance[k * n + j];
      if (through < distance[i * n + j]) distance[i * n + j] = through;
    }
  }
}

void Relax(int* next, const int* distance, const int* first, const int* edges, const int* weight,
           int n) {
  for (int v = 0; v < n; ++v) {
    for (int e = first[v]; e < first[v + 1]; ++e) {
      const int d = distance[v] + weight[e];
      if (d < next[edges[e]]) next[edges[e]] = d;
    }
  }
}

void LeastLabel(int* next, const int* label, const int* first, const int* edges, int n) {
  for (int v = 0; v < n; ++v) {
    int least = label[v];
    for (int e = first[v]; e < first[v + 1]; ++e) {
      if (label[edges[e]] < least) least = label[edges[e]];
    }
    next[v] = least;
  }
}

void CommonNeighbours(int* count, const int* first, const int* edges, int n) {
  for (int v = 0; v < n; ++v) {
    int found = 0;
    for (int e = first[v]; e < first[v + 1]; ++e) {
      const int u = edges[e];
      for (int a = first[u]; a < first[u + 1]; ++a) {
        for (int b = first[v]; b < first[v + 1]; ++b) found += edges[a] == edges[b];
      }
    }
    count[v] = found;
  }
}

// A quarter of the vertices is at this level.
constexpr int kLevel = 3;
constexpr auto Levels = [](size_t, size_t, uint64_t r) { return (r & 3) == 0 ? kLevel : -1; };
constexpr auto Degrees = [](size_t, size_t, uint64_t r) { return 1 + static_cast<int>(r & 7); };
// 0 on the diagonal.
constexpr auto Distances = [](size_t i, size_t n, uint64_t r) {
  return i % (n + 1) == 0 ? 0 : 1 + static_cast<int>(r % 1000);
};

// clang-format off
constexpr Row kRows[] = {
    {"bfs_level", Native<BfsLevel>, {4001, 60001, 1000001}, Items(N, 256),
     {InOut<int>(N, Levels), InOut<int>(1, Zero), In<int>(N + 1, Starts<8>), In<int>(8 * N, BelowN),
      Number(kLevel), Number(N)}},
    {"page_rank", Native<PageRank>, {4001, 60001, 1000001}, Items(N, 256),
     {Out<float>(N), In<float>(N, Unit), In<int>(N + 1, Starts<8>), In<int>(8 * N, BelowN),
      In<int>(N, Degrees), Number(N)}, 1e-5},
    {"floyd_warshall", Native<FloydWarshall>, {70, 500, 3001}, Plane(N, N, 16, 16),
     {InOut<int>(N * N, Distances), Number(N), Number(N / 2)}},
    {"relax", Native<Relax>, {4001, 60001, 800001}, Items(N, 256),
     {InOut<int>(N, Below<100000>), In<int>(N, Below<100000>), In<int>(N + 1, Starts<8>),
      In<int>(8 * N, BelowN), In<int>(8 * N, Below<100>), Number(N)}},
    {"least_label", Native<LeastLabel>, {4001, 60001, 1000001}, Items(N, 256),
     {Out<int>(N), In<int>(N, BelowN), In<int>(N + 1, Starts<8>), In<int>(8 * N, BelowN),
      Number(N)}},
    {"common_neighbours", Native<CommonNeighbours>, {1001, 5001, 50001}, Items(N, 128),
     {Out<int>(N), In<int>(N + 1, Starts<8>), In<int>(8 * N, BelowN), Number(N)}},
};
// clang-format on

}  // namespace

const Rows kGraph = RowsOf(kRows);

}  // namespace gcnjit::bench::wide
