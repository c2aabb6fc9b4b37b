#include "differential/compare.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "frontend/code_object/target.h"

namespace gcnjit::differential {

using runtime::WaveEvent;

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
  waves_.reset();
  rows_.reset();
  const uint64_t end = machine_.code() + words.size() * 4;
  const CodeRanges code = {{machine_.code(), end}};
  code_.emplace(program.processor(), code);
  if (program.rows) {
    rows_.emplace(machine_, program, code, *code_, reference_, tested_);
  } else {
    waves_.emplace(machine_, *code_, reference_, tested_);
  }
}

Verdict Comparison::CompareLoaded(const Program& program, const InitialState& initial) {
  return rows_ ? CompareRows(program, initial) : CompareWaves(program, initial);
}

Verdict Comparison::CompareWaves(const Program& program, const InitialState& initial) {
  waves_->RunReference(program, initial, expected_);
  if (expected_.event != WaveEvent::kEnd && expected_.event != WaveEvent::kFault) {
    return Verdict::kUnfinished;
  }
  KeepMemory(program, machine_, expected_);
  differing_.engines.clear();
  for (size_t n = 0; n < tested_.size(); ++n) {
    waves_->RunTested(n, program, initial, latest_);
    if (!AsExpected(program, tested_[n])) Differs(tested_[n]);
  }
  return differing_.engines.empty() ? Verdict::kSame : Verdict::kDifferent;
}

Verdict Comparison::CompareRows(const Program& program, const InitialState& initial) {
  rows_->RunReference(initial, expected_);
  if (expected_.event == WaveEvent::kNone) return Verdict::kUnfinished;
  KeepMemory(program, machine_, expected_);
  differing_.engines.clear();
  std::vector<unsigned> threads = {1};
  // Other threads take their time to come: from one state is enough.
  if (program.rows.is_orderly && (program.seed + round_) % 3 == 0) {
    threads.push_back(2 + program.seed % 2);
  }
  // What several threads compile and learn at the same time is another matter.
  if (program.seed % 4 < 2) std::ranges::reverse(threads);
  for (size_t n = 0; n < tested_.size(); ++n) {
    if (!rows_->HasLaunches(n)) continue;
    for (const unsigned count : threads) {
      latest_.threads = count;
      rows_->RunTested(n, initial, latest_);
      // Of several faults any may be the one that ends it.
      const bool both_fault =
          expected_.event == WaveEvent::kFault && latest_.event == WaveEvent::kFault;
      if ((both_fault && count > 1) || AsExpected(program, tested_[n])) continue;
      Differs(tested_[n]);
      break;
    }
  }
  return differing_.engines.empty() ? Verdict::kSame : Verdict::kDifferent;
}

bool Comparison::AsExpected(const Program& program, const Engine& engine) {
  return LeavesTheSame(program, expected_, IsExact(engine), machine_, latest_);
}

void Comparison::Differs(const Engine& engine) {
  if (differing_.engines.empty()) std::swap(differing_.first, latest_);
  differing_.engines.push_back(&engine);
}

std::string Comparison::EngineNames() const {
  std::string names = reference_.name;
  for (const Engine& engine : tested_) names += "," + engine.name;
  return names;
}

std::string Comparison::Report(const Program& program) const {
  std::string names;
  for (const Engine* engine : differing()) names += (names.empty() ? "" : ", ") + engine->name;
  const ProgramRows& rows = program.rows;
  const std::string launch =
      rows ? fmt::format(
                 ", {} groups, without {} items at the ends, {} bytes fixed, {} bytes of LDS",
                 fmt::join(rows.groups, " x "), fmt::join(rows.missing_items, ", "),
                 rows.fixed_bytes, rows.lds_bytes) +
                 (got().threads > 1 ? fmt::format(", on {} threads", got().threads) : "")
           : std::string();
  return fmt::format(
      "{} {} from {} on {}, seed {}, state {}, mode {:#x}, {} VGPRs, wave {} of "
      "a group of {}, {} VGPRs with ids{}\n{}{}",
      names, differing().size() == 1 ? "differs" : "differ", reference_.name,
      frontend::TargetOf(program.processor()), program.seed, round_, program.mode,
      program.vgpr_count, program.group.wave, fmt::join(program.group.size, " x "),
      program.group.id_vgprs, launch,
      differing().empty()
          ? std::string()
          : Differences(expected_, got(), program.vgpr_count, IsExact(*differing()[0]), machine_),
      Listing(program, machine_.code()));
}

std::string Comparison::LaunchCase() {
  return rows_->Case(reference_, *differing().front(), initial_, got().threads);
}

}  // namespace gcnjit::differential
