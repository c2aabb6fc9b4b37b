// What the interpreter has counted.
#include <fmt/format.h>

#include <algorithm>

#include "report/bench_sections.h"
#include "report/chart.h"
#include "report/json_fields.h"

namespace gcnjit::report {
namespace {

using nlohmann::json;

struct CounterRow {
  const char* key;
  const char* name;
  const char* counter;  // of rocprof
  const char* what;
};
constexpr CounterRow kCounters[] = {
    {"valu", "VALU", "SQ_INSTS_VALU", "vector arithmetic, matrices included"},
    {"salu", "SALU", "SQ_INSTS_SALU", "scalar arithmetic"},
    {"vmem_read", "VMEM, loads", "SQ_INSTS_VMEM_RD", "buffer, flat, global and scratch"},
    {"vmem_write", "VMEM, stores", "SQ_INSTS_VMEM_WR", "likewise"},
    {"vmem_atomic", "VMEM, atomics", "", "likewise"},
    {"smem", "SMEM", "SQ_INSTS_SMEM", "scalar loads and stores"},
    {"lds", "LDS", "SQ_INSTS_LDS", "and lane permutations by way of it"},
    {"gds", "GDS", "SQ_INSTS_GDS", ""},
    {"branch", "branches", "SQ_INSTS_BRANCH", "taken or not"},
    {"barrier", "barriers", "", "s_barrier"},
    {"message", "messages, exports", "SQ_INSTS_SENDMSG", ""},
    {"other", "other", "", "s_waitcnt, s_nop, s_endpgm, caches"},
};

std::vector<Bar> Buckets(const json& counts, const std::vector<std::string>& labels) {
  double all = 0;
  for (const json& count : counts) all += count.get<double>();
  std::vector<Bar> bars;
  for (size_t n = 0; n < labels.size() && n < counts.size(); ++n) {
    const auto count = counts[n].get<double>();
    bars.push_back({labels[n], count, Percent(count, all)});
  }
  return bars;
}

// What this instruction does to lanes, lines and banks.
Cell MemoryCell(const json& code) {
  std::string text;
  if (code.contains("memory")) {
    text = fmt::format("{} lines, at best {}", Short(PerAccess(code["memory"], "lines")),
                       Short(PerAccess(code["memory"], "least_lines")));
  }
  if (code.contains("lds")) {
    text += fmt::format("{}{} LDS passes, at best {}", text.empty() ? "" : "; ",
                        Short(PerAccess(code["lds"], "passes")),
                        Short(PerAccess(code["lds"], "least_passes")));
  }
  return TextCell(text);
}

void AddLines(Page& page, const json& counted) {
  const json& memory = counted["memory"];
  page.Heading("Cache lines that a wave's access touches");
  page.Html(ColumnChart(
      "Accesses by the cache lines that they touch",
      Buckets(memory["by_lines"], {"1", "2", "3–4", "5–8", "9–16", "17–32", "33–64", "over 64"})));
  page.Paragraph(
      fmt::format("Lines of {} bytes, outside LDS, scalar accesses left out. 64 lanes that ask for "
                  "4 consecutive "
                  "bytes each touch 4. At best: as many different bytes, one after the other.",
                  memory.value("line_bytes", 64)));
  Table table({"place", "instruction", "accesses", "bytes an access", "lines an access", "at best",
               "of lines used", "source"});
  for (const json& code : counted["code"]) {
    if (!code.contains("memory")) continue;
    const json& of = code["memory"];
    table.Add({CodeCell(code.value("place", "")), CodeCell(code.value("text", "")),
               CountCell(CountOf(of, "accesses")), NumberCell(PerAccess(of, "bytes")),
               NumberCell(PerAccess(of, "lines")), NumberCell(PerAccess(of, "least_lines")),
               ShareCell(NumberOf(of, "least_lines"), NumberOf(of, "lines")), SourceCell(code)});
  }
  page.Html(table.Html("Accesses to memory, by instruction"));
}

void AddBanks(Page& page, const json& counted) {
  page.Heading("LDS bank conflicts");
  const json& lds = counted["lds"];
  page.Paragraph(fmt::format(
      "{} accesses took {} passes, {} more than without conflicts. In a pass each of 32 banks "
      "gives "
      "or takes 4 bytes; 32 lanes of up to 4 bytes, 16 of 8 or 8 of 16 go together. Lanes with the "
      "same dword share it; atomics do not. GPUs differ in details.",
      Count(CountOf(lds, "accesses")), Count(CountOf(lds, "passes")),
      Count(CountOf(lds, "passes") - CountOf(lds, "least_passes"))));
  Table table(
      {"place", "instruction", "accesses", "passes an access", "at best", "conflicts", "source"});
  for (const json& code : counted["code"]) {
    if (!code.contains("lds")) continue;
    const json& of = code["lds"];
    table.Add(
        {CodeCell(code.value("place", "")), CodeCell(code.value("text", "")),
         CountCell(CountOf(of, "accesses")), NumberCell(PerAccess(of, "passes")),
         NumberCell(PerAccess(of, "least_passes")),
         ShareCell(NumberOf(of, "passes") - NumberOf(of, "least_passes"), NumberOf(of, "passes")),
         SourceCell(code)});
  }
  page.Html(table.Html("Accesses to LDS, by instruction"));
}

}  // namespace

double PerAccess(const json& counts, const char* what) {
  const double accesses = NumberOf(counts, "accesses");
  return accesses > 0 ? NumberOf(counts, what) / accesses : 0;
}

std::string PlaceOf(const std::string& file, unsigned line) {
  return line == 0 ? file : fmt::format("{}:{}", file, line);
}

std::string SourceText(const json& spot) {
  if (!spot.contains("source") || spot["source"].empty()) return {};
  const json& frame = spot["source"][0];
  const std::string file = frame.value("file", "");
  const std::string name = file.substr(file.rfind('/') + 1);
  std::string line = spot.value("source_line", "");
  line.erase(0, std::min(line.find_first_not_of(' '), line.size()));
  return PlaceOf(name, frame.value("line", 0u)) + (line.empty() ? "" : "  " + line);
}

Cell SourceCell(const json& spot) { return CodeCell(SourceText(spot)); }

void AddCounters(Page& page, const json& counted) {
  page.Section("What the waves execute", "counters");
  const double waves = std::max(NumberOf(counted, "waves"), 1.0);
  const double all = NumberOf(counted, "wave_instructions");
  page.Paragraph(fmt::format(
      "{} waves, {} instructions. The counters are those of AMD's profilers, which add up the same "
      "events on a GPU.",
      Count(CountOf(counted, "waves")), Count(CountOf(counted, "wave_instructions"))));
  Table table({"kind", "a wave", "in all", "share", "counter", "what it is"});
  for (const CounterRow& row : kCounters) {
    const double count = NumberOf(counted["instructions"], row.key);
    if (count == 0) continue;
    table.Add({TextCell(row.name), NumberCell(count / waves),
               CountCell(static_cast<uint64_t>(count)), ShareCell(count, all),
               CodeCell(row.counter), TextCell(row.what)});
  }
  page.Html(table.Html("Instructions executed, by kind"));
}

void AddMemory(Page& page, const json& counted) {
  page.Section("Memory", "memory");
  const bool has_lines = NumberOf(counted["memory"], "accesses") > 0;
  const bool has_banks = NumberOf(counted["lds"], "accesses") > 0;
  page.Paragraph(fmt::format("Lanes ask for {} bytes to read and {} to write, outside LDS.",
                             Count(CountOf(counted, "bytes_read")),
                             Count(CountOf(counted, "bytes_written"))));
  if (has_lines) AddLines(page, counted);
  if (has_banks) AddBanks(page, counted);
}

void AddDivergence(Page& page, const json& counted) {
  page.Section("Divergence", "divergence");
  page.Html(ColumnChart(
      "Vector instructions by the lanes that are active",
      Buckets(counted["by_active_lanes"],
              {"none", "1–8", "9–16", "17–24", "25–32", "33–40", "41–48", "49–56", "57–64"})));
  page.Paragraph(
      "Vector instructions, memory accesses included, by how many of the 64 lanes EXEC enabled.");
  Table table({"block", "executed", "instructions", "lanes active", "of 64", "source"});
  for (const json& block : counted["blocks"]) {
    const double vectors = NumberOf(block, "vector_instructions");
    const double lanes = NumberOf(block, "active_lanes");
    table.Add({CodeCell(block.value("place", "")), CountCell(CountOf(block, "executed")),
               CountCell(CountOf(block, "instructions")),
               vectors > 0 ? NumberCell(lanes / vectors) : NoCell(), ShareCell(lanes, 64 * vectors),
               SourceCell(block)});
  }
  page.Html(table.Html("Blocks: what waves enter at its first instruction only"));
}

void AddCode(Page& page, const json& counted) {
  page.Section("All instructions", "code");
  Table table({"place", "instruction", "executed", "lanes active", "memory, an access", "source"});
  for (const json& code : counted["code"]) {
    const double executed = NumberOf(code, "executed");
    const bool by_lanes = code.value("by_lanes", false);
    table.Add(
        {CodeCell(code.value("place", "")), CodeCell(code.value("text", "")),
         CountCell(CountOf(code, "executed")),
         by_lanes ? NumberCell(NumberOf(code, "active_lanes") / std::max(executed, 1.0)) : NoCell(),
         MemoryCell(code), SourceCell(code)});
  }
  page.Html("<details><summary>Show them, in the order of the code</summary>\n" +
            table.Html("Instructions that were executed") + "</details>\n");
}

}  // namespace gcnjit::report
