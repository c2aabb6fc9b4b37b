#include "report/exec_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "report/chart.h"
#include "report/html.h"
#include "report/json_fields.h"
#include "report/page.h"

namespace gcnjit::report {
namespace {

using nlohmann::json;

constexpr size_t kMostBars = 15;
constexpr size_t kLongestLabel = 44;  // characters, beside a bar

double Milliseconds(const json& object) { return NumberOf(object, "nanoseconds") / 1e6; }

// In whole characters.
std::string Shortened(const std::string& name) {
  if (name.size() <= kLongestLabel) return name;
  size_t end = kLongestLabel;
  while (end > 0 && (static_cast<unsigned char>(name[end]) & 0xC0) == 0x80) --end;
  return name.substr(0, end) + "…";
}

// The longest first.
std::vector<const json*> ByTime(const json& kernels) {
  std::vector<const json*> sorted;
  for (const json& kernel : kernels) sorted.push_back(&kernel);
  std::ranges::stable_sort(sorted, [](const json* a, const json* b) {
    return NumberOf(*a, "nanoseconds") > NumberOf(*b, "nanoseconds");
  });
  return sorted;
}

void AddKernels(Page& page, const std::vector<const json*>& kernels, double all) {
  page.Section("Kernels", "kernels");
  if (kernels.empty()) {
    page.Paragraph("No kernel was run to its end.");
    return;
  }
  std::vector<Bar> bars;
  Table table({"kernel", "launches", "ms", "of all", "ms a launch", "work-items",
               "wave-instructions", "M wave-instr/s", "compile ms", "fallbacks"});
  for (const json* kernel : kernels) {
    const std::string name = kernel->value("kernel", "");
    const double ms = Milliseconds(*kernel);
    if (bars.size() < kMostBars) {
      bars.push_back(
          {Shortened(name), ms,
           fmt::format("{} ms, {}", Short(ms), Percent(NumberOf(*kernel, "nanoseconds"), all))});
    }
    const double launches = std::max(NumberOf(*kernel, "launches"), 1.0);
    table.Add({CodeCell(name), CountCell(CountOf(*kernel, "launches")), NumberCell(ms),
               ShareCell(NumberOf(*kernel, "nanoseconds"), all), NumberCell(ms / launches),
               CountCell(CountOf(*kernel, "work_items")),
               CountCell(CountOf(*kernel, "wave_instructions")),
               ms > 0 ? NumberCell(NumberOf(*kernel, "wave_instructions") / ms / 1e3) : NoCell(),
               NumberCell(NumberOf(*kernel, "compile_seconds") * 1e3),
               CountCell(CountOf(*kernel, "fallbacks"))});
  }
  page.Html(BarChart("Milliseconds, by kernel", bars));
  page.Html(table.Html(
      "Kernels that ran to their end. Times are wall times of launches, which may overlap; "
      "fallbacks: instructions in the code that the interpreter has."));
}

void AddRest(Page& page, const json& statistics) {
  const json& jit = statistics["jit"];
  page.Section("Compiling", "compiling");
  page.Paragraph(fmt::format(
      "{} regions compiled in {} ms, {} taken from the cache in {} ms. Cache: {}.",
      Count(CountOf(jit, "compiled_regions")), Short(NumberOf(jit, "compile_seconds") * 1e3),
      Count(CountOf(jit, "cached_regions")), Short(NumberOf(jit, "cache_seconds") * 1e3),
      jit.value("cache", "")));
  if (!statistics["not_compiled"].empty()) {
    Table table({"instruction", "in the code"});
    for (const auto& [name, count] : statistics["not_compiled"].items()) {
      table.Add({CodeCell(name), CountCell(count.get<uint64_t>())});
    }
    page.Html(table.Html("Left to the interpreter"));
  }
  if (!statistics["unfinished"].empty()) {
    page.Section("Not finished", "unfinished");
    Table table({"kernel", "queue", "seconds"});
    for (const json& kernel : statistics["unfinished"]) {
      table.Add({CodeCell(kernel.value("kernel", "")), CountCell(CountOf(kernel, "queue")),
                 NumberCell(NumberOf(kernel, "nanoseconds") / 1e9)});
    }
    page.Html(table.Html("Kernels that were running when the program ended"));
  }
}

void AddFindings(Page& page, const json& check) {
  page.Section("Findings of --check", "findings");
  const json& findings = check["findings"];
  if (findings.empty()) {
    page.Paragraph("There are none.");
    return;
  }
  Table table({"kind", "kernel", "times", "instruction", "detail"});
  for (const json& finding : findings) {
    table.Add({TextCell(finding.value("kind", "")), CodeCell(finding.value("kernel", "")),
               CountCell(CountOf(finding, "count")),
               CodeCell(finding["site"].value("instruction", "")),
               TextCell(finding.value("detail", ""))});
  }
  page.Html(table.Html("Mistakes of kernels"));
}

}  // namespace

std::string ExecPage(const json& statistics, const std::string& command) {
  const std::vector<const json*> kernels = ByTime(statistics["kernels"]);
  double time = 0, launches = 0, instructions = 0;
  for (const json* kernel : kernels) {
    time += NumberOf(*kernel, "nanoseconds");
    launches += NumberOf(*kernel, "launches");
    instructions += NumberOf(*kernel, "wave_instructions");
  }
  const json& copies = statistics["copies"];
  Page page(command, "Kernels on emulated devices");
  page.Tiles({{Short(time / 1e6) + " ms", "in kernels"},
              {Short(launches), "launches"},
              {Short(time > 0 ? instructions / time * 1e3 : 0), "M wave-instructions a second"},
              {Short(Milliseconds(copies)) + " ms",
               fmt::format("in {} copies of {} bytes", Count(CountOf(copies, "count")),
                           Count(CountOf(copies, "bytes")))},
              {Short(NumberOf(statistics["jit"], "compile_seconds") * 1e3) + " ms", "compiling"}});
  AddKernels(page, kernels, time);
  AddRest(page, statistics);
  if (statistics.contains("check")) AddFindings(page, statistics["check"]);
  return page.Finish();
}

}  // namespace gcnjit::report
