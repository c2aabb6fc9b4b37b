#include "differential/state_difference.h"

#include <fmt/format.h>

#include <bit>
#include <cstring>

namespace gcnjit::differential {
namespace {

constexpr size_t kShownDwords = 12;

void CompareValue(const std::string& what, uint64_t expected, uint64_t got,
                  StateDifferences& differences) {
  if (expected != got) differences.push_back({what, 0, -1, expected, got});
}

// Of one register, in some lanes.
void CompareLanes(uint32_t reg, const uint32_t (&expected)[runtime::kLanes],
                  const uint32_t (&got)[runtime::kLanes], uint64_t lanes,
                  StateDifferences& differences) {
  if (std::memcmp(expected, got, sizeof expected) == 0) return;
  uint64_t differing = 0;
  for (int lane = 0; lane < runtime::kLanes; ++lane) {
    if (expected[lane] != got[lane]) differing |= uint64_t{1} << lane;
  }
  differing &= lanes;
  if (differing == 0) return;
  const int first = std::countr_zero(differing);
  differences.push_back({frontend::VectorRegisterName(static_cast<int>(reg)), differing, first,
                         expected[first], got[first]});
}

void CompareModeAndPc(const runtime::WaveState& a, const runtime::WaveState& b,
                      StateDifferences& differences) {
  CompareValue("mode", a.mode, b.mode, differences);
  CompareValue("trapsts", a.trapsts, b.trapsts, differences);
  CompareValue("pc", a.pc, b.pc, differences);
}

std::string NameOfScalar(int code) { return fmt::format("s{} (operand code)", code); }

}  // namespace

void CompareRegisters(const runtime::WaveState& a, const runtime::WaveState& b, uint32_t vgpr_count,
                      StateDifferences& differences) {
  CompareModeAndPc(a, b, differences);
  CompareValue("vgpr_count", a.vgpr_count, b.vgpr_count, differences);
  CompareValue("scc", a.scc, b.scc, differences);
  for (int code = 0; code < 128; ++code) {
    CompareValue(NameOfScalar(code), a.sgpr[code], b.sgpr[code], differences);
  }
  for (uint32_t reg = 0; reg < vgpr_count; ++reg) {
    CompareLanes(reg, a.vgpr[reg], b.vgpr[reg], ~uint64_t{0}, differences);
  }
  for (uint32_t n = 0; n < a.acc_vgpr_count; ++n) {
    const uint32_t reg = runtime::kFirstAccVgpr + n;
    CompareLanes(reg, a.vgpr[reg], b.vgpr[reg], ~uint64_t{0}, differences);
  }
}

void CompareLiveRegisters(const runtime::WaveState& a, const runtime::WaveState& b,
                          const frontend::LivePoint& live, StateDifferences& differences) {
  CompareModeAndPc(a, b, differences);
  if (live.live.scc) CompareValue("scc", a.scc, b.scc, differences);
  for (size_t code = 0; code < 128; ++code) {
    if (!live.live.sgprs[code]) continue;
    CompareValue(NameOfScalar(static_cast<int>(code)), a.sgpr[code], b.sgpr[code], differences);
  }
  const auto compare = [&](uint32_t from, uint32_t count) {
    for (uint32_t reg = from; reg < from + count; ++reg) {
      if (!live.live.vgprs[reg]) continue;
      const uint64_t lanes = live.wide[reg] ? ~uint64_t{0} : a.exec();
      CompareLanes(reg, a.vgpr[reg], b.vgpr[reg], lanes, differences);
    }
  };
  compare(0, a.vgpr_count);
  compare(runtime::kFirstAccVgpr, a.acc_vgpr_count);
}

void CompareBytes(const std::string& what, std::span<const std::byte> expected,
                  std::span<const std::byte> got, uint64_t base, StateDifferences& differences) {
  const size_t bytes = std::min(expected.size(), got.size());
  if (bytes == 0 || std::memcmp(expected.data(), got.data(), bytes) == 0) return;
  size_t shown = 0;
  for (size_t at = 0; at < bytes; at += 4) {
    uint32_t a = 0;
    uint32_t b = 0;
    std::memcpy(&a, &expected[at], std::min<size_t>(4, bytes - at));
    std::memcpy(&b, &got[at], std::min<size_t>(4, bytes - at));
    if (a == b) continue;
    differences.push_back({fmt::format("{} {:#x}", what, base + at), 0, -1, a, b});
    if (++shown == kShownDwords) return;
  }
}

std::string ToText(const StateDifferences& differences) {
  std::string text;
  for (const StateDifference& d : differences) {
    text += d.lane < 0
                ? fmt::format("  {}: expected {:#x}, got {:#x}\n", d.what, d.expected, d.got)
                : fmt::format("  {} lanes {:#018x}; lane {}: expected {:#010x}, got {:#010x}\n",
                              d.what, d.lanes, d.lane, d.expected, d.got);
  }
  return text;
}

}  // namespace gcnjit::differential
