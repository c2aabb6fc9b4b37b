#include "runtime/hsa/recorder.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <utility>

#include "runtime/file_size_signal.h"

namespace gcnjit::hsa {
namespace {

constexpr size_t kMaxEvents = 2'000'000;  // of the trace; what comes later is not recorded

double PerSecond(uint64_t count, uint64_t nanoseconds) {
  return nanoseconds == 0 ? 0 : static_cast<double>(count) * 1e9 / static_cast<double>(nanoseconds);
}

uint64_t FallbacksOf(const Statistics& statistics) {
  uint64_t sum = 0;
  for (const auto& [mnemonic, count] : statistics.not_compiled) sum += count;
  return sum;
}

double Milliseconds(uint64_t nanoseconds) { return static_cast<double>(nanoseconds) / 1e6; }

}  // namespace

void Recorder::Ran(const Run& run, const Statistics& statistics) {
  if (!IsOn()) return;
  const std::scoped_lock lock(mutex_);
  Kernel& kernel = kernels_[run.kernel];
  ++kernel.launches;
  kernel.items += run.items;
  kernel.wave_instructions += statistics.wave_instructions;
  kernel.nanoseconds += run.end - run.start;
  // The JIT counts for a program. What has been added since its last launch is put down to this
  // one; where launches overlap, that may be the wrong one of them.
  Statistics& program = programs_[run.program];
  kernel.compile_seconds += std::max(statistics.compile_seconds - program.compile_seconds, 0.0);
  const uint64_t fallbacks = FallbacksOf(statistics), known = FallbacksOf(program);
  kernel.fallbacks += fallbacks - std::min(known, fallbacks);
  program = statistics;
  if (!trace_file_.empty() && events_.size() < kMaxEvents) {
    events_.push_back({run.kernel, false, run.queue, run.start, run.end, run.items});
  }
}

void Recorder::Checked(const LaunchResult& result) {
  if (!checks_) return;
  const std::scoped_lock lock(mutex_);
  const std::string text = findings_.Add(result);
  // At the end JSON has them all.
  if (statistics_ == Settings::Report::kJson || text.empty()) return;
  std::fflush(stdout);
  std::fputs(text.c_str(), stderr);
}

void Recorder::Copied(const char* name, unsigned engine, uint64_t bytes, uint64_t start,
                      uint64_t end) {
  if (!IsOn()) return;
  const std::scoped_lock lock(mutex_);
  ++copies_;
  copied_bytes_ += bytes;
  copy_nanoseconds_ += end - start;
  if (!trace_file_.empty() && events_.size() < kMaxEvents) {
    events_.push_back({name, true, engine, start, end, bytes});
  }
}

void Recorder::Write() {
  const std::scoped_lock lock(mutex_);
  if (std::exchange(written_, true)) return;
  const runtime::FileSizeSignalBlock block;
  if (statistics_ == Settings::Report::kTable) PrintTable();
  if (statistics_ == Settings::Report::kJson) PrintJson();
  if (checks_ && statistics_ != Settings::Report::kJson) {
    std::fprintf(stderr, "gcnjit: %s\n", findings_.Summary().c_str());
  }
  if (!trace_file_.empty()) WriteTrace();
}

std::map<std::string, uint64_t> Recorder::NotCompiled() const {
  std::map<std::string, uint64_t> not_compiled;
  for (const auto& [address, program] : programs_) {
    for (const auto& [mnemonic, count] : program.not_compiled) not_compiled[mnemonic] += count;
  }
  return not_compiled;
}

// What the JIT has done for them.
Statistics Recorder::OfAllPrograms() const {
  Statistics sum;
  for (const auto& [address, program] : programs_) {
    sum.compiled_regions += program.compiled_regions;
    sum.compile_seconds += program.compile_seconds;
    sum.cached_regions += program.cached_regions;
    sum.cache_seconds += program.cache_seconds;
  }
  return sum;
}

void Recorder::PrintJson() const {
  const Statistics jit = OfAllPrograms();
  nlohmann::json kernels = nlohmann::json::array();
  for (const auto& [name, kernel] : kernels_) {
    kernels.push_back({{"kernel", name},
                       {"launches", kernel.launches},
                       {"work_items", kernel.items},
                       {"wave_instructions", kernel.wave_instructions},
                       {"nanoseconds", kernel.nanoseconds},
                       {"compile_seconds", kernel.compile_seconds},
                       {"fallbacks", kernel.fallbacks}});
  }
  nlohmann::json report = {
      {"kernels", kernels},
      {"copies",
       {{"count", copies_}, {"bytes", copied_bytes_}, {"nanoseconds", copy_nanoseconds_}}},
      {"jit",
       {{"compiled_regions", jit.compiled_regions},
        {"compile_seconds", jit.compile_seconds},
        {"cached_regions", jit.cached_regions},
        {"cache_seconds", jit.cache_seconds},
        {"cache", cache_}}},
      {"not_compiled", NotCompiled()}};
  if (checks_) report["check"] = findings_.ToJson();
  const std::string text = report.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  std::fprintf(stderr, "%s\n", text.c_str());
}

void Recorder::PrintTable() const {
  std::vector<std::pair<std::string, Kernel>> kernels(kernels_.begin(), kernels_.end());
  std::ranges::sort(kernels, [](const auto& a, const auto& b) {
    return a.second.nanoseconds > b.second.nanoseconds;
  });
  std::string text =
      fmt::format("gcnjit: {:>9} {:>13} {:>11} {:>12} {:>9} {:>9}  {}\n", "launches", "work-items",
                  "ms", "M wave-in/s", "JIT ms", "fallbacks", "kernel");
  for (const auto& [name, kernel] : kernels) {
    text += fmt::format("gcnjit: {:>9} {:>13} {:>11.3f} {:>12.2f} {:>9.1f} {:>9}  {}\n",
                        kernel.launches, kernel.items, Milliseconds(kernel.nanoseconds),
                        PerSecond(kernel.wave_instructions, kernel.nanoseconds) / 1e6,
                        kernel.compile_seconds * 1e3, kernel.fallbacks, name);
  }
  text += fmt::format("gcnjit: {} copies of {} bytes in {:.3f} ms\n", copies_, copied_bytes_,
                      Milliseconds(copy_nanoseconds_));
  const Statistics jit = OfAllPrograms();
  text += fmt::format(
      "gcnjit: {} regions compiled in {:.1f} ms, {} from the cache in {:.1f} ms (cache: {})\n",
      jit.compiled_regions, jit.compile_seconds * 1e3, jit.cached_regions, jit.cache_seconds * 1e3,
      cache_);
  const std::map<std::string, uint64_t> not_compiled = NotCompiled();
  if (!not_compiled.empty()) {
    text += "gcnjit: left to the interpreter (occurrences in the code):";
    for (const auto& [mnemonic, count] : not_compiled) {
      text += fmt::format(" {} ({})", mnemonic, count);
    }
    text += '\n';
  }
  std::fputs(text.c_str(), stderr);
}

// The Trace Event Format, which Chrome and Perfetto read: times in microseconds, a process for the
// queues and one for the copy engines.
void Recorder::WriteTrace() const {
  std::FILE* const file = std::fopen(trace_file_.c_str(), "w");
  if (file == nullptr) {
    std::fprintf(stderr, "gcnjit: cannot write the trace to GCNJIT_TRACE=%s\n",
                 trace_file_.c_str());
    return;
  }
  uint64_t first = UINT64_MAX;
  for (const Event& event : events_) first = std::min(first, event.start);
  std::fputs("[\n", file);
  for (const bool copies : {false, true}) {
    const nlohmann::json name = {{"name", "process_name"},
                                 {"ph", "M"},
                                 {"pid", copies ? 2 : 1},
                                 {"args", {{"name", copies ? "copies" : "queues"}}}};
    std::fprintf(file, "%s%s", copies ? ",\n" : "", name.dump().c_str());
  }
  for (const Event& event : events_) {
    const nlohmann::json line = {{"name", event.name},
                                 {"ph", "X"},
                                 {"pid", event.is_copy ? 2 : 1},
                                 {"tid", event.track},
                                 {"ts", static_cast<double>(event.start - first) / 1e3},
                                 {"dur", static_cast<double>(event.end - event.start) / 1e3},
                                 {"args", {{event.is_copy ? "bytes" : "work-items", event.size}}}};
    std::fprintf(file, ",\n%s",
                 line.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace).c_str());
  }
  std::fputs("\n]\n", file);
  const bool has_failed = std::ferror(file) != 0;
  if (std::fclose(file) != 0 || has_failed) {
    std::fprintf(stderr,
                 "gcnjit: the trace in GCNJIT_TRACE=%s is not complete: is the disk full, or the "
                 "file larger than 'ulimit -f' permits?\n",
                 trace_file_.c_str());
  }
}

}  // namespace gcnjit::hsa
