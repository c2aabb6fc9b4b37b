#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "cli/fuzz_report.h"
#include "cli/fuzz_report_check.h"

namespace gcnjit::cli {
namespace {

using nlohmann::json;

// What all reports of a campaign have in common; a sweep says what it was of, and programs do
// likewise.
constexpr const char* kSettings[] = {"engines", "seed",  "states", "count",
                                     "rows",    "sweep", "quick"};

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

std::string SettingText(const json& setting) {
  if (setting.is_null()) return "not there";
  return setting.dump(-1, ' ', false, json::error_handler_t::replace);
}

// Takes them out of a report. null: it does not say.
json TakeSettings(json& report) {
  json settings;
  for (const char* name : kSettings) {
    settings[name] = report.value(name, json());
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
    if (const std::string why = WhyNoReport(contents); !why.empty()) {
      return NoMerge(fmt::format("{}: no report of 'gcnjit fuzz --json': {}", path, why));
    }
    json report = contents;
    const json settings = TakeSettings(report);
    const auto number = report["shard"]["number"].get<uint64_t>();
    report.erase("shard");
    if (common.is_null()) {
      common = settings;
      for (uint64_t n = 1; n <= settings["shards"].get<uint64_t>(); ++n) missing.insert(n);
    }
    for (const auto& [name, value] : settings.items()) {
      if (value == common[name]) continue;
      return NoMerge(fmt::format("{} and {} are of different campaigns: '{}' is {} and {}",
                                 reports.front().first, path, name, SettingText(common[name]),
                                 SettingText(value)));
    }
    if (missing.erase(number) == 0) {
      return NoMerge(fmt::format("{}: shard {} is there already", path, number));
    }
    AddReport(merged, report);
  }
  if (!missing.empty()) {
    return NoMerge(fmt::format("of {} shards there is no report of {}", common["shards"].dump(),
                               fmt::join(missing, ", ")));
  }
  for (const char* name : kSettings) {
    if (!common[name].is_null()) merged[name] = common[name];
  }
  return merged;
}

}  // namespace gcnjit::cli
