#include "harness/compare.h"

#include <fmt/format.h>

#include <cstring>

#include "harness/value.h"
#include "isa/instruction.h"

namespace gcnjit::isa_tests {
namespace {

using runtime::WaveState;

constexpr int kMaxShown = 6;
constexpr int kShownRegisters = 6;

std::string ScalarName(int code) {
  switch (code) {
    case frontend::kCodeVccLo: return "vcc_lo";
    case frontend::kCodeVccHi: return "vcc_hi";
    case frontend::kCodeM0: return "m0";
    case frontend::kCodeExecLo: return "exec_lo";
    case frontend::kCodeExecHi: return "exec_hi";
    default: return fmt::format("s{}", code);
  }
}

class Report {
 public:
  void Add(const std::string& name, uint32_t got, uint32_t expected, const std::string& more = {}) {
    if (++count_ > kMaxShown) return;
    text_ +=
        fmt::format("  {}: got {}, expected {}{}\n", name, Show(got, 32), Show(expected, 32), more);
  }
  std::string Text() const {
    if (count_ <= kMaxShown) return text_;
    return text_ + fmt::format("  and {} more differences\n", count_ - kMaxShown);
  }

 private:
  int count_ = 0;
  std::string text_;
};

// The first registers of a lane before execution: cases keep their inputs there.
std::string LaneInputs(const WaveState& initial, int lane) {
  std::string text = "\n    before:";
  for (int reg = 0; reg < kShownRegisters; ++reg) {
    text += fmt::format(" v{}={}", reg, Show(initial.vgpr[reg][lane], 32));
  }
  return text;
}

std::string ScalarInputs(const WaveState& initial) {
  std::string text = fmt::format("\n    before: scc={} m0={:#x}", initial.scc, initial.m0());
  for (int reg = 0; reg < kShownRegisters; ++reg) {
    text += fmt::format(" s{}={:#x}", reg, initial.sgpr[reg]);
  }
  return text;
}

}  // namespace

std::string CompareStates(const WaveState& initial, const WaveState& actual,
                          const WaveState& expected) {
  if (std::memcmp(&actual, &expected, sizeof(WaveState)) == 0) return {};
  Report report;
  for (int code = 0; code < 128; ++code) {
    if (actual.sgpr[code] != expected.sgpr[code]) {
      report.Add(ScalarName(code), actual.sgpr[code], expected.sgpr[code], ScalarInputs(initial));
    }
  }
  if (actual.scc != expected.scc) {
    report.Add("scc", actual.scc, expected.scc, ScalarInputs(initial));
  }
  if (actual.mode != expected.mode) report.Add("mode", actual.mode, expected.mode);
  if (actual.pc != expected.pc) {
    report.Add("pc (from the section's start)", static_cast<uint32_t>(actual.pc - initial.pc),
               static_cast<uint32_t>(expected.pc - initial.pc));
  }
  if (actual.vgpr_count != expected.vgpr_count) {
    report.Add("vgpr_count", actual.vgpr_count, expected.vgpr_count);
  }
  for (int reg = 0; reg < runtime::kVectorRegisters; ++reg) {
    for (int lane = 0; lane < runtime::kLanes; ++lane) {
      if (actual.vgpr[reg][lane] == expected.vgpr[reg][lane]) continue;
      report.Add(fmt::format("{} lane {}", frontend::VectorRegisterName(reg), lane),
                 actual.vgpr[reg][lane], expected.vgpr[reg][lane], LaneInputs(initial, lane));
    }
  }
  return report.Text();
}

std::string CompareMemory(const std::string& name, const std::vector<uint32_t>& actual,
                          const std::vector<uint32_t>& expected) {
  if (actual.size() != expected.size()) {
    return fmt::format("  {}: expectations go beyond its {} dwords\n", name, actual.size());
  }
  Report report;
  for (size_t n = 0; n < actual.size(); ++n) {
    if (actual[n] != expected[n])
      report.Add(fmt::format("{}[{}]", name, n * 4), actual[n], expected[n]);
  }
  return report.Text();
}

}  // namespace gcnjit::isa_tests
