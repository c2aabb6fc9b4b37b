// What ran and for how long: the table of GCNJIT_STATS and the file of GCNJIT_TRACE.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "gcnjit/launch.h"
#include "runtime/hsa/settings.h"

namespace gcnjit::hsa {

class Recorder {
 public:
  explicit Recorder(const Settings& settings)
      : statistics_(settings.statistics), trace_file_(settings.trace_file) {}

  // Is anything recorded at all?
  bool IsOn() const { return statistics_ || !trace_file_.empty(); }

  // A kernel has run, in that queue. `items` is the size of the grid; times are those of Now().
  void Ran(const std::string& kernel, uint64_t queue, uint64_t items, const Statistics& statistics,
           uint64_t start, uint64_t end);
  void Copied(const char* name, unsigned engine, uint64_t bytes, uint64_t start, uint64_t end);

  // Prints and writes what was asked for, once. To be called when the process ends.
  void Write();

 private:
  struct Kernel {
    uint64_t launches = 0;
    uint64_t items = 0;
    uint64_t wave_instructions = 0;
    uint64_t nanoseconds = 0;
    // Of the kernel's program, after its last launch.
    double compile_seconds = 0;
    std::map<std::string, uint64_t> not_compiled;
  };
  struct Event {
    std::string name;
    bool is_copy = false;
    uint64_t track = 0;  // queue or copy engine
    uint64_t start = 0;
    uint64_t end = 0;
    uint64_t size = 0;  // work-items or bytes
  };
  void PrintTable() const;
  void WriteTrace() const;

  const bool statistics_;
  const std::string trace_file_;
  std::mutex mutex_;  // guards what follows
  std::map<std::string, Kernel> kernels_;
  uint64_t copies_ = 0;
  uint64_t copied_bytes_ = 0;
  uint64_t copy_nanoseconds_ = 0;
  std::vector<Event> events_;
  bool written_ = false;
};

}  // namespace gcnjit::hsa
