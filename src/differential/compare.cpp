#include "differential/compare.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <xmmintrin.h>

#include <algorithm>
#include <cstring>

#include "differential/fault_difference.h"
#include "differential/state_difference.h"
#include "frontend/code_object/target.h"

namespace gcnjit::differential {
namespace {

using runtime::kLanes;
using runtime::Wave;
using runtime::WaveEvent;

constexpr uint64_t kBudget = 20000;  // generated loops are bounded well below it
// Registers above the program's own: nothing may be written there.
constexpr uint32_t kGuardVgprs = 2;

bool SameBytes(std::span<const std::byte> a, std::span<const std::byte> b) {
  if (a.size() != b.size()) return false;
  return a.empty() || std::memcmp(a.data(), b.data(), a.size()) == 0;
}

std::span<const std::byte> AccVgprsOf(const runtime::WaveState& wave) {
  return std::as_bytes(std::span(wave.vgpr).subspan(runtime::kFirstAccVgpr, wave.acc_vgpr_count));
}

bool SameRegisters(const Outcome& a, const Outcome& b, uint32_t vgpr_count) {
  const uint32_t rows = std::min<uint32_t>(vgpr_count + kGuardVgprs, runtime::kMaxVgprs);
  return std::memcmp(a.wave.sgpr, b.wave.sgpr, sizeof a.wave.sgpr) == 0 &&
         std::memcmp(a.wave.vgpr, b.wave.vgpr, rows * sizeof a.wave.vgpr[0]) == 0 &&
         SameBytes(AccVgprsOf(a.wave), AccVgprsOf(b.wave)) && a.wave.scc == b.wave.scc &&
         a.wave.mode == b.wave.mode && a.wave.trapsts == b.wave.trapsts && a.wave.pc == b.wave.pc &&
         a.wave.vgpr_count == b.wave.vgpr_count;
}

}  // namespace

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
    CompareRegisters(a, b, std::min<uint32_t>(vgpr_count + kGuardVgprs, runtime::kMaxVgprs),
                     differences);
  }
  return text + ToText(differences);
}

void Comparison::Run(const RunFunction& run, const InitialState& initial, const Program& program,
                     Outcome& outcome) {
  const uint32_t vgpr_count = program.vgpr_count;
  const bool uses_gds = program.uses_gds;
  const uint32_t rows = std::min<uint32_t>(vgpr_count + kGuardVgprs, runtime::kMaxVgprs);
  std::memcpy(&outcome.wave, &initial.wave,
              offsetof(runtime::WaveState, vgpr) + rows * sizeof initial.wave.vgpr[0]);
  const std::span<const std::byte> acc_vgprs = AccVgprsOf(initial.wave);
  std::memcpy(outcome.wave.vgpr[runtime::kFirstAccVgpr], acc_vgprs.data(), acc_vgprs.size());
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

bool Comparison::EndsAlike(const Program& program, const Engine& engine, const Outcome& outcome) {
  if (expected_.event != WaveEvent::kEnd || outcome.event != WaveEvent::kEnd ||
      !outcome.mxcsr_kept || expected_.executed != outcome.executed) {
    return false;
  }
  if (IsExact(engine) && !SameRegisters(expected_, outcome, program.vgpr_count)) return false;
  if (program.uses_gds && !SameBytes(expected_.gds, machine_.gds())) return false;
  return !program.uses_memory || (SameBytes(expected_.memory, machine_.memory()) &&
                                  SameBytes(expected_.lds, machine_.lds()));
}

bool Comparison::IsSame(const Program& program, const Engine& engine, Outcome& outcome) {
  if (EndsAlike(program, engine, outcome)) return true;
  KeepMemory(program, outcome);
  if (expected_.event == WaveEvent::kEnd && outcome.event == WaveEvent::kEnd) return false;
  return Differences(expected_, outcome, program.vgpr_count, IsExact(engine), machine_).empty();
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
  machine_.SetGroup(program.group.size, program.group.id_vgprs);
  machine_.dispatch.processor = program.processor();
  round_ = 0;
  run_reference_ = nullptr;
  run_tested_.clear();
  const uint64_t end = machine_.code() + words.size() * 4;
  const CodeRanges code = {{machine_.code(), end}};
  rows_.reset();
  launch_reference_ = nullptr;
  launch_tested_.clear();
  code_.emplace(program.processor(), code);
  if (program.rows) return LoadRows(program, code);
  run_reference_ = reference_.prepare(*code_);
  for (const Engine& engine : tested_) run_tested_.push_back(engine.prepare(*code_));
}

Verdict Comparison::CompareLoaded(const Program& program, const InitialState& initial) {
  if (program.rows) return CompareRows(program, initial);
  Run(run_reference_, initial, program, expected_);
  if (expected_.event != WaveEvent::kEnd && expected_.event != WaveEvent::kFault) {
    return Verdict::kUnfinished;
  }
  KeepMemory(program, expected_);
  differing_.clear();
  for (size_t n = 0; n < tested_.size(); ++n) {
    Run(run_tested_[n], initial, program, latest_);
    if (IsSame(program, tested_[n], latest_)) continue;
    if (differing_.empty()) std::swap(got_, latest_);
    differing_.push_back(&tested_[n]);
  }
  return differing_.empty() ? Verdict::kSame : Verdict::kDifferent;
}

std::string Comparison::EngineNames() const {
  std::string names = reference_.name;
  for (const Engine& engine : tested_) names += "," + engine.name;
  return names;
}

std::string Comparison::Report(const Program& program) const {
  std::string names;
  for (const Engine* engine : differing_) names += (names.empty() ? "" : ", ") + engine->name;
  const ProgramRows& rows = program.rows;
  const std::string launch =
      rows ? fmt::format(
                 ", {} groups, without {} items at the ends, {} bytes fixed, {} bytes of LDS",
                 fmt::join(rows.groups, " x "), fmt::join(rows.missing_items, ", "),
                 rows.fixed_bytes, rows.lds_bytes) +
                 (got_.threads > 1 ? fmt::format(", on {} threads", got_.threads) : "")
           : std::string();
  return fmt::format(
      "{} {} from {} on {}, seed {}, state {}, mode {:#x}, {} VGPRs, wave {} of "
      "a group of {}, {} VGPRs with ids{}\n{}{}",
      names, differing_.size() == 1 ? "differs" : "differ", reference_.name,
      frontend::TargetOf(program.processor()), program.seed, round_, program.mode,
      program.vgpr_count, program.group.wave, fmt::join(program.group.size, " x "),
      program.group.id_vgprs, launch,
      differing_.empty()
          ? std::string()
          : Differences(expected_, got_, program.vgpr_count, IsExact(*differing_[0]), machine_),
      Listing(program, machine_.code()));
}

}  // namespace gcnjit::differential
