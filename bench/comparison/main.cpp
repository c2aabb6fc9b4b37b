// gcnjit_compare: runs the benchmark kernels on each engine in turn and prints every measurement as
// a line of JSON. bench/compare makes tables of them.
//   gcnjit_compare [--engines interp,avx2,avx512,pocl,native] [--kernels REGEX] [--repetitions N]
//                  [--wide|--obstacles [--sizes small,cache,memory]] [--hot SECONDS]
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <numeric>
#include <regex>
#include <set>
#include <vector>

#include "comparison/profile.h"
#include "comparison/rivals.h"
#include "measure/stopwatch.h"
#include "obstacles/obstacles.h"
#include "wide/wide.h"

namespace gcnjit::bench {
namespace {

struct Options {
  std::vector<std::string> engines = {"interp", "avx2", "avx512", "pocl", "native"};
  std::string kernels = ".*";
  std::string target = "gfx900";
  unsigned repetitions = 5;
  bool quick = false;
  bool wide = false;
  bool obstacles = false;
  std::vector<std::string> sizes = {"small", "cache", "memory"};  // of wide and obstacles
  double hot_seconds = 0;  // not 0: profiles compiled code, so long, and does not measure

  KernelFiles Files() const {
    const std::string name = wide ? "wide" : obstacles ? "obstacles" : "kernels";
    return {GCNJIT_BENCH_KERNELS, name, target,
            GCNJIT_BENCH_SOURCES + (wide ? "/wide" : std::string()) + "/kernels.cl"};
  }
  std::vector<Entry> Entries() const {
    return wide ? WideEntries(sizes) : obstacles ? ObstacleEntries(sizes) : AllEntries();
  }
};

void Print(const nlohmann::json& line) {
  fmt::print("{}\n", line.dump());
  std::fflush(stdout);
}

void ShowProgress(const std::string& text) {
  if (::isatty(STDERR_FILENO) == 0) return;
  fmt::print(stderr, "\r\033[K{}", text);
  std::fflush(stderr);
}

constexpr size_t kMoreThanCaches = 128 << 20;  // bytes

struct NamedRival {
  std::string name;
  std::unique_ptr<Rival> rival;
};

struct Kernel {
  const Entry& entry;
  std::unique_ptr<Workload> workload;
  std::set<std::string> left = {};  // by engines: they are not run again
};

nlohmann::json HeadOf(const Entry& entry) {
  nlohmann::json line = {{"kernel", entry.name}};
  if (!entry.size_class.empty()) line["class"] = entry.size_class;
  return line;
}

// Of so many engines in a repetition: each comes first in turn, and not always after the same
// other one.
std::vector<size_t> OrderOf(unsigned repetition, size_t engines) {
  std::vector<size_t> strides;
  for (size_t stride = 1; stride <= engines; ++stride) {
    if (std::gcd(stride, engines) == 1) strides.push_back(stride);
  }
  const size_t stride = strides[repetition % strides.size()];
  std::vector<size_t> order(engines);
  for (size_t n = 0; n < engines; ++n) order[n] = (repetition + n * stride) % engines;
  return order;
}

class Comparison {
 public:
  explicit Comparison(const Options& options) : options_(options), device_(CreateDevice()) {
    if (options.hot_seconds > 0) EnableProfiles();
    for (const std::string& name : options.engines) {
      engines_.push_back({name, MakeRival(name, device_, options.Files())});
      const nlohmann::json description = engines_.back().rival->Description();
      if (!description.is_null()) Print({{name, description}});
    }
  }

