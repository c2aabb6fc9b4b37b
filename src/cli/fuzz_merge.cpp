#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "cli/fuzz_report.h"

namespace gcnjit::cli {
namespace {

using nlohmann::json;

// Far more than anybody has processors.
constexpr uint64_t kMostShards = 100'000;

bool IsReport(const json& report) {
  if (!report.is_object()) return false;
  for (const char* name : {"engines", "failures", "shard", "targets"}) {
    if (!report.contains(name)) return false;
  }
  return report["failures"].is_array() && report["shard"].is_object() &&
         report["targets"].is_object() &&
         report["shard"].value("count", kMostShards) <= kMostShards;
}

constexpr const char* kNoReport = ": no report of 'gcnjit fuzz --json'";
Error NoMerge(const std::string& why) { return {ErrorCode::kInvalidArgument, "--merge: " + why}; }

// Counts are added up. Shards run at the same time: the longest takes as long as all.
void AddReport(json& sum, const json& part) {
  for (const auto& [key, value] : part.items()) {
    if (!sum.contains(key)) {
      sum[key] = value;
    } else if (value.is_object()) {
      AddReport(sum[key], value);
    } else if (value.is_array()) {
      sum[key].insert(sum[key].end(), value.begin(), value.end());
    } else if (value.is_boolean()) {
      sum[key] = sum[key].get<bool>() && value.get<bool>();
    } else if (key == "seconds") {
      sum[key] = std::max(sum[key].get<double>(), value.get<double>());
    } else {
      sum[key] = sum[key].get<uint64_t>() + value.get<uint64_t>();
    }
  }
}

// What all reports of a campaign have in common, taken out of one of them.
json TakeSettings(json& report) {
  json settings;
  for (const char* name : {"engines", "seed", "states", "count", "rows"}) {
    if (report.contains(name)) settings[name] = report[name];
    report.erase(name);
  }
  json targets = json::array();
  for (const auto& [target, counts] : report.at("targets").items()) targets.push_back(target);
  settings["targets"] = targets;
  settings["shards"] = report.at("shard").at("count");
  return settings;
}

}  // namespace

Result<json> MergeReports(const std::vector<std::pair<std::string, json>>& reports) {
  json merged;
  json common;
  std::set<uint64_t> missing;
  for (const auto& [path, contents] : reports) {
    try {
      if (!IsReport(contents)) return NoMerge(path + kNoReport);
      json report = contents;
      const json settings = TakeSettings(report);
      const auto number = report["shard"].at("number").get<uint64_t>();
      report.erase("shard");
      if (common.is_null()) {
        common = settings;
        for (uint64_t n = 1; n <= settings["shards"].get<uint64_t>(); ++n) missing.insert(n);
      }
      for (const auto& [name, value] : settings.items()) {
        if (value == common[name]) continue;
        return NoMerge(fmt::format("{} and {} are of different campaigns: '{}' is {} and {}",
                                   reports.front().first, path, name, common[name].dump(),
                                   value.dump()));
      }
      if (missing.erase(number) == 0) {
        return NoMerge(fmt::format("{}: shard {} is there already", path, number));
      }
      AddReport(merged, report);
    } catch (const json::exception&) {
      return NoMerge(path + kNoReport);
    }
  }
  if (!missing.empty()) {
    return NoMerge(fmt::format("of {} shards there is no report of {}", common["shards"].dump(),
                               fmt::join(missing, ", ")));
  }
  for (const char* name : {"engines", "seed", "states", "count", "rows"}) {
    if (common.contains(name)) merged[name] = common[name];
  }
  return merged;
}

}  // namespace gcnjit::cli
