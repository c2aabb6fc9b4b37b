#include "wide/kinds.h"

namespace gcnjit::bench::wide {
namespace {

void BinarySearch(int* place, const int* sorted, const int* wanted, int n, int queries) {
  for (int q = 0; q < queries; ++q) {
    int low = 0, high = n;
    while (low < high) {
      const int middle = (low + high) / 2;
      if (sorted[middle] < wanted[q]) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    place[q] = low;
  }
}

void KdLookup(int* leaf, const float* split, const float* points, int depth, int n) {
  for (int i = 0; i < n; ++i) {
    int node = 0;
    for (int d = 0; d < depth; ++d) {
      node = 2 * node + (points[i * 4 + d % 3] < split[node] ? 1 : 2);
    }
    leaf[i] = node - ((1 << depth) - 1);
  }
}

struct Box {
  float low[3], high[3];
};
float Less(float a, float b) { return a < b ? a : b; }
float More(float a, float b) { return a < b ? b : a; }

void BvhStep(int* met, const Box* boxes, const float* rays, int nodes, int n) {
  for (int i = 0; i < n; ++i) {
    const float* o = rays + i * 6;
    const float inverse[3] = {1.0f / (o[3] + 0.01f), 1.0f / (o[4] + 0.01f), 1.0f / (o[5] + 0.01f)};
    int stack[16] = {0};
    int top = 1, count = 0, sum = 0;
    while (top > 0) {
      const int node = stack[--top];
      float enter = -1e30f, leave = 1e30f;
      for (int d = 0; d < 3; ++d) {
        const float a = (boxes[node].low[d] - o[d]) * inverse[d];
        const float b = (boxes[node].high[d] - o[d]) * inverse[d];
        enter = More(enter, Less(a, b));
        leave = Less(leave, More(a, b));
      }
      if (enter > leave || leave < 0) continue;
      if (2 * node + 1 >= nodes) {
        ++count;
        sum += node;
      } else {
        stack[top++] = 2 * node + 1;
        stack[top++] = 2 * node + 2;
      }
    }
    met[i * 2] = count;
    met[i * 2 + 1] = sum;
  }
}

void HashProbe(int* found, const int* table, const int* keys, int n) {
  for (int i = 0; i < n; ++i) {
    uint32_t slot = static_cast<uint32_t>(keys[i]) * 2654435761u >> 16;
    int steps = 0;
    while (table[slot] != keys[i] && table[slot] != -1 && steps < 64) {
      slot = (slot + 1) & 65535;
      ++steps;
    }
    found[i] = table[slot] == keys[i] ? static_cast<int>(slot) : -1 - steps;
  }
}

void BtreeSearch(int* leaf, const int* keys, const int* wanted, int levels, int n) {
  for (int i = 0; i < n; ++i) {
    int node = 0;
    for (int l = 0; l < levels; ++l) {
      int child = 0;
      for (int k = 0; k < 16; ++k) child += keys[node * 16 + k] < wanted[i];
      node = node * 17 + 1 + child;
    }
    leaf[i] = node;
  }
}

constexpr auto Ascending = [](size_t i, size_t, uint64_t r) { return i * 8 + r % 8; };
constexpr auto Anywhere = [](size_t, size_t n, uint64_t r) { return r % (8 * n); };
// Boxes of a complete tree over [0, 1)^3, halved along x, y, z in turn.
constexpr auto Boxes = [](size_t i, size_t, uint64_t) {
  const size_t node = i / 6 + 1, side = i % 6 / 3, axis = i % 3;
  size_t depth = 0;
  while (node >> (depth + 1) != 0) ++depth;
  double low = 0, size = 1;
  for (size_t d = 0; d < depth; ++d) {
    if (d % 3 != axis) continue;
    size /= 2;
    if ((node >> (depth - 1 - d) & 1) != 0) low += size;
  }
  return side == 0 ? low : low + size;
};
constexpr auto Slots = [](size_t i, size_t, uint64_t r) {
  // The number whose hash is this slot.
  const auto key = static_cast<uint32_t>(i << 16 | (r & 0xFFFF)) * 0xe8b2f51u;
  return (r >> 20 & 1) != 0 ? static_cast<int>(key & 0x7FFFFFFF) : -1;
};
constexpr auto Keys = [](size_t, size_t, uint64_t r) { return r & 0x7FFFFFFF; };
// 16 keys a node, in order.
constexpr auto NodeKeys = [](size_t i, size_t, uint64_t r) { return i % 16 * 62500 + r % 62500; };

// clang-format off
constexpr Row kRows[] = {
    {"binary_search", Native<BinarySearch>, {2001, 30001, 1000001}, Items(N, 256),
     {Out<int>(N), In<int>(N, Ascending), In<int>(N, Anywhere), Number(N), Number(N)}},
    {"kd_lookup", Native<KdLookup>, {2001, 60001, 1500001}, Items(N, 128),
     {Out<int>(N), In<float>(4095, Unit), In<float>(4 * N, Unit), Number(12), Number(N)}},
    {"bvh_step", Native<BvhStep>, {501, 4001, 100001}, Items(N, 64),
     {Out<int>(2 * N), In<float>(6 * 1023, Boxes), In<float>(6 * N, Unit), Number(1023),
      Number(N)}},
    {"hash_probe", Native<HashProbe>, {2001, 60001, 2000001}, Items(N, 256),
     {Out<int>(N), In<int>(65536, Slots), In<int>(N, Keys), Number(N)}},
    {"btree_search", Native<BtreeSearch>, {1001, 10001, 500001}, Items(N, 256),
     {Out<int>(N), In<int>(16 * 5220, NodeKeys), In<int>(N, Below<1000000>), Number(4),
      Number(N)}},
};
// clang-format on

}  // namespace

const Rows kTree = RowsOf(kRows);

}  // namespace gcnjit::bench::wide