  // False: something was wrong somewhere; it has been printed.
  bool Run() {
    if (options_.obstacles) PrintPairs();
    const std::vector<Entry> entries = options_.Entries();
    const std::regex wanted(options_.kernels);
    std::vector<Kernel> kernels;
    bool any = false;
    for (const Entry& entry : entries) {
      if (!entry.has_native || !std::regex_match(entry.name, wanted)) continue;
      any = true;
      kernels.push_back(Prepare(entry));
      // The buffers of the wide benchmark do not fit into memory together.
      if (options_.wide) RunTogether(kernels);
    }
    if (!any) {
      throw std::runtime_error(fmt::format("--kernels '{}': matches no kernel", options_.kernels));
    }
    RunTogether(kernels);
    ShowProgress("");
    return !failed_;
  }

 private:
  Kernel Prepare(const Entry& entry) {
    ShowProgress(fmt::format("making inputs of {} ", entry.name));
    const uint64_t size = options_.quick ? entry.quick_size : entry.size;
    Kernel kernel{entry, entry.make(device_, size)};
    nlohmann::json head = HeadOf(entry);
    head.update({{"size", size},
                 {"unit", entry.unit},
                 {"work", kernel.workload->Work() / entry.unit_scale},
                 {"memory_bound", entry.is_memory_bound}});
    Print(head);
    const std::string wrong = kernel.workload->CheckReference();
    if (!wrong.empty()) Fail(kernel, "native", wrong);
    return kernel;
  }

  // Which kernels are compared with which.
  static void PrintPairs() {
    for (const wide::Obstacle& pair : std::span(wide::kPairs, wide::kPairCount)) {
      Print({{"obstacle", pair.what},
             {"kernel", pair.kernel},
             {"without", pair.without == nullptr ? nlohmann::json() : pair.without}});
    }
  }

  // All repetitions of these kernels, which are then gone.
  void RunTogether(std::vector<Kernel>& kernels) {
    // The first run of each is not timed like the others: it compiles.
    const unsigned repetitions = options_.hot_seconds > 0 ? 0 : options_.repetitions;
    for (unsigned repetition = 0; repetition <= repetitions; ++repetition) {
      for (Kernel& kernel : kernels) {
        for (const size_t n : OrderOf(repetition, engines_.size())) {
          const NamedRival& engine = engines_[n];
          if (kernel.left.contains(engine.name)) continue;
          ShowProgress(fmt::format("repetition {} of {}: {} on {} ", repetition, repetitions,
                                   kernel.entry.name, engine.name));
          Measure(kernel, engine, repetition);
          if (options_.hot_seconds > 0) PrintProfile(kernel, engine);
        }
      }
    }
    for (const NamedRival& engine : engines_) engine.rival->ForgetBuffers();
    kernels.clear();
  }

  void Measure(Kernel& kernel, const NamedRival& engine, unsigned repetition) {
    const double compiled = engine.rival->CompileSeconds().value_or(0);
    kernel.workload->Reset();
    if (kernel.entry.size_class.empty() || kernel.entry.size_class == "memory") {
      EmptyCaches();
    } else if (repetition > 0) {
      // The smaller classes of the wide benchmark are to find data and code in the caches, and no
      // thread of the rival before that is not quite done.
      (void)engine.rival->Run(*kernel.workload);
      kernel.workload->Reset();
    }
    const measure::Stopwatch watch;
    std::string wrong = engine.rival->Run(*kernel.workload);
    const measure::Stopwatch::Seconds seconds = watch.Stop();
    if (!wrong.empty() && engine.rival->MayRefuse()) {
      Leave(kernel, engine.name, "refused", wrong);
      return;
    }
    if (wrong.empty()) wrong = kernel.workload->Check();
    if (!wrong.empty()) {
      Fail(kernel, engine.name, wrong);
      return;
    }
    nlohmann::json line = HeadOf(kernel.entry);
    line.update({{"engine", engine.name},
                 {"repetition", repetition},
                 {"cpu_ms", seconds.cpu * 1e3},
                 {"wall_ms", seconds.wall * 1e3}});
    if (const auto now = engine.rival->CompileSeconds(); now && repetition == 0) {
      line["compile_ms"] = (*now - compiled) * 1e3;
    }
    Print(line);
  }

