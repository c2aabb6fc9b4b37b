#include "differential/outcome.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "differential/fault_difference.h"
#include "differential/state_difference.h"

namespace gcnjit::differential {
namespace {

using runtime::WaveEvent;

bool SameBytes(std::span<const std::byte> a, std::span<const std::byte> b) {
  if (a.size() != b.size()) return false;
  return a.empty() || std::memcmp(a.data(), b.data(), a.size()) == 0;
}

bool SameRegisters(const Outcome& a, const Outcome& b, uint32_t vgpr_count) {
  const uint32_t rows = ComparedVgprs(vgpr_count);
  return std::memcmp(a.wave.sgpr, b.wave.sgpr, sizeof a.wave.sgpr) == 0 &&
         std::memcmp(a.wave.vgpr, b.wave.vgpr, rows * sizeof a.wave.vgpr[0]) == 0 &&
         SameBytes(AccVgprsOf(a.wave), AccVgprsOf(b.wave)) && a.wave.scc == b.wave.scc &&
         a.wave.mode == b.wave.mode && a.wave.trapsts == b.wave.trapsts && a.wave.pc == b.wave.pc &&
         a.wave.vgpr_count == b.wave.vgpr_count;
}

// Did both end without a fault and leave the same?
bool EndsAlike(const Program& program, const Outcome& expected, bool exact, Machine& machine,
               const Outcome& got) {
  if (expected.event != WaveEvent::kEnd || got.event != WaveEvent::kEnd || !got.mxcsr_kept ||
      expected.executed != got.executed) {
    return false;
  }
  if (exact && !SameRegisters(expected, got, program.vgpr_count)) return false;
  if (program.uses_gds && !SameBytes(expected.gds, machine.gds())) return false;
  return !program.uses_memory ||
         (SameBytes(expected.memory, machine.memory()) && SameBytes(expected.lds, machine.lds()));
}

}  // namespace

uint32_t ComparedVgprs(uint32_t vgpr_count) {
  constexpr uint32_t kGuardVgprs = 2;
  return std::min<uint32_t>(vgpr_count + kGuardVgprs, runtime::kMaxVgprs);
}

std::span<const std::byte> AccVgprsOf(const runtime::WaveState& wave) {
  return std::as_bytes(std::span(wave.vgpr).subspan(runtime::kFirstAccVgpr, wave.acc_vgpr_count));
}

void KeepMemory(const Program& program, Machine& machine, Outcome& outcome) {
  const auto keep = [](bool is_used, std::span<const std::byte> bytes, std::vector<std::byte>& in) {
    in.resize(is_used ? bytes.size() : 0);
    if (is_used) std::memcpy(in.data(), bytes.data(), bytes.size());
  };
  keep(program.uses_memory, machine.memory(), outcome.memory);
  keep(program.uses_memory, machine.lds(), outcome.lds);
  keep(program.uses_gds, machine.gds(), outcome.gds);
}

std::string Differences(const Outcome& expected, const Outcome& got, uint32_t vgpr_count,
                        bool exact, const Machine& machine) {
  const runtime::WaveState& a = expected.wave;
  const runtime::WaveState& b = got.wave;
  std::string text;
  if (!got.mxcsr_kept) text += "  the engine changed the host's MXCSR\n";
  if (expected.event != got.event) {
    text += fmt::format("  event: expected {}, got {}\n", Name(expected.event), Name(got.event));
  }
  if (expected.event == WaveEvent::kFault || got.event == WaveEvent::kFault) {
    if (expected.event != got.event || !SameFault(expected.fault, got.fault)) {
      text += fmt::format("  fault: expected {}, got {}\n", FaultText(expected.fault),
                          FaultText(got.fault));
    }
    if (a.pc != b.pc) text += fmt::format("  pc: expected {:#x}, got {:#x}\n", a.pc, b.pc);
    if (a.exec() != b.exec()) {
      text += fmt::format("  exec: expected {:#x}, got {:#x}\n", a.exec(), b.exec());
    }
    return text;
  }
  if (expected.executed != got.executed) {
    text += fmt::format("  executed instructions: expected {}, got {}\n", expected.executed,
                        got.executed);
  }
  StateDifferences differences;
  CompareBytes("memory", expected.memory, got.memory, machine.data(), differences);
  CompareBytes("lds", expected.lds, got.lds, 0, differences);
  CompareBytes("gds", expected.gds, got.gds, 0, differences);
  if (exact) {
    CompareRegisters(a, b, ComparedVgprs(vgpr_count), differences);
  }
  return text + ToText(differences);
}

bool LeavesTheSame(const Program& program, const Outcome& expected, bool exact, Machine& machine,
                   Outcome& got) {
  if (EndsAlike(program, expected, exact, machine, got)) return true;
  KeepMemory(program, machine, got);
  if (expected.event == WaveEvent::kEnd && got.event == WaveEvent::kEnd) return false;
  return Differences(expected, got, program.vgpr_count, exact, machine).empty();
}

}  // namespace gcnjit::differential
