// gcnjit_bench: registers every workload for every engine and thread count with Google Benchmark.
// A run is checked before it is timed; a wrong result is an error, not a rate.
//   gcnjit_bench [--quick] [--target gfx900] [--size KERNEL=N] [Google Benchmark's own options]
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <limits>
#include <map>
#include <set>

#include "measure/peaks.h"
#include "workload.h"

namespace gcnjit::bench {
namespace {

struct Options {
  std::string target = "gfx900";
  std::string kernels = GCNJIT_BENCH_KERNELS;  // folder of kernels-<target>.co
  bool quick = false;
  std::map<std::string, uint64_t> sizes;  // by kernel, instead of the table's
};

const char* ToString(Engine engine) { return engine == Engine::kJit ? "jit" : "interp"; }

// What all benchmarks share. One workload at a time is kept: benchmarks of a kernel follow each
// other, and the larger ones hold hundreds of megabytes.
class Session {
 public:
  explicit Session(const Options& options)
      : options_(options),
        device_(CreateDevice()),
        program_(LoadKernels(device_, options.kernels, options.target)) {}

  void RunGuest(benchmark::State& state, const Entry& entry, uint64_t size, Engine engine,
                unsigned threads) {
    Workload* workload = Prepare(state, entry, size);
    if (workload == nullptr) return;
    if (checked_.insert(fmt::format("{}/{}", ToString(engine), threads)).second) {
      GuestRunner runner(device_, program_, engine, threads);
      workload->Reset();
      workload->Run(runner);
      if (!Accept(state, runner.error().empty() ? workload->Check() : runner.error())) return;
    }
    GuestRunner runner(device_, program_, engine, threads);
    for (auto _ : state) {
      RestoreUntimed(state, *workload);
      workload->Run(runner);
    }
    if (!Accept(state, runner.error())) return;
    Report(state, entry, *workload);
    state.counters["Mwave/s"] = benchmark::Counter(
        static_cast<double>(runner.wave_instructions()) / 1e6, benchmark::Counter::kIsRate);
    if (engine != Engine::kJit) return;
    state.counters["compile_ms"] = runner.compile_seconds() * 1e3;
    state.counters["not_compiled"] = static_cast<double>(runner.not_compiled());
  }

  void RunNative(benchmark::State& state, const Entry& entry, uint64_t size) {
    Workload* workload = Prepare(state, entry, size);
    if (workload == nullptr) return;
    if (checked_.insert("native").second) {
      workload->Reset();
      workload->RunNative();
      if (!Accept(state, workload->Check())) return;
    }
    for (auto _ : state) {
      RestoreUntimed(state, *workload);
      workload->RunNative();
      benchmark::ClobberMemory();
    }
    Report(state, entry, *workload);
  }

  // A kernel of one store and one work-item, from the call to its return.
  void RunLaunch(benchmark::State& state, Engine engine, unsigned threads) {
    constexpr uint32_t kWarmItems = 1 << 16;  // enough for an engine to find compiling worth while
    const Buffer<uint32_t> out(device_, kWarmItems);
    GuestRunner runner(device_, program_, engine, threads);
    const auto launch = [&](uint32_t items) {
      runner.Launch("trivial", {items}, {1 < items ? 64u : 1u}, Arguments().Buffer(out.address()));
    };
    launch(kWarmItems);
    for (const uint32_t value : out.values()) {
      if (value != 1 && runner.error().empty()) {
        Accept(state, "the trivial kernel did not store");
        return;
      }
    }
    launch(1);
    for (auto _ : state) launch(1);
    Accept(state, runner.error());
  }

  // From machine code to host code, for a program that has just been loaded.
  void RunCompile(benchmark::State& state, const Entry& entry) {
    Workload* workload = Prepare(state, entry, entry.quick_size);
    if (workload == nullptr) return;
    double least = std::numeric_limits<double>::infinity();
    for (auto _ : state) {
      const Program program = LoadKernels(device_, options_.kernels, options_.target);
      GuestRunner runner(device_, program, Engine::kJit, 1);
      workload->Reset();
      workload->Run(runner);
      if (!Accept(state, runner.error().empty() ? workload->Check() : runner.error())) return;
      state.SetIterationTime(runner.compile_seconds());
      least = std::min(least, runner.compile_seconds());
    }
    state.counters["least_us"] = least * 1e6;
  }

  bool failed() const { return failed_; }

 private:
  static void RestoreUntimed(benchmark::State& state, Workload& workload) {
    if (!workload.ResetsEachRun()) return;
    state.PauseTiming();
    workload.Reset();
    state.ResumeTiming();
  }

  static void Report(benchmark::State& state, const Entry& entry, const Workload& workload) {
    state.counters[entry.unit] = benchmark::Counter(
        workload.Work() * static_cast<double>(state.iterations()) / entry.unit_scale,
        benchmark::Counter::kIsRate);
  }

  bool Accept(benchmark::State& state, const std::string& error) {
    if (error.empty()) return true;
    failed_ = true;
    state.SkipWithError(error.c_str());
    return false;
  }

  // The workload of this size, made and its reference checked if it is not the one at hand.
  Workload* Prepare(benchmark::State& state, const Entry& entry, uint64_t size) {
    const std::string key = fmt::format("{}/{}", entry.name, size);
    if (key != key_) {
      workload_.reset();
      checked_.clear();
      workload_ = entry.make(device_, size);
      key_ = key;
      reference_error_ = workload_->CheckReference();
    }
    return Accept(state, reference_error_) ? workload_.get() : nullptr;
  }

