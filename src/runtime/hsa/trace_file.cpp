#include "runtime/hsa/trace_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "runtime/hsa/ending_signals.h"

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

// What cannot be renamed over: /dev/stdout, a pipe.
bool IsDevice(const std::string& path) {
  struct stat status;
  return ::stat(path.c_str(), &status) == 0 && !S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode);
}

// Null: it cannot be written.
std::FILE* OpenNew(const std::string& path) {
  (void)::unlink(path.c_str());
  const int file = ::open(path.c_str(), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0666);
  if (file < 0) return nullptr;
  std::FILE* const stream = ::fdopen(file, "w");
  if (stream == nullptr) ::close(file);
  return stream;
}

}  // namespace

std::string WriteTrace(const std::string& path, const std::vector<TraceEvent>& events) {
  const bool is_device = IsDevice(path);
  const std::string part = is_device ? path : fmt::format("{}.part-{}", path, ::getpid());
  std::FILE* const file = is_device ? std::fopen(part.c_str(), "we") : OpenNew(part);
  if (file == nullptr) {
    return fmt::format("gcnjit: cannot write the trace to GCNJIT_TRACE={}\n", path);
  }
  Write(file, events);
  bool is_complete = std::ferror(file) == 0;
  is_complete = std::fclose(file) == 0 && is_complete;
  if (is_complete && !is_device) is_complete = std::rename(part.c_str(), path.c_str()) == 0;
  if (is_complete) return {};
  if (!is_device) (void)::unlink(part.c_str());
  return fmt::format(
      "gcnjit: the trace could not be written to GCNJIT_TRACE={}: is the disk full, or the file "
      "larger than 'ulimit -f' permits?\n",
      path);
}

}  // namespace gcnjit::hsa
