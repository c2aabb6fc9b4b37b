// Which kernels of kernels.cl belong together, with their arguments and their native loops.
#include "obstacles/obstacles.h"

#include <atomic>
#include <cmath>

namespace gcnjit::bench::wide {
namespace {

void Copy(float* out, const float* in, int n) {
  for (int i = 0; i < n; ++i) out[i] = in[i];
}
void CopyInner(float* out, const float* in, int n) {
  for (int i = 1; i < n - 1; ++i) out[i] = in[i];
}
void Plane(float* out, const float* in, int n) {
  for (int i = 0; i < n * n; ++i) out[i] = in[i];
}
void PlaneInner(float* out, const float* in, int n) {
  for (int y = 1; y < n - 1; ++y) {
    for (int x = 1; x < n - 1; ++x) out[y * n + x] = in[y * n + x];
  }
}

void Sum2(float* out, const float* a, int n) {
  for (int i = 0; i < n; ++i) out[i] = a[i] + a[i + 1];
}
void Sum2Apart(float* out, const float* a, const float* b, int n) {
  for (int i = 0; i < n; ++i) out[i] = a[i] + b[i];
}
void Sum3(float* out, const float* a, int n) {
  for (int i = 0; i < n; ++i) out[i] = a[i] + a[i + 1] + a[i + 2];
}
void Sum3Apart(float* out, const float* a, const float* b, const float* c, int n) {
  for (int i = 0; i < n; ++i) out[i] = a[i] + b[i] + c[i];
}
void Sum4(float* out, const float* a, int n) {
  for (int i = 0; i < n; ++i) out[i] = a[i] + a[i + 1] + a[i + 2] + a[i + 3];
}
void Sum4Apart(float* out, const float* a, const float* b, const float* c, const float* d, int n) {
  for (int i = 0; i < n; ++i) out[i] = a[i] + b[i] + c[i] + d[i];
}
void Structures(float* out, const float* in, int n) {
  for (int i = 0; i < n; ++i) out[i] = in[4 * i] * in[4 * i + 1] + in[4 * i + 2] * in[4 * i + 3];
}
void Members(float* out, const float* x, const float* y, const float* z, const float* w, int n) {
  for (int i = 0; i < n; ++i) out[i] = x[i] * y[i] + z[i] * w[i];
}
void RowSums(float* out, const float* in, int n) {
  for (int i = 0; i < n; ++i) {
    float sum = 0;
    for (int k = 0; k < n; ++k) sum += in[i * n + k];
    out[i] = sum;
  }
}
void ColumnSums(float* out, const float* in, int n) {
  for (int i = 0; i < n; ++i) out[i] = 0;
  for (int k = 0; k < n; ++k) {
    for (int i = 0; i < n; ++i) out[i] += in[k * n + i];
  }
}
void Sum64(float* out, const float* in, int n) {
  for (int i = 0; i < n; ++i) out[i] = 0;
  for (int k = 0; k < 64; ++k) {
    for (int i = 0; i < n; ++i) out[i] += in[k * n + i];
  }
}

template <typename T>
void Scatter(T* out, const uint32_t* index, int n) {
  for (int i = 0; i < n; ++i) out[index[i]] = static_cast<T>(i);
}
template <typename T>
void Gather(uint32_t* out, const T* in, const uint32_t* index, int n) {
  for (int i = 0; i < n; ++i) out[i] = in[index[i]];
}

void LdsWide(uint64_t* out, const uint32_t* index, int n) {
  uint64_t lds[256];
  for (int group = 0; group < n; group += 256) {
    for (int i = group; i < group + 256; ++i) lds[index[i] & 255] = i * 0x100000001ull;
    for (int i = group; i < group + 256; ++i) out[i] = lds[(index[i] ^ 1) & 255];
  }
}
template <uint32_t kMask>
void LdsBytes(uint32_t* out, const uint32_t* index, int n) {
  for (int i = 0; i < n; ++i) {
    uint32_t sum = 0;
    for (int k = 0; k < 8; ++k) sum += ((index[i] >> k) & kMask) * 3 & 0xff;
    out[i] = sum;
  }
}
void PointerSums(uint32_t* out, const uint32_t* in, int n) {
  for (int i = 0; i < n; ++i) {
    const uint32_t* const group = in + i / 256 * 256;
    uint32_t sum = 0;
    for (int k = 0; k < 16; ++k) sum += group[(i * 5 + k) & 255];
    out[i] = sum;
  }
}
void PrivateArray(uint32_t* out, const uint32_t* in, int n) {
  for (int i = 0; i < n; ++i) {
    uint32_t count[64], sum = 0;
    for (int k = 0; k < 64; ++k) count[k] = k;
    for (int k = 0; k < 64; ++k) count[in[k * n + i] & 63] += k;
    for (int k = 0; k < 64; ++k) sum = sum * 3 + count[k];
    out[i] = sum;
  }
}

template <typename T>
void Divide(T* out, const T* a, const T* b, int n) {
  for (int i = 0; i < n; ++i) {
    T x = a[i];
    for (int k = 0; k < 16; ++k) x = b[i] / x + static_cast<T>(0.5);
    out[i] = x;
  }
}
void Root(double* out, const double* a, int n) {
  for (int i = 0; i < n; ++i) {
    double x = a[i];
    for (int k = 0; k < 16; ++k) x = std::sqrt(x) + 0.5;
    out[i] = x;
  }
}
void MultiplyU64(uint64_t* out, const uint64_t* a, uint64_t factor, int n) {
  for (int i = 0; i < n; ++i) {
    uint64_t x = a[i];
    for (int k = 0; k < 16; ++k) x = x * factor + (x >> 13);
    out[i] = x;
  }
}

void LdsAdd(float* out, const uint32_t* index, int n) {
  uint32_t sum[256];
  for (int group = 0; group < n; group += 256) {
    for (uint32_t& s : sum) s = 0;
    for (int i = group; i < group + 256; ++i) {
      for (int k = 0; k < 16; ++k) ++sum[(index[i] + k) & 255];
    }
    for (int i = 0; i < 256; ++i) out[group + i] = static_cast<float>(sum[i]);
  }
}
void GlobalCount(uint32_t* out, const uint32_t* index, int n) {
  std::atomic_ref count(*out);
  for (int i = 0; i < n; ++i) {
    if (index[i] < static_cast<uint32_t>(n / 2)) count.fetch_add(1, std::memory_order_relaxed);
  }
}
void GlobalAdd(uint32_t* out, const uint32_t* index, int n) {
  for (int i = 0; i < n; ++i) {
    std::atomic_ref(out[index[i]]).fetch_add(static_cast<uint32_t>(i), std::memory_order_relaxed);
  }
}
void GlobalAddF32(float* out, const uint32_t* index, int n) {
  for (int i = 0; i < n; ++i) {
    std::atomic_ref at(out[index[i]]);
    float old = at.load(std::memory_order_relaxed);
    while (!at.compare_exchange_weak(old, old + 1.0f, std::memory_order_relaxed)) {
    }
  }
}

constexpr auto Permutation = [](size_t i, size_t n, uint64_t) { return i * 1000003 % n; };
// Each group's, of 256.
constexpr auto GroupPermutation = [](size_t i, size_t, uint64_t) { return i / 256 + i * 77; };
constexpr auto OneToTwo = [](size_t, size_t, uint64_t r) {
  return 1 + static_cast<double>(r >> 40) * 0x1p-24;
};

// clang-format off
#define GCNJIT_COPY(name, native, group) \
  {name, Native<native>, {4096, 262144, 8388608}, Items(N, group), \
   {Out<float>(N), In<float>(N, Small), Number(N)}}
#define GCNJIT_PLANE(name, native, x, y) \
  {name, Native<native>, {64, 512, 4096}, wide::Plane(N, N, x, y), \
   {Out<float>(N * N), In<float>(N * N, Small), Number(N)}}
#define GCNJIT_SUM(name, native, ...) \
  {name, Native<native>, {4096, 131072, 4194304}, Items(N, 256), \
   {Out<float>(N), __VA_ARGS__, Number(N)}}
#define GCNJIT_SQUARE(name, native) \
  {name, Native<native>, {64, 512, 4096}, Items(N, 64), \
   {Out<float>(N), In<float>(N * N, Small), Number(N)}}
#define GCNJIT_DEEP(name, native, T) \
  {name, Native<native>, {256, 4096, 262144}, Items(N, 64), \
   {Out<T>(N), In<T>(64 * N, Small), Number(N)}}
#define GCNJIT_SCATTER(name, T) \
  {name, Native<Scatter<T>>, {4096, 131072, 4194304}, Items(N, 256), \
   {Out<T>(N), In<uint32_t>(N, Permutation), Number(N)}}
#define GCNJIT_GATHER(name, T) \
  {name, Native<Gather<T>>, {4096, 131072, 4194304}, Items(N, 256), \
   {Out<uint32_t>(N), In<T>(N, Bits), In<uint32_t>(N, Permutation), Number(N)}}
#define GCNJIT_LDS(name, native, T, element) \
  {name, Native<native>, {4096, 131072, 4194304}, Items(N, 256), \
   {Out<T>(N), In<uint32_t>(N, element), Number(N)}}
#define GCNJIT_ARITHMETIC(name, native, T, ...) \
  {name, Native<native>, {4096, 32768, 1048576}, Items(N, 256), \
   {Out<T>(N), __VA_ARGS__, Number(N)}}

constexpr Row kRows[] = {
    GCNJIT_COPY("copy", Copy, 256),
    GCNJIT_COPY("copy_int", Copy, 256),
    GCNJIT_COPY("copy_guard", Copy, 256),
    GCNJIT_COPY("copy_size_guard", Copy, 256),
    GCNJIT_COPY("copy_return", Copy, 256),
    GCNJIT_COPY("copy_inner", CopyInner, 256),
    GCNJIT_COPY("copy_16", Copy, 16),
    GCNJIT_PLANE("plane", Plane, 64, 4),
    GCNJIT_PLANE("plane_guard", Plane, 64, 4),
    GCNJIT_PLANE("plane_inner", PlaneInner, 64, 4),
    GCNJIT_PLANE("plane_size", Plane, 64, 4),
    GCNJIT_PLANE("plane_size_16x16", Plane, 16, 16),
    GCNJIT_PLANE("plane_8x8", Plane, 8, 8),
    GCNJIT_PLANE("plane_16x16", Plane, 16, 16),
    GCNJIT_SUM("sum2", Sum2, In<float>(N + 1, Small)),
    GCNJIT_SUM("sum2_apart", Sum2Apart, In<float>(N, Small), In<float>(N, Small)),
    GCNJIT_SUM("sum3", Sum3, In<float>(N + 2, Small)),
    GCNJIT_SUM("sum3_apart", Sum3Apart, In<float>(N, Small), In<float>(N, Small), In<float>(N, Small)),
    GCNJIT_SUM("sum4_guard", Sum4, In<float>(N + 3, Small)),
    GCNJIT_SUM("sum4_apart", Sum4Apart, In<float>(N, Small), In<float>(N, Small), In<float>(N, Small), In<float>(N, Small)),
    GCNJIT_SUM("structures", Structures, In<float>(4 * N, Small)),
    GCNJIT_SUM("members", Members, In<float>(N, Small), In<float>(N, Small), In<float>(N, Small), In<float>(N, Small)),
    GCNJIT_SQUARE("row_sums", RowSums),
    GCNJIT_SQUARE("column_sums", ColumnSums),
    GCNJIT_DEEP("store_each", Sum64, float),
    GCNJIT_DEEP("store_last", Sum64, float),
    GCNJIT_SCATTER("scatter8", uint8_t),
    GCNJIT_SCATTER("scatter16", uint16_t),
    GCNJIT_SCATTER("scatter32", uint32_t),
    GCNJIT_GATHER("gather8", uint8_t),
    GCNJIT_GATHER("gather32", uint32_t),
    GCNJIT_LDS("lds_wide64", LdsWide, uint64_t, GroupPermutation),
    GCNJIT_LDS("lds_dwords64", LdsWide, uint64_t, GroupPermutation),
    GCNJIT_LDS("lds_bytes", LdsBytes<255>, uint32_t, Bits),
    GCNJIT_LDS("lds_low_bytes", LdsBytes<127>, uint32_t, Bits),
    GCNJIT_LDS("generic_pointer", PointerSums, uint32_t, Bits),
    GCNJIT_LDS("local_pointer", PointerSums, uint32_t, Bits),
    GCNJIT_DEEP("private_array", PrivateArray, uint32_t),
    GCNJIT_DEEP("local_array", PrivateArray, uint32_t),
    GCNJIT_ARITHMETIC("divide_f32", Divide<float>, float, In<float>(N, OneToTwo), In<float>(N, OneToTwo)),
    GCNJIT_ARITHMETIC("divide_f64", Divide<double>, double, In<double>(N, OneToTwo), In<double>(N, OneToTwo)),
    GCNJIT_ARITHMETIC("root_f64", Root, double, In<double>(N, OneToTwo)),
    GCNJIT_ARITHMETIC("multiply_u64", MultiplyU64, uint64_t, In<uint64_t>(N, Bits), Number<uint64_t>(1000003)),
    GCNJIT_LDS("lds_add_f32", LdsAdd, float, Bits),
    GCNJIT_LDS("lds_add_u32", LdsAdd, float, Bits),
    {"global_count", Native<GlobalCount>, {4096, 131072, 4194304}, Items(N, 256),
     {InOut<uint32_t>(1, Zero), In<uint32_t>(N, BelowN), Number(N)}},
    {"global_add_u32", Native<GlobalAdd>, {4096, 131072, 4194304}, Items(N, 256),
     {InOut<uint32_t>(N, Zero), In<uint32_t>(N, BelowN), Number(N)}},
    {"global_add_f32", Native<GlobalAddF32>, {4096, 131072, 4194304}, Items(N, 256),
     {InOut<float>(N, Zero), In<uint32_t>(N, BelowN), Number(N)}},
};
// clang-format on

}  // namespace

const Rows kObstacles = RowsOf(kRows);

// clang-format off
const Obstacle kPairs[] = {
    {"an index of `int`", "copy_int", "copy"},
    {"`if (i < n)`", "copy_guard", "copy"},
    {"`if (i < n)` of `size_t`", "copy_size_guard", "copy"},
    {"`if (i >= n) return`", "copy_return", "copy"},
    {"`i > 0 && i < n - 1`", "copy_inner", "copy"},
    {"a guard for each of two axes", "plane_guard", "plane"},
    {"a border around a plane", "plane_inner", "plane"},
    {"indices of `size_t` for two axes", "plane_size", "plane"},
    {"the same in groups of 16 x 16", "plane_size_16x16", "plane_16x16"},
    {"groups of 8 x 8, against 64 x 4", "plane_8x8", "plane"},
    {"groups of 16 x 16, against 64 x 4", "plane_16x16", "plane"},
    {"groups of 16 work-items, against 256", "copy_16", "copy"},
    {"two neighbours, against two arrays", "sum2", "sum2_apart"},
    {"three neighbours", "sum3", "sum3_apart"},
    {"four neighbours and a guard", "sum4_guard", "sum4_apart"},
    {"structures, against arrays of members", "structures", "members"},
    {"a row a work-item, against a column", "row_sums", "column_sums"},
    {"a store in each iteration, against the last", "store_each", "store_last"},
    {"scattered bytes, against dwords", "scatter8", "scatter32"},
    {"scattered 16-bit words, against dwords", "scatter16", "scatter32"},
    {"gathered bytes, against dwords", "gather8", "gather32"},
    {"scattered quadwords in LDS, against dwords", "lds_wide64", "lds_dwords64"},
    {"bytes of LDS to its end, against before it", "lds_bytes", "lds_low_bytes"},
    {"generic pointers to LDS, against local ones", "generic_pointer", "local_pointer"},
    {"private arrays, against LDS", "private_array", "local_array"},
    {"floats added in LDS, against integers", "lds_add_f32", "lds_add_u32"},
    {"IEEE division of f32, against native", "divide_f32", nullptr},
    {"IEEE division of f64, against native", "divide_f64", nullptr},
    {"square roots of f64, against native", "root_f64", nullptr},
    {"64-bit multiplication, against native", "multiply_u64", nullptr},
    {"global atomics, against native ones", "global_add_u32", nullptr},
    {"a counter for all, against native", "global_count", nullptr},
    {"compare and swap, against native", "global_add_f32", nullptr},
};
// clang-format on
const size_t kPairCount = sizeof kPairs / sizeof kPairs[0];

}  // namespace gcnjit::bench::wide
