#include "differential/compare.h"

#include <fmt/format.h>
#include <xmmintrin.h>

#include <algorithm>
#include <cstring>

#include "gcnjit/launch.h"

namespace gcnjit::differential {
namespace {

using runtime::kLanes;
using runtime::Wave;
using runtime::WaveEvent;

constexpr uint64_t kBudget = 20000;  // generated loops are bounded well below it
// Registers above the program's own: nothing may be written there.
constexpr uint32_t kGuardVgprs = 2;
constexpr size_t kShown = 12;  // differences of a kind in a report

const char* Name(WaveEvent event) {
  switch (event) {
    case WaveEvent::kNone: return "none";
    case WaveEvent::kEnd: return "end";
    case WaveEvent::kBarrier: return "barrier";
    case WaveEvent::kYield: return "yield";
    case WaveEvent::kFault: return "fault";
    case WaveEvent::kStopped: return "stopped";
  }
  return "?";
}

std::string FaultText(const runtime::PendingFault& fault) {
  return fmt::format("{}, lane {}, address {:#x}, {} bytes ({})", ToString(fault.kind), fault.lane,
                     fault.address, fault.bytes, fault.detail);
}

bool SameFault(const runtime::PendingFault& a, const runtime::PendingFault& b) {
  return a.kind == b.kind && a.lane == b.lane && a.address == b.address && a.bytes == b.bytes;
}

class Lines {
 public:
  template <typename A, typename B>
  void Value(const std::string& what, A expected, B got) {
    if (expected != got)
      text_ += fmt::format("  {}: expected {:#x}, got {:#x}\n", what, expected, got);
  }
  void Text(const std::string& what, const std::string& expected, const std::string& got) {
    if (expected != got) text_ += fmt::format("  {}: expected {}, got {}\n", what, expected, got);
  }
  void Bytes(const char* what, std::span<const std::byte> a, std::span<const std::byte> b,
             uint64_t base) {
    if (std::ranges::equal(a, b)) return;
    size_t shown = 0;
    for (size_t at = 0; at + 4 <= a.size(); at += 4) {
      uint32_t expected = 0;
      uint32_t got = 0;
      std::memcpy(&expected, &a[at], 4);
      std::memcpy(&got, &b[at], 4);
      if (expected == got) continue;
      if (++shown > kShown) {
        text_ += fmt::format("  {}: ...\n", what);
        return;
      }
      Value(fmt::format("{} {:#x}", what, base + at), expected, got);
    }
  }
  std::string Take() { return std::move(text_); }
  std::string& text() { return text_; }

 private:
  std::string text_;
};

void CompareVgprs(const runtime::WaveState& a, const runtime::WaveState& b, uint32_t count,
                  Lines& lines) {
  for (uint32_t reg = 0; reg < count; ++reg) {
    if (std::memcmp(a.vgpr[reg], b.vgpr[reg], sizeof a.vgpr[reg]) == 0) continue;
    uint64_t differing = 0;
    for (int lane = 0; lane < kLanes; ++lane) {
      if (a.vgpr[reg][lane] != b.vgpr[reg][lane]) differing |= uint64_t{1} << lane;
    }
    const int first = std::countr_zero(differing);
    lines.text() += fmt::format("  v{} lanes {:#018x}; lane {}: expected {:#010x}, got {:#010x}\n",
                                reg, differing, first, a.vgpr[reg][first], b.vgpr[reg][first]);
  }
}

bool SameBytes(std::span<const std::byte> a, std::span<const std::byte> b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size()) == 0;
}

bool SameRegisters(const Outcome& a, const Outcome& b, uint32_t vgpr_count) {
  const uint32_t rows = std::min<uint32_t>(vgpr_count + kGuardVgprs, runtime::kMaxVgprs);
  return std::memcmp(a.wave.sgpr, b.wave.sgpr, sizeof a.wave.sgpr) == 0 &&
         std::memcmp(a.wave.vgpr, b.wave.vgpr, rows * sizeof a.wave.vgpr[0]) == 0 &&
         a.wave.scc == b.wave.scc && a.wave.mode == b.wave.mode && a.wave.pc == b.wave.pc &&
         a.wave.vgpr_count == b.wave.vgpr_count;
}

}  // namespace

std::string Differences(const Outcome& expected, const Outcome& got, uint32_t vgpr_count,
                        bool exact, const Machine& machine) {
  Lines lines;
  const runtime::WaveState& a = expected.wave;
  const runtime::WaveState& b = got.wave;
  if (!got.mxcsr_kept) lines.text() += "  the engine changed the host's MXCSR\n";
  lines.Text("event", Name(expected.event), Name(got.event));
  if (expected.event == WaveEvent::kFault || got.event == WaveEvent::kFault) {
    if (expected.event != got.event || !SameFault(expected.fault, got.fault)) {
      lines.text() += fmt::format("  fault: expected {}, got {}\n", FaultText(expected.fault),
                                  FaultText(got.fault));
    }
    lines.Value("pc", a.pc, b.pc);
    lines.Value("exec", a.exec(), b.exec());
    return lines.Take();
  }
  lines.Value("executed instructions", expected.executed, got.executed);
  lines.Bytes("memory", expected.memory, got.memory, machine.data());
  lines.Bytes("lds", expected.lds, got.lds, 0);
  lines.Bytes("gds", expected.gds, got.gds, 0);
  if (!exact) return lines.Take();
  lines.Value("pc", a.pc, b.pc);
  for (int code = 0; code < 128; ++code) {
    lines.Value(fmt::format("s{} (operand code)", code), a.sgpr[code], b.sgpr[code]);
  }
  lines.Value("scc", a.scc, b.scc);
  lines.Value("mode", a.mode, b.mode);
  lines.Value("vgpr_count", a.vgpr_count, b.vgpr_count);
  CompareVgprs(a, b, std::min<uint32_t>(vgpr_count + kGuardVgprs, runtime::kMaxVgprs), lines);
  return lines.Take();
}

