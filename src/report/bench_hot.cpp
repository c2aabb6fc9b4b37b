// Where compiled code spends its time.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "report/bench_sections.h"
#include "report/chart.h"
#include "report/json_fields.h"

namespace gcnjit::report {
namespace {

using nlohmann::json;

constexpr size_t kMostShown = 20;
constexpr size_t kLinesAtOnce = 14;  // of host code; longer pieces are folded

// What was counted at a place, in a line.
std::string CountsAt(const json& code) {
  const auto executed = CountOf(code, "executed");
  std::string text = fmt::format("executed {} times", Count(executed));
  if (code.value("by_lanes", false) && executed != 0) {
    text += fmt::format(", {} lanes active",
                        Short(NumberOf(code, "active_lanes") / static_cast<double>(executed)));
  }
  if (code.contains("memory")) {
    text += fmt::format(", {} cache lines an access (at best {})",
                        Short(PerAccess(code["memory"], "lines")),
                        Short(PerAccess(code["memory"], "least_lines")));
  }
  if (code.contains("lds")) {
    text += fmt::format(", {} LDS passes an access (at best {})",
                        Short(PerAccess(code["lds"], "passes")),
                        Short(PerAccess(code["lds"], "least_passes")));
  }
  return text;
}

std::string HostHtml(const std::string& text) {
  if (text.empty()) return "<p class=\"dim\">–</p>";
  const auto lines = static_cast<size_t>(std::ranges::count(text, '\n'));
  const std::string pre = fmt::format("<pre>{}</pre>", Escape(text));
  if (lines <= kLinesAtOnce) return pre;
  return fmt::format("<details><summary>{} lines</summary>{}</details>", lines, pre);
}

std::string FramesHtml(const json& spot) {
  if (!spot.contains("source") || spot["source"].empty()) {
    return "<p class=\"dim\">no line is known</p>";
  }
  std::string html;
  for (const json& frame : spot["source"]) {
    const std::string function = frame.value("function", "");
    const std::string place = PlaceOf(frame.value("file", ""), frame.value("line", 0u));
    html += fmt::format("<p class=\"dim\">{}{}</p>", Escape(place),
                        function.empty() ? "" : " in " + Escape(function));
    std::string line = spot.value("source_line", "");
    line.erase(0, std::min(line.find_first_not_of(' '), line.size()));
    if (&frame == &spot["source"][0] && !line.empty()) {
      html += fmt::format("<pre>{}</pre>", Escape(line));
    }
  }
  return html;
}

std::string SpotHtml(const json& spot, const json* counts, double samples) {
  const std::string place = spot.value("place", "");
  std::string html = fmt::format("<div class=\"hot\"><h4><b>{}</b> <code>{}</code></h4>\n",
                                 Percent(NumberOf(spot, "samples"), samples), Escape(place));
  html += fmt::format("<div>{}</div>\n", FramesHtml(spot));
  html += fmt::format(
      "<div><pre>{}</pre>{}</div>\n", Escape(spot.value("text", "")),
      counts == nullptr ? "" : fmt::format("<p class=\"dim\">{}</p>", Escape(CountsAt(*counts))));
  return html + fmt::format("<div>{}</div></div>\n", HostHtml(spot.value("host_code", "")));
}

}  // namespace

void AddHotSpots(Page& page, const json& engine, const json& counted) {
  const std::string name = engine.value("engine", "");
  const json& hot = engine["hot"];
  const auto samples = NumberOf(hot, "samples");
  page.Section("Where the time goes, " + name, "hot-" + name);
  page.Paragraph(
      fmt::format("{} samples of one thread. An instruction that is waited for is often charged to "
                  "the next one.",
                  Count(CountOf(hot, "samples"))));
  page.Html(BarChart(
      "Samples",
      {{"compiled code", NumberOf(hot, "compiled"), Percent(NumberOf(hot, "compiled"), samples)},
       {"called by it", NumberOf(hot, "called"), Percent(NumberOf(hot, "called"), samples)},
       {"outside", NumberOf(hot, "outside"), Percent(NumberOf(hot, "outside"), samples)}}));
  page.Paragraph(
      "Called: starting the next group, accesses that compiled code hands over, atomics. Outside: "
      "starting and ending waves, dispatch, the interpreter.");
  std::map<std::string, const json*> by_place;
  for (const json& code : counted["code"]) by_place.emplace(code.value("place", ""), &code);
  page.Heading("Source, guest instruction, host code");
  size_t shown = 0;
  for (const json& spot : hot["places"]) {
    if (shown++ == kMostShown) break;
    const auto found = by_place.find(spot.value("place", ""));
    const bool is_counted = spot.value("kind", "") == "instruction" && found != by_place.end();
    page.Html(SpotHtml(spot, is_counted ? found->second : nullptr, samples));
  }
  const size_t places = hot["places"].size();
  if (places > kMostShown) {
    page.Paragraph(fmt::format("{} other places have fewer samples.", places - kMostShown));
  }
}

}  // namespace gcnjit::report