  const Options& options_;
  Device device_;
  Program program_;
  std::string key_;
  std::unique_ptr<Workload> workload_;
  std::string reference_error_;
  std::set<std::string> checked_;
  bool failed_ = false;
};

void FmaPeak(benchmark::State& state) {
  constexpr size_t kRounds = 100000;
  const auto isa = backend::HostHas(backend::HostIsa::kAvx512) ? backend::HostIsa::kAvx512
                                                               : backend::HostIsa::kAvx2;
  double flops = 0;
  for (auto _ : state) flops += measure::RunFma(isa, kRounds);
  state.counters["GFLOP/s"] = benchmark::Counter(flops / 1e9, benchmark::Counter::kIsRate);
}

// "size:1024", or another word where the size is not the issue's: "reduced:512", "quick:512".
std::string SizeLabel(const Entry& entry, const Options& options, bool interp, uint64_t& size) {
  const auto given = options.sizes.find(entry.name);
  if (given != options.sizes.end()) {
    size = given->second;
    return fmt::format("size:{}", size);
  }
  if (options.quick) {
    size = interp ? std::min(entry.quick_size, entry.interp_size) : entry.quick_size;
    return fmt::format("quick:{}", size);
  }
  size = interp ? entry.interp_size : entry.size;
  return fmt::format("{}:{}", size == entry.size ? "size" : "reduced", size);
}

void Register(Session& session, const std::vector<Entry>& entries, const Options& options) {
  benchmark::RegisterBenchmark("fma_peak/native", FmaPeak)->MeasureProcessCPUTime();
  for (const Entry& entry : entries) {
    for (const Engine engine : {Engine::kInterpreter, Engine::kJit}) {
      uint64_t size = 0;
      const auto label = SizeLabel(entry, options, engine == Engine::kInterpreter, size);
      for (const unsigned threads : {1u, 2u}) {
        const auto name =
            fmt::format("{}/{}/{}/threads:{}", entry.name, ToString(engine), label, threads);
        benchmark::RegisterBenchmark(
            name.c_str(),
            [&session, &entry, size, engine, threads](benchmark::State& state) {
              session.RunGuest(state, entry, size, engine, threads);
            })
            ->MeasureProcessCPUTime()
            ->Unit(benchmark::kMillisecond);
      }
    }
    if (!entry.has_native) continue;
    uint64_t size = 0;
    const auto label = SizeLabel(entry, options, false, size);
    benchmark::RegisterBenchmark(fmt::format("{}/native/{}/threads:1", entry.name, label).c_str(),
                                 [&session, &entry, size](benchmark::State& state) {
                                   session.RunNative(state, entry, size);
                                 })
        ->MeasureProcessCPUTime()
        ->Unit(benchmark::kMillisecond);
  }
  for (const Entry& entry : entries) {
    constexpr int kTimes = 50;
    benchmark::RegisterBenchmark(
        fmt::format("compile/{}", entry.name).c_str(),
        [&session, &entry](benchmark::State& state) { session.RunCompile(state, entry); })
        ->UseManualTime()
        ->Iterations(kTimes)
        ->Unit(benchmark::kMicrosecond);
  }
  for (const Engine engine : {Engine::kInterpreter, Engine::kJit}) {
    for (const unsigned threads : {1u, 2u}) {
      benchmark::RegisterBenchmark(
          fmt::format("launch/{}/size:1/threads:{}", ToString(engine), threads).c_str(),
          [&session, engine, threads](benchmark::State& state) {
            session.RunLaunch(state, engine, threads);
          })
          ->MeasureProcessCPUTime()
          ->Unit(benchmark::kMicrosecond);
    }
  }
}

// KERNEL=N. An unknown kernel, or a size that its code does not do, is an error.
void ParseSize(const std::string& text, const std::vector<Entry>& entries, Options& options) {
  constexpr uint64_t kLargest = uint64_t{1} << 30;
  const size_t equals = text.find('=');
  const std::string name = text.substr(0, equals);
  const auto entry = std::ranges::find(entries, name, &Entry::name);
  uint64_t size = 0;
  if (equals == std::string::npos || entry == entries.end() ||
      !CLI::detail::lexical_cast(text.substr(equals + 1), size)) {
    throw std::runtime_error(fmt::format("--size {}: KERNEL=N is wanted", text));
  }
  if (size == 0 || size % entry->granule != 0 || size > kLargest) {
    throw std::runtime_error(fmt::format("--size {}: {} does multiples of {} up to {}", text, name,
                                         entry->granule, kLargest));
  }
  options.sizes[name] = size;
}

int Main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  Options options;
  std::vector<std::string> sizes;
  CLI::App app(
      "Benchmarks of gcnjit. Google Benchmark's options (--benchmark_filter=REGEX, ...) "
      "are understood too.");
  app.add_option("--target", options.target, "GPU target of the kernels")->capture_default_str();
  app.add_option("--kernels", options.kernels, "folder of kernels-<target>.co");
  app.add_option("--size", sizes, "KERNEL=N: this size on every engine (see kernels.cl)");
  app.add_flag("--quick", options.quick, "small sizes on every engine");
  CLI11_PARSE(app, argc, argv);
  const std::vector<Entry> entries = AllEntries();
  for (const std::string& size : sizes) ParseSize(size, entries, options);
  Session session(options);
  Register(session, entries, options);
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return session.failed() ? 1 : 0;
}

}  // namespace
}  // namespace gcnjit::bench

int main(int argc, char** argv) {
  try {
    return gcnjit::bench::Main(argc, argv);
  } catch (const std::exception& error) {
    fmt::print(stderr, "gcnjit_bench: {}\n", error.what());
    return 2;
  }
}