  void PrintProfile(const Kernel& kernel, const NamedRival& engine) {
    if (engine.rival->CompiledProgram() == nullptr || kernel.left.contains(engine.name)) return;
    nlohmann::json line = HeadOf(kernel.entry);
    line.update(
        {{"engine", engine.name},
         {"hot", cli::ToJson(Profile(*engine.rival, *kernel.workload, options_.hot_seconds))}});
    Print(line);
  }

  // No engine finds in the caches what the one before has left there: a run of 64 MB of input takes
  // a quarter less time if it does.
  void EmptyCaches() {
    uint64_t sum = 0;
    for (size_t n = 0; n < other_data_.size(); n += 64 / sizeof(uint64_t)) sum += other_data_[n];
    seen_ = sum;
  }

  void Fail(Kernel& kernel, const std::string& engine, const std::string& wrong) {
    failed_ = true;
    Leave(kernel, engine, "error", wrong);
  }

  // The engine does not run the kernel any more.
  static void Leave(Kernel& kernel, const std::string& engine, const char* kind,
                    const std::string& reason) {
    kernel.left.insert(engine);
    nlohmann::json line = HeadOf(kernel.entry);
    line.update({{"engine", engine}, {kind, reason}});
    Print(line);
  }

  const Options& options_;
  Device device_;
  std::vector<NamedRival> engines_;
  const std::vector<uint64_t> other_data_ = std::vector<uint64_t>(kMoreThanCaches / 8, 1);
  volatile uint64_t seen_ = 0;  // of it
  bool failed_ = false;
};

int Main(int argc, char** argv) {
  Options options;
  CLI::App app(
      "Runs the benchmark kernels on gcnjit's engines, PoCL and native C++, one after the other, "
      "and prints measurements as lines of JSON. bench/compare makes a table of them.");
  app.add_option("--engines", options.engines, "Of interp, avx2, avx512, pocl, native")
      ->delimiter(',')
      ->capture_default_str();
  app.add_option("--kernels", options.kernels, "Regular expression of whole names")
      ->capture_default_str();
  app.add_option("--repetitions", options.repetitions, "Timed runs of each kernel on each engine")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  app.add_option("--target", options.target, "GPU target of the kernels")->capture_default_str();
  CLI::Option* const quick = app.add_flag("--quick", options.quick, "Small sizes");
  CLI::Option* const wide =
      app.add_flag("--wide", options.wide, "The kernels of bench/wide")->excludes(quick);
  app.add_flag("--obstacles", options.obstacles, "The pairs of kernels of bench/obstacles")
      ->excludes(quick)
      ->excludes(wide);
  app.add_option("--sizes", options.sizes, "With --wide and --obstacles: of small, cache, memory")
      ->delimiter(',')
      ->excludes(quick)
      ->capture_default_str();
  app.add_option("--hot", options.hot_seconds,
                 "Instead of measuring, say where compiled code spends its time: seconds of CPU "
                 "time for each kernel and engine")
      ->check(CLI::PositiveNumber);
  app.footer("Example:\n  gcnjit_compare --engines avx512,pocl,native --kernels 'saxpy|triad'");
  CLI11_PARSE(app, argc, argv);
  if (app.count("--sizes") > 0 && !options.wide && !options.obstacles) {
    throw std::runtime_error(
        "--sizes: the twelve kernels have one size; add --wide or --obstacles");
  }
  if (options.obstacles && std::ranges::count(options.engines, "pocl") > 0) {
    throw std::runtime_error(
        "--obstacles: its kernels are not for PoCL; add --engines avx2,avx512,native");
  }
  return Comparison(options).Run() ? 0 : 1;
}

}  // namespace
}  // namespace gcnjit::bench

int main(int argc, char** argv) {
  try {
    return gcnjit::bench::Main(argc, argv);
  } catch (const std::exception& error) {
    fmt::print(stderr, "gcnjit_compare: {}\n", error.what());
    return 2;
  }
}
