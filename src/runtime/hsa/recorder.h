// What ran and for how long, and what was wrong with it: the table of GCNJIT_STATS, the files of
// GCNJIT_TRACE, GCNJIT_HTML and GCNJIT_JUNIT, the findings of GCNJIT_CHECK.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "gcnjit/launch.h"
#include "runtime/hsa/check_log.h"
#include "runtime/hsa/settings.h"
#include "runtime/hsa/trace_file.h"

namespace gcnjit::hsa {

class Recorder {
 public:
  explicit Recorder(const Settings& settings)
      : statistics_(settings.statistics),
        trace_file_(settings.trace_file),
        html_file_(settings.html_file),
        junit_file_(settings.junit_file),
        tell_unfinished_(settings.tell_unfinished),
        checks_(settings.checks),
        cache_(settings.cache.text) {}

  // Is there anything to say at the end?
  bool HasReport() const { return TellsUnfinished() || checks_ != kCheckNothing; }
  // Are Began and Ended of use?
  bool TellsUnfinished() const { return IsOn() || tell_unfinished_; }

  // A queue's kernel begins; it has not finished until Ran or Ended.
  void Began(uint64_t queue, const std::string& kernel);
  struct Run {
    std::string kernel;
    const void* program = nullptr;  // that the kernel belongs to
    uint64_t queue = 0;
    uint64_t items = 0;  // size of the grid
    uint64_t start = 0;  // times of Now()
    uint64_t end = 0;
  };
  void Ran(const Run& run, const Statistics& statistics);
  // The queue's kernel has ended, if in another way.
  void Ended(uint64_t queue);
  // Notes a fault, and prints what was found for the first time.
  void Checked(const LaunchResult& result, confined::LoadedLines& lines);
  void Copied(const char* name, unsigned engine, uint64_t bytes, uint64_t start, uint64_t end);

  // Prints and writes what was asked for, once. To be called when the process ends.
  void Write(bool is_by_signal);

 private:
  struct UnfinishedKernel {
    std::string name;
    uint64_t start = 0;  // a time of Now()
  };
  struct Kernel {
    uint64_t launches = 0;
    uint64_t items = 0;
    uint64_t wave_instructions = 0;
    uint64_t nanoseconds = 0;
    double compile_seconds = 0;
    uint64_t fallbacks = 0;  // occurrences of instructions left to the interpreter
  };
  // Is every launch recorded?
  bool IsOn() const {
    return statistics_ != Settings::Report::kNone || !trace_file_.empty() || !html_file_.empty() ||
           !junit_file_.empty();
  }
  std::map<std::string, uint64_t> NotCompiled() const;
  Statistics OfAllPrograms() const;
  std::string Table() const;
  nlohmann::json Json() const;
  std::string Unfinished() const;
  std::string Junit() const;

  const Settings::Report statistics_;
  const std::string trace_file_;
  const std::string html_file_;
  const std::string junit_file_;
  const bool tell_unfinished_;
  const uint32_t checks_;
  const std::string cache_;  // where it is, or why there is none
  std::mutex mutex_;         // guards what follows
  std::map<std::string, Kernel> kernels_;
  std::map<uint64_t, UnfinishedKernel> unfinished_;  // by queue
  std::map<const void*, Statistics> programs_;       // as they were after the last launch of each
  uint64_t copies_ = 0;
  uint64_t copied_bytes_ = 0;
  uint64_t copy_nanoseconds_ = 0;
  std::vector<TraceEvent> events_;
  CheckLog findings_;
  std::map<std::string, FaultReport> faults_;  // the first of each kernel
  bool written_ = false;
};

}  // namespace gcnjit::hsa
