#include "runtime/hsa/trace_file.h"

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "runtime/hsa/ending_signals.h"
#include "runtime/hsa/report_file.h"

namespace gcnjit::hsa {
namespace {

constexpr size_t kEventsAStep = 4096;

std::string Dump(const nlohmann::json& json) {
  return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::string LineOf(const TraceEvent& event, uint64_t first) {
  nlohmann::json line = {{"name", event.name},
                         {"ph", event.end == 0 ? "B" : "X"},
                         {"pid", event.is_copy ? 2 : 1},
                         {"tid", event.track},
                         {"ts", static_cast<double>(event.start - first) / 1e3}};
  if (event.end != 0) {
    line["dur"] = static_cast<double>(event.end - event.start) / 1e3;
    line["args"] = {{event.is_copy ? "bytes" : "work-items", event.size}};
  }
  return Dump(line);
}

// The Trace Event Format, which Chrome and Perfetto read: times in microseconds, a process for the
// queues and one for the copy engines.
void Write(std::FILE* file, const std::vector<TraceEvent>& events) {
  uint64_t first = UINT64_MAX;
  for (const TraceEvent& event : events) first = std::min(first, event.start);
  std::fputs("[\n", file);
  for (const bool copies : {false, true}) {
    const nlohmann::json name = {{"name", "process_name"},
                                 {"ph", "M"},
                                 {"pid", copies ? 2 : 1},
                                 {"args", {{"name", copies ? "copies" : "queues"}}}};
    std::fprintf(file, "%s%s", copies ? ",\n" : "", Dump(name).c_str());
  }
  for (size_t n = 0; n < events.size(); ++n) {
    std::fprintf(file, ",\n%s", LineOf(events[n], first).c_str());
    if (n % kEventsAStep == 0) ReportGetsOn();
  }
  std::fputs("\n]\n", file);
}

}  // namespace

std::string WriteTrace(const std::string& path, const std::vector<TraceEvent>& events) {
  return WriteReportFile(path, "trace", "GCNJIT_TRACE",
                         [&](std::FILE* file) { Write(file, events); });
}

}  // namespace gcnjit::hsa
