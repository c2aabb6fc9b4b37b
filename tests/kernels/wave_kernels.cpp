// References of wave.cl: what each lane gets, from the descriptions in the ISA documents
// (Vega ISA: V_READFIRSTLANE_B32, DS_SWIZZLE_B32, DS_PERMUTE_B32, DS_BPERMUTE_B32, the DPP section;
// LLVM's AMDGPU documentation for the builtins' operands).
#include <algorithm>
#include <functional>
#include <limits>
#include <optional>
#include <set>

#include "harness.h"

namespace gcnjit::kernel_tests {
namespace wave_kernels {
namespace {

constexpr int kWave = 64;
constexpr uint32_t kItems = 256;
constexpr Dim3 kGlobal{kItems};
constexpr Dim3 kLocal{128};

using Lanes = std::vector<int32_t>;  // the values of one wave; a partial wave is shorter

std::vector<Lanes> Waves(const std::vector<int32_t>& in) {
  std::vector<Lanes> waves;
  for (size_t begin = 0; begin < in.size(); begin += kWave) {
    const size_t end = std::min(in.size(), begin + kWave);
    waves.emplace_back(in.begin() + static_cast<ptrdiff_t>(begin),
                       in.begin() + static_cast<ptrdiff_t>(end));
  }
  return waves;
}

void ReadLane(Run& run) {
  constexpr int32_t kLane = 37;
  run.Grid(kGlobal, kLocal);
  auto in = run.random().Integers<int32_t>(kItems);
  std::vector<int32_t> out;
  for (const Lanes& wave : Waves(in)) {
    const auto first = [&](auto predicate) {
      return *std::find_if(wave.begin(), wave.end(), predicate);
    };
    std::set<int32_t> distinct;
    // The values in the order of their first lane: the waterfall loop serves them so.
    std::vector<int32_t> order;
    for (const int32_t v : wave) {
      if (distinct.insert(v & 7).second) order.push_back(v & 7);
    }
    for (const int32_t v : wave) {
      out.push_back(wave[0]);
      out.push_back(wave[kLane]);
      out.push_back(wave[(kLane * 3 + 1) % kWave]);
      int32_t r = -1;
      if ((v & 1) != 0) {
        r = first([](int32_t x) { return (x & 1) != 0; }) ^ 2;
      } else if ((v & 2) != 0) {
        r = (first([](int32_t x) { return (x & 3) == 2; }) ^ 8) + 1;
      }
      out.push_back(r);
      out.push_back(
          static_cast<int32_t>(std::find(order.begin(), order.end(), v & 7) - order.begin()) + 1);
    }
  }
  run.Out(out);
  run.In(in);
  run.Value(kLane);
}

void Votes(Run& run) {
  run.Grid({230}, kLocal);  // the last wave has 38 lanes
  const auto in = run.random().IntegersBetween<int32_t>(230, -60, 60);
  auto f = run.random().Floats(230, 0, 1);
  f[3] = f[100] = f[229] = std::numeric_limits<float>::quiet_NaN();
  std::vector<uint64_t> out;
  for (size_t i = 0; i < in.size(); ++i) {
    const size_t begin = i / kWave * kWave;
    const auto mask = [&](auto predicate) {
      uint64_t bits = 0;
      for (size_t j = begin; j < std::min<size_t>(begin + kWave, in.size()); ++j) {
        if (predicate(j)) bits |= uint64_t{1} << (j - begin);
      }
      return bits;
    };
    const uint64_t odd = mask([&](size_t j) { return (in[j] & 1) != 0; });
    const uint64_t below = (uint64_t{1} << (i - begin)) - 1;
    out.push_back(mask([&](size_t j) { return in[j] > 10; }));
    out.push_back(mask([&](size_t j) { return static_cast<uint32_t>(in[j]) < 10; }));
    out.push_back(mask([&](size_t j) { return in[j] < -10; }));
    out.push_back(mask([&](size_t j) { return f[j] > 0.5f; }));
    out.push_back(mask([&](size_t j) { return !(f[j] >= 0.25f); }));
    out.push_back(100 + static_cast<uint64_t>(std::popcount(odd & below)));
    out.push_back(static_cast<uint64_t>(std::popcount(odd) + 100 * std::countr_zero(odd)));
    out.push_back(in[i] < 0 ? mask([&](size_t j) { return in[j] < 0; }) : 5);
  }
  run.Out(out);
  run.In(in);
  run.In(f);
}

// Outputs `columns` values a lane; source(column, lane, wave) gives the value.
void PerLane(Run& run, int columns,
             const std::function<int32_t(int, int, const Lanes&, size_t)>& source,
             std::vector<int32_t> in) {
  run.Grid({static_cast<uint32_t>(in.size())}, kLocal);
  std::vector<int32_t> out;
  size_t item = 0;
  for (const Lanes& wave : Waves(in)) {
    for (int lane = 0; lane < static_cast<int>(wave.size()); ++lane, ++item) {
      for (int column = 0; column < columns; ++column) {
        out.push_back(source(column, lane, wave, item));
      }
    }
  }
  run.Out(out);
  run.In(in);
}

void Swizzle(Run& run) {
  const auto source = [](int column, int lane, const Lanes& wave, size_t) {
    const std::array<int, 7> from = {lane ^ 3,  lane ^ 1,  lane ^ 1,
                                     lane ^ 31, lane & ~7, (lane & ~31) | (lane & 28) | 7,
                                     lane ^ 16};
    return wave[static_cast<size_t>(from[static_cast<size_t>(column)])];
  };
  PerLane(run, 7, source, run.random().Integers<int32_t>(kItems));
}

void Permute(Run& run) {
  const auto source = [](int column, int lane, const Lanes& wave, size_t) {
    const auto at = [&](int other) { return wave[static_cast<size_t>(other % kWave)]; };
    switch (column) {
      case 0: return at(lane * 5 + 3);
      case 1:
        // Which lane sends to this one? 5 is invertible modulo 64.
        for (int from = 0; from < kWave; ++from) {
          if ((from * 5 + 3) % kWave == lane) return at(from);
        }
        return 0;
      case 2: return at(lane / 4);
      default: {
        if (lane % 3 != 0) return -7;
        // A lane to which no active lane sends gets 0.
        const int from = (lane + kWave - 6) % kWave;
        return from % 3 == 0 ? at(from) : 0;
      }
    }
  };
  PerLane(run, 4, source, run.random().Integers<int32_t>(kItems));
}

// The lane that a DPP control reads from; none: out of range.
std::optional<int> DppSource(int control, int lane) {
  const int row = lane & ~15;
  const int column = lane & 15;
  const auto within_row = [&](int other) -> std::optional<int> {
    if (other < 0 || other > 15) return std::nullopt;
    return row + other;
  };
  const auto within_wave = [](int other) -> std::optional<int> {
    if (other < 0 || other > 63) return std::nullopt;
    return other;
  };
  if (control < 0x100) return (lane & ~3) + ((control >> (2 * (lane & 3))) & 3);
  if (control <= 0x10f) return within_row(column + (control & 15));
  if (control <= 0x11f) return within_row(column - (control & 15));
  if (control <= 0x12f) return row + ((column - (control & 15)) & 15);
  switch (control) {
    case 0x130: return within_wave(lane + 1);
    case 0x134: return (lane + 1) & 63;
    case 0x138: return within_wave(lane - 1);
    case 0x13c: return (lane - 1) & 63;
    case 0x140: return row + 15 - column;
    case 0x141: return (lane & ~7) + 7 - (lane & 7);
    case 0x142: return row == 0 ? std::nullopt : std::optional(row - 1);
    case 0x143: return lane < 32 ? std::nullopt : std::optional(31);
    default: return std::nullopt;
  }
}

void Dpp(Run& run) {
  struct Control {
    int control;
    int row_mask;
    int bank_mask;
    bool bound_zero;
  };
  const std::array<Control, 17> controls = {{{0x1b, 15, 15, false},
                                             {0x55, 15, 15, false},
                                             {0x101, 15, 15, false},
                                             {0x10f, 15, 15, true},
                                             {0x112, 15, 15, false},
                                             {0x118, 15, 15, true},
                                             {0x123, 15, 15, false},
                                             {0x130, 15, 15, false},
                                             {0x134, 15, 15, false},
                                             {0x138, 15, 15, false},
                                             {0x13c, 15, 15, false},
                                             {0x140, 15, 15, false},
                                             {0x141, 15, 15, false},
                                             {0x142, 10, 15, false},
                                             {0x143, 12, 15, false},
                                             {0xb1, 5, 15, false},
                                             {0xb1, 15, 6, false}}};
  const auto source = [controls](int column, int lane, const Lanes& wave, size_t item) {
    const int32_t old = -1000 - static_cast<int32_t>(item);
    if (column == 17) {
      // Only every lane whose value is a multiple of four takes part; a source that does not
      // take part counts as out of range: the old value stays.
      if ((wave[static_cast<size_t>(lane)] & 3) != 0) return 1;
      const auto from = DppSource(0x111, lane);
      if (!from || (wave[static_cast<size_t>(*from)] & 3) != 0) return old;
      return wave[static_cast<size_t>(*from)];
    }
    const Control& c = controls[static_cast<size_t>(column)];
    const bool row_on = ((c.row_mask >> (lane / 16)) & 1) != 0;
    const bool bank_on = ((c.bank_mask >> (lane % 16 / 4)) & 1) != 0;
    if (!row_on || !bank_on) return old;
    const auto from = DppSource(c.control, lane);
    if (!from) return c.bound_zero ? 0 : old;
    return wave[static_cast<size_t>(*from)];
  };
  PerLane(run, 18, source, run.random().Integers<int32_t>(kItems));
}

void DppScan(Run& run) {
  const auto source = [](int, int lane, const Lanes& wave, size_t) {
    uint32_t sum = 0;
    for (int j = 0; j <= lane; ++j) sum += static_cast<uint32_t>(wave[static_cast<size_t>(j)]);
    return static_cast<int32_t>(sum);
  };
  PerLane(run, 1, source, run.random().Integers<int32_t>(kItems));
}

void SubGroups(Run& run) {
  auto in = run.random().IntegersBetween<int32_t>(kItems, -980, 1000);
  in[5] = -995;
  in[100] = 77;
  const auto source = [](int column, int lane, const Lanes& wave, size_t item) {
    const auto begin = wave.begin();
    const auto here = begin + lane;
    int32_t sum = 0;
    for (auto it = begin; it != here; ++it) sum += *it;
    int32_t total = 0;
    for (const int32_t v : wave) total += v;
    switch (column) {
      case 0: return total;
      case 1: return *std::max_element(begin, wave.end());
      case 2: return sum + *here;
      case 3: return sum;
      case 4: return *std::min_element(begin, here + 1);
      case 5: return wave[9];
      case 6: return static_cast<int32_t>(std::count(begin, wave.end(), 77) > 0);
      case 7: return static_cast<int32_t>(*std::min_element(begin, wave.end()) > -990);
      case 8: return lane + 100 * static_cast<int32_t>(item % 128 / 64);
      case 9: return static_cast<int32_t>(wave.size()) + 6400;
      default: return 2;
    }
  };
  PerLane(run, 11, source, in);
}

}  // namespace
}  // namespace wave_kernels

void AddWaveKernels(Suite& suite) {
  using namespace wave_kernels;
  const std::string source = "wave.cl";
  suite.Add({source, "wave_readlane", ReadLane});
  suite.Add({source, "wave_votes", Votes});
  suite.Add({source, "wave_swizzle", Swizzle});
  suite.Add({source, "wave_permute", Permute, {}, kDppTargets});
  suite.Add({source, "wave_dpp", Dpp, {}, kDppTargets});
  suite.Add({source, "wave_dpp_scan", DppScan, {}, kDppTargets});
  suite.Add({source, "wave_sub_groups", SubGroups});
}

}  // namespace gcnjit::kernel_tests
