// The measuring of gcnjit bench: a kernel on several engines in turn.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "backend_x64/host/features.h"
#include "cli/hot_report.h"
#include "cli/launch_request.h"
#include "measure/stopwatch.h"

namespace gcnjit::cli {

// interp, avx2 or avx512, and what it has been seen to do.
struct BenchEngine {
  std::string name;
  std::optional<backend::HostIsa> isa;  // nothing: the interpreter
  Program program;  // of its own: a program's code is compiled for one instruction set
  std::vector<measure::Stopwatch::Seconds> runs = {};
  Statistics statistics = {};  // of the latest run
  std::optional<HotReport> hot = std::nullopt;

  double MedianCpu() const;
  double MedianWall() const;
};

// The engines of a comma-separated list; empty: all that this host has. `file`: the code object.
Result<std::vector<BenchEngine>> MakeBenchEngines(const std::string& names, Device& device,
                                                  const LaunchOptions& options);

// Launches a kernel again and again, always on the buffers as they were at first.
class BenchRuns {
 public:
  BenchRuns(LaunchRequest& request, std::string kernel, unsigned threads);

  void RestoreBuffers();
  // One launch. Anything but kDone is for the caller to deal with.
  Result<LaunchResult> Run(BenchEngine& engine);
  // Compiles, and then times each engine in turn: `repetitions` times at least, and until each has
  // had so many seconds of CPU time. The result is the first that is not kDone, if any.
  Result<LaunchResult> Measure(std::vector<BenchEngine>& engines, unsigned repetitions,
                               double seconds,
                               const std::function<void(const std::string&)>& progress);
  // Samples the engine for so many seconds of CPU time, on one thread.
  Result<LaunchResult> Profile(BenchEngine& engine, double seconds);

 private:
  LaunchRequest& request_;
  const std::string kernel_;
  std::vector<std::vector<std::byte>> initial_;  // contents of the buffers
};

}  // namespace gcnjit::cli
