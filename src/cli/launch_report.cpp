#include "cli/launch_report.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

namespace gcnjit::cli {
namespace {

using differential::LaunchDifference;
using differential::LaunchDivergence;
using differential::MemoryDifference;
using runtime::check::AllocationMap;

std::string Text(const LaunchDifference& difference, const AllocationMap& names) {
  std::string text = difference.end;
  for (const MemoryDifference& at : difference.memory) {
    const AllocationMap::Named buffer = names.NameAt(at.address);
    text += fmt::format("  {} + {:#x}: expected {:#010x}, got {:#010x}; {} byte{} of it differ{}\n",
                        buffer.name, at.address - buffer.begin, at.expected, at.got, at.bytes,
                        at.bytes == 1 ? "" : "s", at.bytes == 1 ? "s" : "");
  }
  return text;
}

nlohmann::json ToJson(const LaunchDifference& difference, const AllocationMap& names) {
  nlohmann::json json = {{"end", difference.end}, {"memory", nlohmann::json::array()}};
  for (const MemoryDifference& at : difference.memory) {
    const AllocationMap::Named buffer = names.NameAt(at.address);
    json["memory"].push_back({{"buffer", buffer.name},
                              {"offset", at.address - buffer.begin},
                              {"expected", at.expected},
                              {"got", at.got},
                              {"bytes", at.bytes}});
  }
  return json;
}

std::string WhenIt(const LaunchDivergence& found) {
  if (found.threads > 1) {
    return fmt::format(", and so is the launch on one host thread: it differs on {}.",
                       found.threads);
  }
  return found.launches == 1 ? "." : ": not at first, but once its code knows the memory.";
}

}  // namespace

std::string DescribeLaunch(const AllocationMap& names, const differential::Engine& reference,
                           uint64_t groups, const LaunchDivergence& found) {
  std::string text = fmt::format(
      "The whole launch in {} differs from {}, though each of its {} work-groups by itself is "
      "the same{}\nAt its end:\n{}",
      found.engine->name, reference.name, groups, WhenIt(found), Text(found.at_end, names));
  if (found.groups != 0) {
    const auto& id = found.last_group;
    text += fmt::format(
        "It takes the first {} work-groups, up to ({}, {}, {}); with one fewer all is right:\n{}",
        found.groups, id[0], id[1], id[2], Text(found.with_groups, names));
  }
  if (found.threads > 1) {
    return text +
           "The interpreter leaves the same in any order of the groups. What is wrong shows when\n"
           "groups run at the same time. Please report it with the code object and this command;\n"
           "'gcnjit run --threads 1' is right.\n";
  }
  return text +
         "Code for single waves is right. What is wrong is code for all waves of a group\n"
         "together, or how code goes on to the next group of a row. Please report it with\n"
         "the code object and this command; 'gcnjit run --engine interp' is right.\n";
}

nlohmann::json LaunchToJson(const AllocationMap& names, const LaunchDivergence& found) {
  nlohmann::json json = {{"engine", found.engine->name},
                         {"launches", found.launches},
                         {"threads", found.threads},
                         {"at_launch_end", ToJson(found.at_end, names)}};
  if (found.groups != 0) {
    json["groups"] = found.groups;
    json["workgroup"] = found.last_group;
    json["with_groups"] = ToJson(found.with_groups, names);
  }
  return json;
}

}  // namespace gcnjit::cli
