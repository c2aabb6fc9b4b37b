#include "cli/bench_runs.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <memory>

#include "cli/files.h"
#include "cli/names.h"
#include "runtime/jit/host_code_map.h"
#include "runtime/jit/interrupted_code.h"

namespace gcnjit::cli {
namespace {

using Seconds = measure::Stopwatch::Seconds;

double Median(std::vector<double> values) {
  if (values.empty()) return 0;
  std::ranges::sort(values);
  const size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

double MedianOf(const std::vector<Seconds>& runs, double Seconds::*field) {
  std::vector<double> values;
  for (const Seconds& run : runs) values.push_back(run.*field);
  return Median(std::move(values));
}

// nullopt: not the name of an instruction set.
std::optional<backend::HostIsa> IsaOf(const std::string& name) {
  for (const backend::HostIsa isa : {backend::HostIsa::kAvx2, backend::HostIsa::kAvx512}) {
    if (backend::NameOf(isa) == name) return isa;
  }
  return std::nullopt;
}

}  // namespace

double BenchEngine::MedianCpu() const { return MedianOf(runs, &Seconds::cpu); }
double BenchEngine::MedianWall() const { return MedianOf(runs, &Seconds::wall); }

Result<std::vector<BenchEngine>> MakeBenchEngines(const std::string& names, Device& device,
                                                  const LaunchOptions& options) {
  const bool all = names.empty();
  const auto file = ReadFile(options.file);
  if (!file) return file.error();
  std::vector<BenchEngine> engines;
  for (const std::string& name : all ? SplitNames("interp,avx2,avx512") : SplitNames(names)) {
    const auto isa = IsaOf(name);
    if (!isa && name != "interp") {
      return Error{ErrorCode::kInvalidArgument,
                   fmt::format("--engines: '{}' is none of interp, avx2, avx512", name)};
    }
    if (isa && !backend::HostHas(*isa)) {
      if (all) continue;
      return Error{ErrorCode::kUnsupported,
                   fmt::format("--engines: this processor has no {}", name)};
    }
    auto program = Program::Load(device, *file, options.target);
    if (!program) return program.error();
    engines.push_back({name, isa, *std::move(program)});
  }
  return engines;
}

BenchRuns::BenchRuns(LaunchRequest& request, std::string kernel, unsigned threads)
    : request_(request), kernel_(std::move(kernel)) {
  request.config.threads = threads;
  request.config.compile_first = true;
  for (const BoundBuffer& buffer : request.buffers) {
    const auto bytes = request.device.Data(buffer.address, buffer.size);
    initial_.emplace_back(bytes.begin(), bytes.end());
  }
}

void BenchRuns::RestoreBuffers() {
  for (size_t n = 0; n < initial_.size(); ++n) {
    const BoundBuffer& buffer = request_.buffers[n];
    if (initial_[n].empty()) continue;
    std::memcpy(request_.device.Data(buffer.address, buffer.size).data(), initial_[n].data(),
                initial_[n].size());
  }
}

Result<LaunchResult> BenchRuns::Run(BenchEngine& engine) {
  LaunchConfig config = request_.config;
  config.engine = engine.isa ? gcnjit::Engine::kJit : gcnjit::Engine::kInterpreter;
  // A program chooses its instruction set when it is first compiled.
  if (engine.isa) ::setenv("GCNJIT_FORCE_ISA", engine.name.c_str(), 1);
  auto result = Launch(request_.device, engine.program, kernel_, config, request_.arguments);
  if (result) engine.statistics = result->statistics;
  return result;
}

Result<LaunchResult> BenchRuns::Measure(std::vector<BenchEngine>& engines, unsigned repetitions,
                                        double seconds,
                                        const std::function<void(const std::string&)>& progress) {
  LaunchResult done;
  for (BenchEngine& engine : engines) {
    if (!engine.isa) continue;
    progress(fmt::format("compiling for {}", engine.name));
    RestoreBuffers();
    auto result = Run(engine);
    if (!result || result->status != LaunchStatus::kDone) return result;
  }
  std::vector<double> spent(engines.size());
  for (unsigned repetition = 1;; ++repetition) {
    bool any = false;
    for (size_t n = 0; n < engines.size(); ++n) {
      if (repetition > repetitions && spent[n] >= seconds) continue;
      any = true;
      progress(fmt::format("{}: repetition {}", engines[n].name, repetition));
      RestoreBuffers();
      const measure::Stopwatch watch;
      auto result = Run(engines[n]);
      engines[n].runs.push_back(watch.Stop());
      spent[n] += engines[n].runs.back().cpu;
      if (!result || result->status != LaunchStatus::kDone) return result;
    }
    if (!any) return done;
  }
}

Result<LaunchResult> BenchRuns::Profile(BenchEngine& engine, double seconds) {
  constexpr uint64_t kInterval = 500'000;  // nanoseconds
  constexpr double kMostSeconds = 600;
  const auto room = static_cast<size_t>(std::min(seconds + 10, kMostSeconds) * 1e9 / kInterval);
  const unsigned threads = std::exchange(request_.config.threads, 1u);
  RestoreBuffers();
  auto result = Run(engine);
  std::vector<measure::Sample> samples;
  double spent = 0;
  while (result && result->status == LaunchStatus::kDone) {
    RestoreBuffers();
    const measure::Stopwatch watch;
    measure::Sampler sampler(kInterval, room, runtime::IsInCompiledCode);
    if (!sampler.is_running()) {
      return Error{ErrorCode::kOutOfResources, "--hot: the host gives no timer to sample with"};
    }
    result = Run(engine);
    const std::vector<measure::Sample> taken = sampler.Stop();
    samples.insert(samples.end(), taken.begin(), taken.end());
    spent += watch.Stop().cpu;
    if (spent >= seconds) break;
  }
  request_.config.threads = threads;
  engine.hot = AttributeSamples(engine.program, samples);
  return result;
}

}  // namespace gcnjit::cli
