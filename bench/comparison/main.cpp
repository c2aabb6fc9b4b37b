// gcnjit_compare: runs the benchmark kernels on each engine in turn and prints every measurement as
// a line of JSON. bench/compare makes tables of them.
//   gcnjit_compare [--engines interp,avx2,avx512,pocl,native] [--kernels REGEX] [--repetitions N]
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <numeric>
#include <regex>
#include <vector>

#include "comparison/opencl.h"
#include "comparison/rivals.h"
#include "measure/stopwatch.h"

namespace gcnjit::bench {
namespace {

struct Options {
  std::vector<std::string> engines = {"interp", "avx2", "avx512", "pocl", "native"};
  std::string kernels = ".*";
  std::string target = "gfx900";
  std::string code_objects = GCNJIT_BENCH_KERNELS;  // folder of kernels-<target>.co
  std::string source = GCNJIT_BENCH_SOURCE;         // what they were compiled from
  unsigned repetitions = 5;
  bool quick = false;
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

struct Engine {
  std::string name;
  std::unique_ptr<Rival> rival;
};

struct Kernel {
  const Entry& entry;
  std::unique_ptr<Workload> workload;
};

// Of so many engines in a repetition: each comes first in turn, and not always behind the same
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
    const Program program = LoadKernels(device_, options.code_objects, options.target);
    for (const std::string& name : options.engines) {
      if (name == "pocl") {
        opencl_ = std::make_unique<OpenCl>(device_, options.source);
        engines_.push_back({name, MakeOpenClRival(*opencl_)});
        Print({{"pocl",
                {{"device", opencl_->DeviceName()},
                 {"version", opencl_->Version()},
                 {"driver", opencl_->DriverVersion()},
                 {"threads", opencl_->Threads()},
                 {"build_ms", opencl_->build_seconds() * 1e3}}}});
      } else {
        Program own = LoadKernels(device_, options.code_objects, options.target);
        engines_.push_back({name, MakeRival(name, device_, std::move(own))});
      }
    }
  }

  // False: something was wrong somewhere; it has been printed.
  bool Run() {
    const std::vector<Entry> entries = AllEntries();
    const std::regex wanted(options_.kernels);
    std::vector<Kernel> kernels;
    for (const Entry& entry : entries) {
      if (!entry.has_native || !std::regex_match(entry.name, wanted)) continue;
      kernels.push_back(Prepare(entry));
    }
    if (kernels.empty()) {
      throw std::runtime_error(
          fmt::format("--kernels '{}': matches no kernel of bench/kernels.cl", options_.kernels));
    }
    // The first run of each is not timed like the others: it compiles.
    for (unsigned repetition = 0; repetition <= options_.repetitions; ++repetition) {
      for (const Kernel& kernel : kernels) {
        for (const size_t n : OrderOf(repetition, engines_.size())) {
          const Engine& engine = engines_[n];
          ShowProgress(fmt::format("repetition {} of {}: {} on {} ", repetition,
                                   options_.repetitions, kernel.entry.name, engine.name));
          Measure(kernel, engine, repetition);
        }
      }
    }
    ShowProgress("");
    return !failed_;
  }

 private:
  Kernel Prepare(const Entry& entry) {
    ShowProgress(fmt::format("making inputs of {} ", entry.name));
    const uint64_t size = options_.quick ? entry.quick_size : entry.size;
    Kernel kernel{entry, entry.make(device_, size)};
    Print({{"kernel", entry.name},
           {"size", size},
           {"unit", entry.unit},
           {"work", kernel.workload->Work() / entry.unit_scale},
           {"memory_bound", entry.is_memory_bound}});
    const std::string wrong = kernel.workload->CheckReference();
    if (!wrong.empty()) Fail(entry.name, "native", wrong);
    return kernel;
  }

  void Measure(const Kernel& kernel, const Engine& engine, unsigned repetition) {
    const double compiled = engine.rival->CompileSeconds().value_or(0);
    kernel.workload->Reset();
    EmptyCaches();
    const measure::Stopwatch watch;
    std::string wrong = engine.rival->Run(*kernel.workload);
    const measure::Stopwatch::Seconds seconds = watch.Stop();
    if (wrong.empty()) wrong = kernel.workload->Check();
    if (!wrong.empty()) {
      Fail(kernel.entry.name, engine.name, wrong);
      return;
    }
    nlohmann::json line = {{"kernel", kernel.entry.name},
                           {"engine", engine.name},
                           {"repetition", repetition},
                           {"cpu_ms", seconds.cpu * 1e3},
                           {"wall_ms", seconds.wall * 1e3}};
    if (const auto now = engine.rival->CompileSeconds(); now && repetition == 0) {
      line["compile_ms"] = (*now - compiled) * 1e3;
    }
    Print(line);
  }

  // Nobody finds in the caches what the one before has left there: a run of 64 MB of input takes a
  // quarter less time if it does.
  void EmptyCaches() {
    uint64_t sum = 0;
    for (size_t n = 0; n < other_data_.size(); n += 64 / sizeof(uint64_t)) sum += other_data_[n];
    seen_ = sum;
  }

  void Fail(const std::string& kernel, const std::string& engine, const std::string& wrong) {
    failed_ = true;
    Print({{"kernel", kernel}, {"engine", engine}, {"error", wrong}});
  }

  const Options& options_;
  Device device_;
  std::unique_ptr<OpenCl> opencl_;
  std::vector<Engine> engines_;
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
  app.add_flag("--quick", options.quick, "Small sizes");
  app.footer("Example:\n  gcnjit_compare --engines avx512,pocl,native --kernels 'saxpy|triad'");
  CLI11_PARSE(app, argc, argv);
  return Comparison(options).Run() ? 0 : 1;
}

}  // namespace
}  // namespace gcnjit::bench

int main(int argc, char** argv) {
  try {
    return gcnjit::bench::Main(argc, argv);
  } catch (const cl::Error& error) {
    fmt::print(stderr, "gcnjit_compare: {} fails: OpenCL error {}\n", error.what(), error.err());
    return 2;
  } catch (const std::exception& error) {
    fmt::print(stderr, "gcnjit_compare: {}\n", error.what());
    return 2;
  }
}
