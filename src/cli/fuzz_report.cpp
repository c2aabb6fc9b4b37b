#include "cli/fuzz_report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>

namespace gcnjit::cli {
namespace {

using nlohmann::json;

// "1000 programs, 2 failed, 10 faulted, ..."
std::string CountsText(const json& counts) {
  std::string text;
  for (const char* what : {"programs", "rows", "waves", "failed", "faulted", "unfinished"}) {
    if (!counts.contains(what)) continue;
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", counts[what].get<uint64_t>(), what);
  }
  return counts.value("complete", true) ? text : text + "; stopped before its end";
}

std::string FailuresOf(const json& report, const std::string& target) {
  std::string text;
  for (const json& failure : report.at("failures")) {
    if (failure.at("target") != target) continue;
    text += fmt::format("{}(repeat with {})\n", failure.at("report").get<std::string>(),
                        failure.at("command").get<std::string>());
  }
  return text;
}

}  // namespace

json CountsToJson(const differential::CampaignCounts& counts) {
  return {{"programs", counts.executed},
          {"failed", counts.failed},
          {"faulted", counts.faulted},
          {"unfinished", counts.unfinished},
          {"instructions", counts.instructions}};
}

json SweepToJson(const differential::SweepResult& result) {
  return {{"rows", result.rows},      {"failed", result.failed_rows}, {"samples", result.samples},
          {"waves", result.executed}, {"faulted", result.faulted},    {"complete", result.complete},
          {"seconds", result.seconds}};
}

json FailuresToJson(const std::vector<differential::Failure>& failures) {
  json list = json::array();
  for (const differential::Failure& failure : failures) {
    list.push_back({{"target", frontend::TargetName(failure.generation)},
                    {"seed", failure.seed},
                    {"engines", failure.engines},
                    {"instructions", failure.instructions},
                    {"repeats", failure.repeats},
                    {"report", failure.report},
                    {"command", failure.command}});
    if (!failure.row.empty()) list.back()["row"] = failure.row;
  }
  return list;
}

json ShardToJson(const differential::Shard& shard) {
  return {{"number", shard.index + 1}, {"count", shard.count}};
}

bool HasFailed(const json& report) {
  const auto has_failed = [](const json& counts) { return counts.at("failed") != 0; };
  return !report.at("failures").empty() || report.value("failed", uint64_t{0}) != 0 ||
         std::ranges::any_of(report.at("targets"), has_failed);
}

JunitSuite FuzzSuite(const json& report) {
  const auto engines = report.at("engines").get<std::vector<std::string>>();
  JunitSuite suite;
  suite.name = "gcnjit fuzz";
  if (report.contains("shard") && report["shard"]["count"] != 1) {
    suite.name += fmt::format(" {}/{}", report["shard"]["number"].get<uint64_t>(),
                              report["shard"]["count"].get<uint64_t>());
  }
  suite.seconds = report.value("seconds", 0.0);
  for (const auto& [target, counts] : report.at("targets").items()) {
    JunitCase test{target, fmt::format("{}", fmt::join(engines, ",")), {}, {}, {}};
    suite.seconds += counts.value("seconds", 0.0);  // of a sweep
    if (counts.at("failed") != 0) {
      test.outcome = JunitCase::Outcome::kFailed;
      test.message = CountsText(counts);
      test.details = FailuresOf(report, target);
    }
    suite.cases.push_back(std::move(test));
  }
  return suite;
}

std::string DescribeReport(const json& report) {
  std::string text;
  for (const auto& [target, counts] : report.at("targets").items()) {
    text += FailuresOf(report, target) + fmt::format("{}: {}\n", target, CountsText(counts));
  }
  return text;
}

}  // namespace gcnjit::cli
