// What the environment of the host program asks of the emulated machine.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "gcnjit/check.h"
#include "gcnjit/code_cache.h"
#include "gcnjit/error.h"
#include "gcnjit/launch.h"

namespace gcnjit::hsa {

struct Settings {
  std::vector<std::string> devices;  // processor names, e.g. "gfx900", one for each device
  Engine engine = Engine::kJit;
  unsigned threads = 0;             // host threads a kernel; 0: as many as the machine has
  ChosenCache cache;                // where compiled code is kept
  uint32_t checks = kCheckNothing;  // what to look for in kernels; Checks
  // What to print on stderr when the program ends.
  enum class Report { kNone, kTable, kJson };
  Report statistics = Report::kNone;
  // Say which kernels were not finished when a signal ended the program.
  bool tell_unfinished = false;
  // Path of the gcnjit program, which reads the source lines of reports; empty: they have none.
  std::string program;
  std::string trace_file;  // write a Chrome trace there when the program ends; empty: none
  std::string html_file;   // likewise a page of the statistics
  std::string junit_file;  // likewise JUnit XML: how kernels ended, and what checks have found
};

// GCNJIT_DEVICE, GCNJIT_DEVICES, ROCR_VISIBLE_DEVICES, GCNJIT_ENGINE, GCNJIT_THREADS, GCNJIT_CHECK,
// GCNJIT_STATS, GCNJIT_UNFINISHED, GCNJIT_TRACE, GCNJIT_HTML, GCNJIT_JUNIT, GCNJIT_PROGRAM,
// and those of CacheFromEnvironment. The Error says which one is wrong and what it may be.
Result<Settings> ReadSettings();

}  // namespace gcnjit::hsa