void Comparison::Run(const RunFunction& run, const InitialState& initial, const Program& program,
                     Outcome& outcome) {
  const uint32_t vgpr_count = program.vgpr_count;
  const bool uses_gds = program.uses_gds;
  const uint32_t rows = std::min<uint32_t>(vgpr_count + kGuardVgprs, runtime::kMaxVgprs);
  std::memcpy(&outcome.wave, &initial.wave,
              offsetof(runtime::WaveState, vgpr) + rows * sizeof initial.wave.vgpr[0]);
  if (program.uses_memory) {
    std::memcpy(machine_.memory().data(), initial.memory.data(), initial.memory.size());
    std::memcpy(machine_.lds().data(), initial.lds.data(), initial.lds.size());
  }
  if (uses_gds) std::ranges::fill(machine_.gds(), std::byte{0x5A});
  Wave wave{outcome.wave, machine_.group, machine_.dispatch};
  const uint32_t mxcsr = _mm_getcsr();
  outcome.executed = 0;
  do {
    outcome.executed += run(wave, kBudget - outcome.executed);
    // A wave alone in its group goes on at once.
  } while ((wave.event == WaveEvent::kBarrier || wave.event == WaveEvent::kYield) &&
           outcome.executed < kBudget);
  outcome.mxcsr_kept = _mm_getcsr() == mxcsr;
  _mm_setcsr(mxcsr);
  outcome.event = wave.event;
  outcome.fault = std::move(wave.fault);
}

void Comparison::KeepMemory(const Program& program, Outcome& outcome) {
  const auto keep = [](bool is_used, std::span<const std::byte> bytes, std::vector<std::byte>& in) {
    in.resize(is_used ? bytes.size() : 0);
    if (is_used) std::memcpy(in.data(), bytes.data(), bytes.size());
  };
  keep(program.uses_memory, machine_.memory(), outcome.memory);
  keep(program.uses_memory, machine_.lds(), outcome.lds);
  keep(program.uses_gds, machine_.gds(), outcome.gds);
}

bool Comparison::EndsAlike(const Program& program) {
  if (expected_.event != WaveEvent::kEnd || got_.event != WaveEvent::kEnd || !got_.mxcsr_kept ||
      expected_.executed != got_.executed) {
    return false;
  }
  if (tested_.exact_registers && !SameRegisters(expected_, got_, program.vgpr_count)) return false;
  if (program.uses_gds && !SameBytes(expected_.gds, machine_.gds())) return false;
  return !program.uses_memory || (SameBytes(expected_.memory, machine_.memory()) &&
                                  SameBytes(expected_.lds, machine_.lds()));
}

Verdict Comparison::Compare(const Program& program) {
  Load(program);
  for (round_ = 0; round_ < states_; ++round_) {
    FillInitialState(machine_, program, round_, initial_);
    const Verdict verdict = CompareLoaded(program, initial_);
    if (verdict != Verdict::kSame) return verdict;
  }
  --round_;
  return Verdict::kSame;
}

void Comparison::Load(const Program& program) {
  const std::vector<uint32_t> words = Assemble(program);
  machine_.LoadCode(words);
  machine_.dispatch.generation = program.generation;
  round_ = 0;
  run_reference_ = nullptr;
  run_tested_ = nullptr;
  const uint64_t end = machine_.code() + words.size() * 4;
  code_.emplace(program.generation,
                std::vector<std::pair<uint64_t, uint64_t>>{{machine_.code(), end}});
  run_reference_ = reference_.prepare(*code_);
  run_tested_ = tested_.prepare(*code_);
}

Verdict Comparison::CompareLoaded(const Program& program, const InitialState& initial) {
  Run(run_reference_, initial, program, expected_);
  if (expected_.event != WaveEvent::kEnd && expected_.event != WaveEvent::kFault) {
    return Verdict::kUnfinished;
  }
  KeepMemory(program, expected_);
  Run(run_tested_, initial, program, got_);
  if (EndsAlike(program)) return Verdict::kSame;
  KeepMemory(program, got_);
  if (expected_.event == WaveEvent::kEnd && got_.event == WaveEvent::kEnd) {
    return Verdict::kDifferent;
  }
  const bool exact = tested_.exact_registers;
  return Differences(expected_, got_, program.vgpr_count, exact, machine_).empty()
             ? Verdict::kSame
             : Verdict::kDifferent;
}

std::string Comparison::Report(const Program& program) const {
  return fmt::format(
      "{} differs from {} on {}, seed {}, state {}, mode {:#x}, {} VGPRs\n{}{}", tested_.name,
      reference_.name, frontend::TargetName(program.generation), program.seed, round_, program.mode,
      program.vgpr_count,
      Differences(expected_, got_, program.vgpr_count, tested_.exact_registers, machine_),
      Listing(program, machine_.code()));
}

}  // namespace gcnjit::differential
