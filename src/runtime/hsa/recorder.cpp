#include "runtime/hsa/recorder.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <string_view>
#include <utility>

#include "report/exec_page.h"
#include "report/launch_cases.h"
#include "runtime/host/file_size_signal.h"
#include "runtime/hsa/clock.h"
#include "runtime/hsa/ending_signals.h"
#include "runtime/hsa/report_file.h"

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

// Not by stderr, whose lock the thread may hold that waits for this.
void Print(std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(STDERR_FILENO, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return;
    text.remove_prefix(static_cast<size_t>(written));
  }
}

// Of this process, for a heading.
std::string CommandLine() {
  constexpr size_t kMostBytes = 200;
  std::ifstream file("/proc/self/cmdline", std::ios::binary);
  std::string line(kMostBytes, '\0');
  file.read(line.data(), kMostBytes);
  line.resize(static_cast<size_t>(file.gcount()));
  while (line.ends_with('\0')) line.pop_back();
  std::ranges::replace(line, '\0', ' ');
  return line;
}

std::string WriteText(const std::string& path, const std::string& what, const std::string& variable,
                      const std::string& text) {
  return WriteReportFile(path, what, variable,
                         [&](std::FILE* file) { std::fwrite(text.data(), 1, text.size(), file); });
}

double Milliseconds(uint64_t nanoseconds) { return static_cast<double>(nanoseconds) / 1e6; }

}  // namespace

void Recorder::Began(uint64_t queue, const std::string& kernel) {
  const std::scoped_lock lock(mutex_);
  unfinished_[queue] = {kernel, Now()};
}

void Recorder::Ended(uint64_t queue) {
  if (!TellsUnfinished()) return;
  const std::scoped_lock lock(mutex_);
  unfinished_.erase(queue);
}

void Recorder::Ran(const Run& run, const Statistics& statistics) {
  if (!TellsUnfinished()) return;
  const std::scoped_lock lock(mutex_);
  unfinished_.erase(run.queue);
  if (!IsOn()) return;
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

void Recorder::Checked(const LaunchResult& result, confined::LoadedLines& lines) {
  const std::scoped_lock lock(mutex_);
  if (result.fault) faults_.try_emplace(result.fault->kernel, *result.fault);
  if (checks_ == kCheckNothing) return;
  const std::string text = findings_.Add(result, lines);
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

void Recorder::Write(bool is_by_signal) {
  // First: a signal in this thread would wait for the lock that it holds.
  const EndingSignalsBlock no_signals;
  const std::scoped_lock lock(mutex_);
  if (std::exchange(written_, true)) return;
  const runtime::FileSizeSignalBlock block;
  std::string text;
  if (statistics_ == Settings::Report::kTable) text += Table();
  if (statistics_ == Settings::Report::kTable || tell_unfinished_) text += Unfinished();
  if (tell_unfinished_ && is_by_signal && unfinished_.empty())
    text += "gcnjit: no kernel was running\n";
  if (statistics_ == Settings::Report::kJson) {
    text += Json().dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + '\n';
  }
  if (checks_ != kCheckNothing && statistics_ != Settings::Report::kJson) {
    text += fmt::format("gcnjit: {}\n", findings_.Summary());
  }
  Print(text);
  if (!html_file_.empty()) {
    Print(WriteText(html_file_, "page", "GCNJIT_HTML", report::ExecPage(Json(), CommandLine())));
  }
  if (!junit_file_.empty()) Print(WriteText(junit_file_, "report", "GCNJIT_JUNIT", Junit()));
  if (trace_file_.empty()) return;
  for (const auto& [queue, kernel] : unfinished_) {
    events_.push_back({kernel.name, false, queue, kernel.start, 0, 0});
  }
  Print(WriteTrace(trace_file_, events_));
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

nlohmann::json Recorder::Json() const {
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
      {"not_compiled", NotCompiled()},
      {"unfinished", nlohmann::json::array()}};
  const uint64_t now = Now();
  for (const auto& [queue, kernel] : unfinished_) {
    report["unfinished"].push_back(
        {{"kernel", kernel.name}, {"queue", queue}, {"nanoseconds", now - kernel.start}});
  }
  if (checks_ != kCheckNothing) report["check"] = findings_.ToJson();
  return report;
}

// Of each kernel that ran, how it ended and what was found.
std::string Recorder::Junit() const {
  report::JunitSuite suite{"gcnjit exec " + CommandLine(), 0, {}};
  std::set<std::string> names;
  for (const auto& [name, kernel] : kernels_) {
    names.insert(name);
    suite.seconds += static_cast<double>(kernel.nanoseconds) / 1e9;
  }
  for (const auto& [name, fault] : faults_) names.insert(name);
  for (const std::string& name : names) {
    const auto fault = faults_.find(name);
    suite.cases.push_back(fault == faults_.end() ? report::EndCase(name)
                                                 : report::FaultCase(name, fault->second));
    for (report::JunitCase& test : report::CheckCases(name, checks_, findings_.findings())) {
      suite.cases.push_back(std::move(test));
    }
  }
  for (const auto& [queue, kernel] : unfinished_) {
    if (faults_.contains(kernel.name)) continue;
    report::JunitCase test{kernel.name, fmt::format("ends in queue {}", queue), {}, {}, {}};
    test.outcome = report::JunitCase::Outcome::kError;
    test.message = "not finished when the program ended";
    suite.cases.push_back(std::move(test));
  }
  return report::ToXml(suite);
}

std::string Recorder::Unfinished() const {
  const uint64_t now = Now();
  std::string text;
  for (const auto& [queue, kernel] : unfinished_) {
    text += fmt::format("gcnjit: not finished after {:.3f} s, in queue {}: {}\n",
                        static_cast<double>(now - kernel.start) / 1e9, queue, kernel.name);
  }
  return text;
}

std::string Recorder::Table() const {
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
  return text;
}

}  // namespace gcnjit::hsa
