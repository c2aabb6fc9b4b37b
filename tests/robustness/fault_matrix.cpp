// The fault matrix (R8, R9) as a program: "N executed, M failed".
#include <fmt/format.h>

#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>

#include "robustness/fault_order.h"
#include "robustness/fault_run.h"

namespace {

constexpr const char* kHelp =
    "fault_matrix [--gen=gfx900] [--every=N] [--first=N] | --random --seed=N --count=N\n"
    "Runs every access x place x lane in each engine and checks the fault reports.\n"
    "  --gen     one generation: gfx600 gfx700 gfx803 gfx900 gfx906 gfx908 gfx90a gfx942; without "
    "it all\n"
    "  --every   only each Nth cell; --first says which one is the first (0)\n"
    "  --random  instead, programs in which several accesses go astray; --count of them for each\n"
    "            generation, from --seed on: each engine must report the same fault\n"
    "Examples: fault_matrix --gen=gfx803 --every=10\n"
    "          fault_matrix --random --seed=1000 --count=5000\n";

int Run(int argc, char** argv) {
  std::string target;
  uint64_t every = 1;
  uint64_t first = 0;
  bool random = false;
  uint64_t seed = 1;
  uint64_t count = 100;
  for (int n = 1; n < argc; ++n) {
    const std::string_view argument = argv[n];
    const auto value = [&](std::string_view name) -> const char* {
      return argument.starts_with(name) ? argv[n] + name.size() : nullptr;
    };
    if (const char* gen = value("--gen=")) {
      target = gen;
    } else if (argument == "--random") {
      random = true;
    } else if (const char* from = value("--seed=")) {
      seed = std::strtoull(from, nullptr, 10);
    } else if (const char* number = value("--count=")) {
      count = std::strtoull(number, nullptr, 10);
    } else if (const char* step = value("--every=")) {
      every = std::strtoull(step, nullptr, 10);
    } else if (const char* start = value("--first=")) {
      first = std::strtoull(start, nullptr, 10);
    } else {
      fmt::print("{}", kHelp);
      return argument == "--help" ? 0 : 2;
    }
  }
  gcnjit::robustness::LaunchCounts counts;
  for (const auto generation : gcnjit::frontend::kGenerations) {
    if (!target.empty() && target != gcnjit::frontend::TargetName(generation)) continue;
    if (random) {
      gcnjit::robustness::RunRandomFaults(generation, seed, count, counts);
    } else {
      gcnjit::robustness::RunFaultMatrix(generation, first, every == 0 ? 1 : every, counts);
    }
  }
  return gcnjit::robustness::Report(counts);
}

}  // namespace

int main(int argc, char** argv) {
  return gcnjit::robustness::RunProgram("fault_matrix", [&] { return Run(argc, argv); });
}
