// What gcnjit bench prints: rates, and how near they are to what the machine can do.
#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cli/bench_runs.h"
#include "cli/kernel_work.h"

namespace gcnjit::cli {

// Of one core.
struct Peaks {
  std::map<std::string, double> flops;  // a second, by instruction set
  double memory = 0;                    // bytes a second
};
Peaks MeasurePeaks();

struct BenchReport {
  std::string kernel;
  std::string target;
  uint64_t work_items = 0;
  unsigned threads = 1;
  KernelWork work;
  Peaks peaks;
  std::vector<BenchEngine> engines;
};
std::string ToText(const BenchReport& report, size_t most_spots);
nlohmann::json ToJson(const BenchReport& report);

}  // namespace gcnjit::cli
