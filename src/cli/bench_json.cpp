// What gcnjit bench prints as JSON, and what its page is made of.
#include <nlohmann/json.hpp>

#include "cli/bench_report.h"
#include "profile/access_pattern.h"
#include "runtime/check/finding_json.h"

namespace gcnjit::cli {
namespace {

using nlohmann::json;

json ToJson(const profile::LineCounts& lines) {
  return {{"accesses", lines.accesses}, {"bytes", lines.bytes},
          {"lines", lines.lines},       {"least_lines", lines.least_lines},
          {"by_lines", lines.by_lines}, {"line_bytes", profile::kLineBytes}};
}

json ToJson(const profile::BankCounts& banks) {
  return {
      {"accesses", banks.accesses}, {"passes", banks.passes}, {"least_passes", banks.least_passes}};
}

void AddNote(json& to, const CodeNotes& notes, uint64_t pc) {
  const auto found = notes.find(pc);
  if (found == notes.end()) return;
  to["place"] = found->second.place;
  to["source"] = gcnjit::ToJson(found->second.source);
  if (!found->second.source_line.empty()) to["source_line"] = found->second.source_line;
}

json BlocksToJson(const KernelWork& work, const CodeNotes& notes) {
  json blocks = json::array();
  for (const profile::BlockCounts& block : profile::BlocksOf(work.counts)) {
    json& entry = blocks.emplace_back(json{{"executed", block.executed},
                                           {"instructions", block.instructions},
                                           {"vector_instructions", block.vector_instructions},
                                           {"active_lanes", block.active_lanes}});
    AddNote(entry, notes, block.pc);
  }
  return blocks;
}

json CodeToJson(const KernelWork& work, const CodeNotes& notes) {
  json code = json::array();
  for (const auto& [pc, counts] : work.counts) {
    const bool by_lanes = profile::IsVector(counts.kind);
    json& entry = code.emplace_back(json{{"kind", profile::NameOf(counts.kind)},
                                         {"executed", counts.executed},
                                         {"by_lanes", by_lanes}});
    if (by_lanes) entry["active_lanes"] = counts.active_lanes;
    if (counts.lines.accesses != 0) entry["memory"] = ToJson(counts.lines);
    if (counts.banks.accesses != 0) entry["lds"] = ToJson(counts.banks);
    AddNote(entry, notes, pc);
    if (const auto found = notes.find(pc); found != notes.end()) {
      entry["text"] = found->second.instruction;
    }
  }
  return code;
}

json ToJson(const KernelWork& work, const CodeNotes& notes) {
  const profile::CountTotals& totals = work.totals;
  json instructions;
  for (size_t n = 0; n < profile::kInstructionClasses; ++n) {
    const auto kind = static_cast<profile::InstructionClass>(n);
    instructions[std::string(profile::NameOf(kind))] = totals.by_class[n];
  }
  return {{"workgroups", work.groups_counted},
          {"of_workgroups", work.groups},
          {"waves", work.waves},
          {"wave_instructions", totals.instructions},
          {"instructions", std::move(instructions)},
          {"vector_instructions", totals.vector_instructions},
          {"active_lanes", totals.active_lanes},
          {"by_active_lanes", totals.by_lanes},
          {"flops", totals.flops},
          {"bytes_read", totals.bytes_read},
          {"bytes_written", totals.bytes_written},
          {"memory", ToJson(totals.lines)},
          {"lds", ToJson(totals.banks)},
          {"blocks", BlocksToJson(work, notes)},
          {"code", CodeToJson(work, notes)}};
}

json ToJson(const BenchReport& report, const BenchEngine& engine) {
  const Rates rates = RatesOf(report, engine);
  json entry = {{"engine", engine.name},
                {"runs", engine.runs.size()},
                {"cpu_seconds", engine.MedianCpu()},
                {"wall_seconds", engine.MedianWall()},
                {"wave_instructions", engine.statistics.wave_instructions},
                {"wave_instructions_per_second", rates.wave_instructions},
                {"work_items_per_second", rates.work_items},
                {"flops_per_second", rates.flops},
                {"bytes_per_second", rates.bytes},
                {"flops_peak", FlopPeakOf(report, engine)}};
  if (engine.isa) {
    entry["compile_seconds"] = engine.statistics.compile_seconds;
    entry["not_compiled"] = engine.statistics.not_compiled;
  }
  if (engine.hot) entry["hot"] = ToJson(*engine.hot);
  return entry;
}

}  // namespace

json ToJson(const BenchReport& report) {
  json engines = json::array();
  for (const BenchEngine& engine : report.engines) engines.push_back(ToJson(report, engine));
  return {{"kernel", report.kernel},
          {"target", report.target},
          {"file", report.file},
          {"work_items", report.work_items},
          {"threads", report.threads},
          {"counted", ToJson(report.work, report.notes)},
          {"peaks", {{"flops", report.peaks.flops}, {"memory", report.peaks.memory}}},
          {"engines", std::move(engines)}};
}

}  // namespace gcnjit::cli
