// Random programs, each compiled for some targets and run in all engines and on the host.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "source_fuzz/compile.h"
#include "source_fuzz/program.h"

namespace gcnjit::source_fuzz {

struct Options {
  uint64_t seed = 1;
  uint64_t count = 200;                // programs x targets
  double seconds = 0;                  // or until then; 0: no end but `count`
  int kernels = 12;                    // a source
  std::vector<std::string> compilers;  // empty: all that are installed
  std::vector<std::string> levels = {"-O0", "-O1", "-O2", "-O3"};
  std::vector<std::string> targets = {"gfx600", "gfx700", "gfx803", "gfx900", "gfx906"};
  std::string folder = "source_fuzz";  // for sources and failures
  int attempts = 400;                  // of making a failure smaller
  bool is_sanitized = false;           // the host's side finds what is not well defined
};

struct Counts {
  uint64_t executed = 0;
  uint64_t failed = 0;
  uint64_t refused = 0;  // by a compiler
};

// Says on standard output what failed, and where the smaller source is.
Counts Run(const Options& options);

}  // namespace gcnjit::source_fuzz
