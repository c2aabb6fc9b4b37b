// What gcnjit bench prints: rates, and how near they are to what the machine can do.
#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cli/bench_runs.h"
#include "cli/code_notes.h"
#include "cli/kernel_work.h"

namespace gcnjit::cli {

// Of one core.
struct Peaks {
  std::map<std::string, double> flops;  // a second, by instruction set
  double memory = 0;                    // bytes a second
};
Peaks MeasurePeaks();

struct BenchReport {
  std::string file;
  std::string kernel;
  std::string target;
  uint64_t work_items = 0;
  unsigned threads = 1;
  KernelWork work;
  CodeNotes notes;  // of what was counted
  Peaks peaks;
  std::vector<BenchEngine> engines;
};

// A second of CPU time.
struct Rates {
  double wave_instructions = 0;
  double work_items = 0;
  double flops = 0;
  double bytes = 0;
};
Rates RatesOf(const BenchReport& report, const BenchEngine& engine);
// Flops a second of the instruction set that the engine is written for.
double FlopPeakOf(const BenchReport& report, const BenchEngine& engine);

std::string ToText(const BenchReport& report, size_t most_spots);
nlohmann::json ToJson(const BenchReport& report);

}  // namespace gcnjit::cli
