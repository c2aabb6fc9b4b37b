#include "cli/fuzz_report_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <nlohmann/json.hpp>
#include <span>
#include <string_view>

namespace gcnjit::cli {
namespace {

using nlohmann::json;

enum class Kind { kWhole, kCount, kFlag, kText, kSeconds, kList, kObject };

struct Member {
  const char* name;
  Kind kind;
  bool is_required = false;
};

// What random programs and sweeps write (fuzz_report.cpp).
constexpr Member kReport[] = {{"engines", Kind::kList, true},   {"failures", Kind::kList, true},
                              {"targets", Kind::kObject, true}, {"shard", Kind::kObject, true},
                              {"seed", Kind::kWhole, true},     {"states", Kind::kWhole},
                              {"count", Kind::kWhole},          {"rows", Kind::kFlag},
                              {"sweep", Kind::kText},           {"quick", Kind::kFlag},
                              {"seconds", Kind::kSeconds},      {"programs", Kind::kCount},
                              {"failed", Kind::kCount},         {"faulted", Kind::kCount},
                              {"unfinished", Kind::kCount},     {"instructions", Kind::kCount}};
constexpr Member kTarget[] = {{"failed", Kind::kCount, true}, {"faulted", Kind::kCount},
                              {"unfinished", Kind::kCount},   {"instructions", Kind::kCount},
                              {"programs", Kind::kCount},     {"rows", Kind::kCount},
                              {"samples", Kind::kCount},      {"waves", Kind::kCount},
                              {"complete", Kind::kFlag},      {"seconds", Kind::kSeconds}};
constexpr Member kShard[] = {{"number", Kind::kWhole, true}, {"count", Kind::kWhole, true}};
constexpr Member kFailure[] = {{"target", Kind::kText, true},  {"report", Kind::kText, true},
                               {"command", Kind::kText, true}, {"seed", Kind::kWhole},
                               {"engines", Kind::kList},       {"row", Kind::kText},
                               {"instructions", Kind::kCount}, {"repeats", Kind::kFlag}};

constexpr uint64_t kMostCounted = UINT64_MAX / kMostShards;

// Why `value` is none of the kind; empty: it is one.
std::string WhyNot(const json& value, Kind kind) {
  switch (kind) {
    case Kind::kWhole:
    case Kind::kCount: {
      const uint64_t most = kind == Kind::kCount ? kMostCounted : UINT64_MAX;
      const bool is_one = value.is_number_unsigned() && value.get<uint64_t>() <= most;
      return is_one ? "" : fmt::format("no whole number from 0 to {}", most);
    }
    case Kind::kSeconds: {
      const bool is_one =
          value.is_number() && std::isfinite(value.get<double>()) && value.get<double>() >= 0;
      return is_one ? "" : "no number of seconds";
    }
    case Kind::kFlag: return value.is_boolean() ? "" : "neither true nor false";
    case Kind::kText: return value.is_string() ? "" : "no text";
    case Kind::kList: return value.is_array() ? "" : "no list";
    case Kind::kObject: return value.is_object() ? "" : "no object";
  }
  return {};
}

std::string Shown(const json& value) {
  if (value.is_object()) return "an object";
  if (value.is_array()) return "a list";
  const std::string text = value.dump(-1, ' ', false, json::error_handler_t::replace);
  return text.size() <= 40 ? text : text.substr(0, 37) + "...";
}

// `place` is how to call `object`, with a dot where that is not the report: "targets.gfx906.".
std::string WhyNone(const json& object, std::span<const Member> members, const std::string& place) {
  for (const Member& member : members) {
    if (!object.contains(member.name)) {
      if (member.is_required) return fmt::format("there is no '{}{}'", place, member.name);
      continue;
    }
    const json& value = object[member.name];
    const std::string why = WhyNot(value, member.kind);
    if (!why.empty()) {
      return fmt::format("'{}{}' is {}, {}", place, member.name, Shown(value), why);
    }
  }
  for (const auto& [name, value] : object.items()) {
    const auto is_it = [&name](const Member& member) { return name == member.name; };
    if (std::ranges::none_of(members, is_it)) {
      return fmt::format("'{}{}' is unknown; another version of gcnjit may have written it", place,
                         name);
    }
  }
  return {};
}

std::string WhyNoTargets(const json& targets) {
  if (targets.empty()) return "'targets' has none";
  for (const auto& [target, counts] : targets.items()) {
    const std::string place = "targets." + target;
    if (!counts.is_object()) return fmt::format("'{}' is {}, no object", place, Shown(counts));
    const std::string why = WhyNone(counts, kTarget, place + ".");
    if (!why.empty()) return why;
  }
  return {};
}

std::string WhyNoFailures(const json& report) {
  const json& failures = report["failures"];
  for (size_t n = 0; n < failures.size(); ++n) {
    const json& failure = failures[n];
    const std::string place = fmt::format("failures.{}", n);
    if (!failure.is_object()) return fmt::format("'{}' is {}, no object", place, Shown(failure));
    const std::string why = WhyNone(failure, kFailure, place + ".");
    if (!why.empty()) return why;
    if (!report["targets"].contains(failure["target"].get<std::string>())) {
      return fmt::format("'{}.target' is {}, none of its targets", place, Shown(failure["target"]));
    }
  }
  return {};
}

std::string WhyNoShard(const json& shard) {
  if (std::string why = WhyNone(shard, kShard, "shard."); !why.empty()) return why;
  const auto number = shard["number"].get<uint64_t>();
  const auto count = shard["count"].get<uint64_t>();
  if (count > kMostShards)
    return fmt::format("it is of {} shards, more than {}", count, kMostShards);
  if (number >= 1 && number <= count) return {};
  return fmt::format("its shard {}/{} is not from 1 to {}", number, count, count);
}

}  // namespace

std::string WhyNoReport(const json& report) {
  if (!report.is_object()) return "it is no JSON object";
  if (!report.contains("shard") && report.contains("engines") && report.contains("targets")) {
    return "it is merged already, and does not say of which shards; give the shards' own reports";
  }
  if (std::string why = WhyNone(report, kReport, ""); !why.empty()) return why;
  if (report.contains("sweep") == report.contains("states")) {
    return "it says neither or both of 'sweep' and 'states': what it is of is unknown";
  }
  const auto is_text = [](const json& name) { return name.is_string(); };
  if (!std::ranges::all_of(report["engines"], is_text)) return "'engines' has what is no text";
  if (std::string why = WhyNoShard(report["shard"]); !why.empty()) return why;
  if (std::string why = WhyNoTargets(report["targets"]); !why.empty()) return why;
  return WhyNoFailures(report);
}

}  // namespace gcnjit::cli
