#include "report/bench_page.h"

#include <fmt/format.h>

#include "report/bench_sections.h"
#include "report/chart.h"
#include "report/json_fields.h"

namespace gcnjit::report {
namespace {

using nlohmann::json;

// The fastest; null: none.
const json* BestOf(const json& engines) {
  const json* best = nullptr;
  for (const json& engine : engines) {
    if (best == nullptr || NumberOf(engine, "cpu_seconds") < NumberOf(*best, "cpu_seconds"))
      best = &engine;
  }
  return best;
}

void AddTiles(Page& page, const json& bench) {
  const json& counted = bench["counted"];
  std::vector<Tile> tiles;
  if (const json* best = BestOf(bench["engines"])) {
    const std::string name = best->value("engine", "");
    tiles.push_back({Short(NumberOf(*best, "cpu_seconds") * 1e3) + " ms", "a run, " + name});
    if (NumberOf(*best, "flops_per_second") > 0) {
      tiles.push_back({Percent(NumberOf(*best, "flops_per_second"), NumberOf(*best, "flops_peak")),
                       "of the core's flops, " + name});
    }
    tiles.push_back(
        {Percent(NumberOf(*best, "bytes_per_second"), NumberOf(bench["peaks"], "memory")),
         "of its memory bandwidth, " + name});
  }
  const double vectors = NumberOf(counted, "vector_instructions");
  if (vectors > 0)
    tiles.push_back({Short(NumberOf(counted, "active_lanes") / vectors), "of 64 lanes active"});
  const json& memory = counted["memory"];
  if (NumberOf(memory, "accesses") > 0) {
    tiles.push_back({fmt::format("{} / {}", Short(PerAccess(memory, "lines")),
                                 Short(PerAccess(memory, "least_lines"))),
                     "cache lines an access / at best"});
  }
  const json& lds = counted["lds"];
  if (NumberOf(lds, "accesses") > 0) {
    tiles.push_back(
        {Percent(NumberOf(lds, "passes") - NumberOf(lds, "least_passes"), NumberOf(lds, "passes")),
         "of LDS passes are bank conflicts"});
  }
  page.Tiles(tiles);
}

void AddSpeed(Page& page, const json& bench) {
  page.Section("Speed", "speed");
  std::vector<Bar> bars;
  Table table({"engine", "CPU ms", "wall ms", "runs", "M wave-instr/s", "M items/s", "GFLOP/s",
               "of peak", "GB/s", "of peak", "compile ms"});
  for (const json& engine : bench["engines"]) {
    const double cpu = NumberOf(engine, "cpu_seconds");
    bars.push_back({engine.value("engine", ""), cpu, Short(cpu * 1e3) + " ms"});
    table.Add(
        {TextCell(engine.value("engine", "")), NumberCell(cpu * 1e3),
         NumberCell(NumberOf(engine, "wall_seconds") * 1e3), NumberCell(NumberOf(engine, "runs")),
         NumberCell(NumberOf(engine, "wave_instructions_per_second") / 1e6),
         NumberCell(NumberOf(engine, "work_items_per_second") / 1e6),
         NumberCell(NumberOf(engine, "flops_per_second") / 1e9),
         ShareCell(NumberOf(engine, "flops_per_second"), NumberOf(engine, "flops_peak")),
         NumberCell(NumberOf(engine, "bytes_per_second") / 1e9),
         ShareCell(NumberOf(engine, "bytes_per_second"), NumberOf(bench["peaks"], "memory")),
         engine.contains("compile_seconds") ? NumberCell(NumberOf(engine, "compile_seconds") * 1e3)
                                            : NoCell()});
  }
  page.Html(BarChart("CPU milliseconds of a run", bars));
  page.Html(
      table.Html("Medians of the runs. Rates are of a second of CPU time, summed over threads."));
  for (const json& engine : bench["engines"]) {
    if (!engine.contains("not_compiled") || engine["not_compiled"].empty()) continue;
    std::string text = engine.value("engine", "") + ", not compiled:";
    for (const auto& [name, count] : engine["not_compiled"].items()) {
      text += fmt::format(" {} ({} in the code)", name, count.get<uint64_t>());
    }
    page.Paragraph(text);
  }
}

void AddRoofline(Page& page, const json& bench) {
  const json& counted = bench["counted"];
  const double bytes = NumberOf(counted, "bytes_read") + NumberOf(counted, "bytes_written");
  page.Section("Roofline", "roofline");
  Roofline roofline;
  roofline.memory = NumberOf(bench["peaks"], "memory");
  roofline.intensity = bytes > 0 ? NumberOf(counted, "flops") / bytes : 0;
  for (const auto& [isa, flops] : bench["peaks"]["flops"].items()) {
    roofline.peaks.push_back({isa, flops.get<double>()});
  }
  for (const json& engine : bench["engines"]) {
    roofline.points.push_back({engine.value("engine", ""), NumberOf(engine, "flops_per_second")});
  }
  const std::string chart = RooflineChart(roofline);
  if (chart.empty()) {
    page.Paragraph(bytes > 0 ? "The kernel does no floating-point arithmetic: there is no roof to "
                               "compare it with but that of memory, under Speed."
                             : "The kernel asks for no memory outside LDS.");
    return;
  }
  page.Html(chart);
  page.Paragraph(fmt::format(
      "{} flops for each byte that the kernel asks for. Peaks are measured in the same process, of "
      "one core: multiply-adds in registers, and arrays that are larger than the caches. What "
      "caches serve is no traffic of memory, so points may lie above the slope.",
      Short(roofline.intensity)));
}

std::string SubtitleOf(const json& bench) {
  const json& counted = bench["counted"];
  return fmt::format("{}, {}, {} work-items in {} work-groups, {} host thread{}",
                     bench.value("file", ""), bench.value("target", ""),
                     Count(CountOf(bench, "work_items")), Count(CountOf(counted, "of_workgroups")),
                     bench.value("threads", 1u), bench.value("threads", 1u) == 1 ? "" : "s");
}

std::string HowCounted(const json& counted) {
  const auto groups = CountOf(counted, "workgroups");
  const auto all = CountOf(counted, "of_workgroups");
  return fmt::format(
      "Counts are exact. The interpreter executed {} and observed every instruction. Times are of "
      "the engines' own runs, without any observation.",
      groups == all ? fmt::format("all {} work-groups", Count(all))
                    : fmt::format("the first {} of {} work-groups", Count(groups), Count(all)));
}

}  // namespace

std::string BenchPage(const json& bench) {
  const json& counted = bench["counted"];
  Page page("Kernel " + bench.value("kernel", ""), SubtitleOf(bench));
  AddTiles(page, bench);
  page.Paragraph(HowCounted(counted));
  AddSpeed(page, bench);
  AddRoofline(page, bench);
  AddCounters(page, counted);
  AddMemory(page, counted);
  AddDivergence(page, counted);
  for (const json& engine : bench["engines"]) {
    if (engine.contains("hot")) AddHotSpots(page, engine, counted);
  }
  AddCode(page, counted);
  return page.Finish();
}

}  // namespace gcnjit::report
