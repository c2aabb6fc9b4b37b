// References of atomics.cl: what the operations give in any order.
#include <algorithm>
#include <limits>
#include <memory>
#include <numeric>
#include <set>

#include "harness.h"

namespace gcnjit::kernel_tests {
namespace atomics_kernels {
namespace {

constexpr uint32_t kItems = 512;
constexpr Dim3 kGlobal{kItems};
constexpr Dim3 kLocal{64};

// atomic_shared32 and atomic_shared64.
template <typename Signed, typename Unsigned>
void Shared(Run& run) {
  run.Grid(kGlobal, kLocal);
  const auto in = run.random().Integers<Signed>(kItems);
  const std::vector<Signed> s_before = {5, 5, 100, -100};
  const Unsigned all = std::numeric_limits<Unsigned>::max();
  const std::vector<Unsigned> u_before = {all - 5, 3, all, 7, all, 1, 99};
  std::vector<Unsigned> s(s_before.begin(), s_before.end());  // unsigned: sums wrap
  auto u = u_before;
  for (const Signed v : in) {
    const auto bits = static_cast<Unsigned>(v);
    s[0] += bits;
    s[1] -= bits;
    s[2] = static_cast<Unsigned>(std::min(static_cast<Signed>(s[2]), v));
    s[3] = static_cast<Unsigned>(std::max(static_cast<Signed>(s[3]), v));
    ++u[0];
    --u[1];
    u[2] = std::min(u[2], bits);
    u[3] = std::max(u[3], bits);
    u[4] &= bits | 0xff;
    u[5] |= bits & 0xff00;
    u[6] ^= bits;
  }
  run.InOut(s_before, std::vector<Signed>(s.begin(), s.end()));
  run.InOut(u_before, u);
  run.In(in);
}

// atomic_old32 (12 results) and atomic_old64 (the first 10 of them).
template <typename Signed, typename Unsigned>
void Old(Run& run) {
  constexpr bool kIs32 = sizeof(Signed) == 4;
  run.Grid(kGlobal, kLocal);
  const auto in = run.random().EdgyIntegers<Signed>(kItems);
  auto before = run.random().EdgyIntegers<Signed>(kItems);
  for (size_t i = 0; i < kItems; i += 2) before[i] = in[i];
  std::vector<Signed> after, old;
  for (size_t i = 0; i < kItems; ++i) {
    auto w = static_cast<Unsigned>(before[i]);
    const auto v = static_cast<Unsigned>(in[i]);
    const auto step = [&](Unsigned next) {
      old.push_back(static_cast<Signed>(w));
      w = next;
    };
    step(w + v);
    step(w - v * 3);
    step(w ^ (kIs32 ? Unsigned{0x5555} : static_cast<Unsigned>(0x5555555500000000)));
    step(static_cast<Unsigned>(std::min(static_cast<Signed>(w), in[i])));
    step(std::max(w, v));
    step(w == v ? 17 : w);
    step(w == 17 ? v ^ 1 : w);
    step(v + 5);
    step(w & (kIs32 ? Unsigned{0x7ffffff0} : static_cast<Unsigned>(0x7ffffffffffffff0)));
    step(w | 3);
    if (kIs32) {
      step(w + 1);
      step(w - 1);
    }
    after.push_back(static_cast<Signed>(w));
  }
  run.InOut(before, after);
  run.Out(old);
  run.In(in);
}

template <typename Signed, typename Unsigned>
void Local(Run& run) {
  constexpr Unsigned kOrMask =
      sizeof(Signed) == 4 ? Unsigned{0xff00} : static_cast<Unsigned>(0xff00ff0000);
  run.Grid(kGlobal, kLocal);
  const auto in = run.random().Integers<Signed>(kItems);
  std::vector<Signed> out(2 * kItems);
  for (size_t group = 0; group < kItems; group += 64) {
    std::array<Unsigned, 8> s{0, 0, 0, 0, 0, 0, static_cast<Unsigned>(-1), 0};
    for (size_t l = 0; l < 64; ++l) {
      const Signed value = in[group + l];
      const auto v = static_cast<Unsigned>(value);
      s[0] += v;
      s[1] -= v;
      s[2] = static_cast<Unsigned>(std::min(static_cast<Signed>(s[2]), value));
      s[3] = static_cast<Unsigned>(std::max(static_cast<Signed>(s[3]), value));
      s[4] = std::max(s[4], v);
      s[5] |= v & kOrMask;
      s[6] &= v | 0xfff;
      s[7] ^= v;
      // The old values: l, l + v, then 100 (twice: the second compare fails), then v.
      Unsigned old = static_cast<Unsigned>(l);
      old = old * 3 + static_cast<Unsigned>(l) + v;
      old = old * 3 + 100;
      old = old * 3 + 100;
      old = old * 3 + v;
      out[2 * (group + l)] = static_cast<Signed>(old + v + 1);
    }
    for (size_t l = 0; l < 64; ++l) out[2 * (group + l) + 1] = static_cast<Signed>(s[l % 8]);
  }
  run.Out(out);
  run.In(in);
}

std::string JudgeIds(std::vector<uint32_t> ids) {
  std::sort(ids.begin(), ids.end());
  for (uint32_t i = 0; i < ids.size(); ++i) {
    if (ids[i] != i) return "not every work-item exactly once: " + std::to_string(i);
  }
  return {};
}

void Tickets(Run& run) {
  run.Grid(kGlobal, kLocal);
  run.InOut<uint32_t>({0}, {kItems});
  run.Judged<uint32_t>(std::vector<uint32_t>(kItems, ~0u), JudgeIds);
  const auto last = std::make_shared<uint32_t>();
  run.Judged<uint32_t>({kItems}, [last](const std::vector<uint32_t>& slot) {
    *last = slot[0];
    return std::string();
  });
  // All work-items but the last one to come are another one's predecessor; the first one found the
  // initial value.
  run.Judged<uint32_t>(std::vector<uint32_t>(kItems, ~0u), [last](std::vector<uint32_t> previous) {
    std::replace(previous.begin(), previous.end(), kItems, *last);
    return JudgeIds(previous);
  });
}

void Append(Run& run) {
  run.Grid(kGlobal, {128});
  const auto in = run.random().Integers<uint32_t>(kItems);
  std::multiset<uint32_t> wanted;
  for (const uint32_t v : in) {
    if (v % 2 == 0) wanted.insert(v);
  }
  const auto count = static_cast<uint32_t>(wanted.size());
  run.Judged<uint32_t>(std::vector<uint32_t>(kItems, 1), [wanted](std::vector<uint32_t> list) {
    const auto end = list.begin() + static_cast<ptrdiff_t>(wanted.size());
    if (std::multiset<uint32_t>(list.begin(), end) != wanted) return "other elements in the list";
    return std::count(end, list.end(), 1u) == list.end() - end ? "" : "more elements in the list";
  });
  run.InOut<uint32_t>({0}, {count});
  run.In(in);
}

void FloatCas(Run& run) {
  run.Grid(kGlobal, kLocal);
  // Whole numbers: the sum is exact in any order.
  std::vector<float> in;
  for (size_t i = 0; i < kItems; ++i) {
    in.push_back(static_cast<float>(run.random().Between(-1000, 1000)));
  }
  std::vector<float> floats = {0.5f, 0, -3};
  std::vector<double> doubles = {0.25, 1e6};
  const auto floats_before = floats;
  const auto doubles_before = doubles;
  for (size_t i = 0; i < kItems; ++i) {
    floats[i % 3] += in[i];
    doubles[i % 2] += in[i];
  }
  run.InOut(floats_before, floats);
  run.InOut(doubles_before, doubles);
  run.In(in);
}

void C11(Run& run) {
  run.Grid(kGlobal, kLocal);
  const auto in = run.random().Integers<int32_t>(kItems);
  const std::vector<int32_t> s_before = {1, 2, 3, 4, 5};
  const std::vector<uint32_t> u_before = {1, ~0u, 3, 4};
  const std::vector<int64_t> l_before = {1, 2};
  const std::vector<uint64_t> ul_before = {3};
  auto s = s_before;
  auto u = u_before;
  auto l = l_before;
  auto ul = ul_before;
  uint32_t sum = 0;
  for (const int32_t v : in) {
    const auto bits = static_cast<uint32_t>(v);
    sum += bits;
    s[2] = std::min(s[2], v);
    s[3] = std::max(s[3], v);
    s[4] += v & 15;
    u[0] |= bits & 0xf0f0;
    u[1] &= bits | 0xffff;
    u[2] ^= bits;
    u[3] = std::max(u[3], bits);
    l[0] += int64_t{v} * 65536;
    l[1] = std::min(l[1], int64_t{v} * 65536);
    ul[0] = std::max(ul[0], static_cast<uint64_t>(int64_t{v}));
  }
  s[0] = static_cast<int32_t>(1 + sum);
  s[1] = static_cast<int32_t>(2 - sum);
  run.InOut(s_before, s);
  run.InOut(u_before, u);
  run.InOut(l_before, l);
  run.InOut(ul_before, ul);
  run.In(in);
}

void FloatMinMax(Run& run) {
  run.Grid(kGlobal, kLocal);
  const auto in = run.random().Floats(kItems, -1000, 1000);
  run.InOut<float>({2000}, {*std::min_element(in.begin(), in.end())});
  run.InOut<float>({-2000}, {*std::max_element(in.begin(), in.end())});
  run.In(in);
}

void Lock(Run& run) {
  constexpr int32_t kGroups = kItems / 64;
  run.Grid(kGlobal, kLocal);
  run.InOut<int32_t>({0}, {0});
  run.InOut<int32_t>({7, 0}, {7 + kGroups * (63 * 64 / 2), kGroups});
  run.Judged<uint32_t>(std::vector<uint32_t>(kGroups, ~0u), JudgeIds);
}

void Wrap(Run& run) {
  constexpr uint32_t kBound = 5;
  run.Grid({128}, kLocal);
  std::vector<uint32_t> before, after, old;
  for (uint32_t i = 0; i < 128; ++i) before.push_back(i < 100 ? i % 10 : ~0u - i);
  // Vega ISA: INC: tmp >= data ? 0 : tmp + 1. DEC: tmp == 0 or tmp > data ? data : tmp - 1.
  const auto increment = [](uint32_t v, uint32_t bound) { return v >= bound ? 0 : v + 1; };
  const auto decrement = [](uint32_t v, uint32_t bound) {
    return v == 0 || v > bound ? bound : v - 1;
  };
  for (const uint32_t start : before) {
    uint32_t v = start;
    uint32_t cell = start;
    uint32_t sum = v;
    v = increment(v, kBound);
    sum = sum * 31 + v;
    v = increment(v, kBound);
    sum = sum * 31 + v;
    v = decrement(v, kBound - 2);
    sum = sum * 31 + cell;
    cell = increment(cell, kBound);
    sum = sum * 31 + cell;
    cell = decrement(cell, kBound - 1);
    old.push_back(sum * 31 + cell);
    after.push_back(v);
  }
  run.InOut(before, after);
  run.Out(old);
  run.Value(kBound);
}

}  // namespace
}  // namespace atomics_kernels

void AddAtomicsKernels(Suite& suite) {
  using namespace atomics_kernels;
  const std::string source = "atomics.cl";
  suite.Add({source, "atomic_shared32", Shared<int32_t, uint32_t>});
  suite.Add({source, "atomic_shared64", Shared<int64_t, uint64_t>});
  suite.Add({source, "atomic_old32", Old<int32_t, uint32_t>});
  suite.Add({source, "atomic_old64", Old<int64_t, uint64_t>});
  suite.Add({source, "atomic_local32", Local<int32_t, uint32_t>});
  suite.Add({source, "atomic_local64", Local<int64_t, uint64_t>});
  suite.Add({source, "atomic_tickets", Tickets});
  suite.Add({source, "atomic_append", Append});
  suite.Add({source, "atomic_float_cas", FloatCas});
  suite.Add({source, "atomic_c11", C11});
  suite.Add({source, "atomic_float_min_max", FloatMinMax});
  suite.Add({source, "atomic_lock", Lock});
  suite.Add({source, "atomic_wrap", Wrap});
}

}  // namespace gcnjit::kernel_tests
