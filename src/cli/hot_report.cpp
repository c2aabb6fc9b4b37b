#include "cli/hot_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "cli/code_describer.h"
#include "runtime/check/finding_json.h"
#include "runtime/jit/host_code_map.h"
#include "runtime/program/loaded_program.h"

namespace gcnjit::cli {
namespace {

double Percent(uint64_t part, uint64_t all) {
  return all == 0 ? 0 : 100.0 * static_cast<double>(part) / static_cast<double>(all);
}

HotSpot SpotAt(const CodeDescriber& describer, uint64_t pc, bool is_block) {
  HotSpot spot;
  spot.pc = pc;
  spot.is_block = is_block;
  if (pc == 0) {
    spot.instruction = "entering and leaving compiled code, constants";
    return spot;
  }
  spot.place = describer.PlaceOf(pc);
  spot.instruction = is_block ? "the block here: its stages' begins, ends and loops over lanes"
                              : describer.InstructionAt(pc);
  return spot;
}

}  // namespace

HotReport AttributeSamples(const Program& program, const std::vector<measure::Sample>& samples) {
  HotReport report;
  report.samples = samples.size();
  std::map<std::pair<uint64_t, bool>, uint64_t> counts;
  for (const measure::Sample& sample : samples) {
    if (const auto span = runtime::HostCodeMap::Instance().Find(sample.pc)) {
      ++report.compiled;
      const bool is_block = span->pc == 0;
      ++counts[{is_block ? span->block : span->pc, is_block}];
    } else if (sample.mark) {
      ++report.called;
    }
  }
  const CodeDescriber describer(*program.internal());
  for (const auto& [place, count] : counts) {
    report.spots.push_back(SpotAt(describer, place.first, place.second));
    report.spots.back().samples = count;
  }
  std::ranges::stable_sort(report.spots, std::ranges::greater(), &HotSpot::samples);
  return report;
}

std::string ToText(const HotReport& report, size_t most) {
  std::string text;
  const size_t shown = std::min(most, report.spots.size());
  for (size_t n = 0; n < shown; ++n) {
    const HotSpot& spot = report.spots[n];
    text += fmt::format("  {:5.1f} %  {:<24} {}\n", Percent(spot.samples, report.samples),
                        spot.place, spot.instruction);
    if (!spot.source.empty()) {
      text += fmt::format("{:12}{}\n", "", DescribeSource(spot.source, ", "));
    }
  }
  if (shown < report.spots.size()) {
    uint64_t rest = 0;
    for (size_t n = shown; n < report.spots.size(); ++n) rest += report.spots[n].samples;
    text += fmt::format("  {:5.1f} %  in {} other places (--top)\n", Percent(rest, report.samples),
                        report.spots.size() - shown);
  }
  const uint64_t outside = report.samples - report.compiled - report.called;
  text += fmt::format(
      "  {:5.1f} %  compiled code, which is all of the above\n"
      "  {:5.1f} %  called by it: starting the next group, accesses that it hands over, atomics\n"
      "  {:5.1f} %  outside: starting and ending waves, dispatch, the interpreter\n",
      Percent(report.compiled, report.samples), Percent(report.called, report.samples),
      Percent(outside, report.samples));
  return text;
}

nlohmann::json ToJson(const HotReport& report) {
  nlohmann::json spots = nlohmann::json::array();
  for (const HotSpot& spot : report.spots) {
    nlohmann::json json = {{"place", spot.place},
                           {"pc", spot.pc},
                           {"kind", spot.is_block ? "block" : "instruction"},
                           {"text", spot.instruction},
                           {"source", gcnjit::ToJson(spot.source)},
                           {"samples", spot.samples}};
    if (!spot.source_line.empty()) json["source_line"] = spot.source_line;
    if (!spot.host_code.empty()) json["host_code"] = spot.host_code;
    spots.push_back(std::move(json));
  }
  return {{"samples", report.samples},
          {"compiled", report.compiled},
          {"called", report.called},
          {"outside", report.samples - report.compiled - report.called},
          {"places", std::move(spots)}};
}

}  // namespace gcnjit::cli
