#include "runtime/dispatcher.h"

#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/partitioner.h>
#include <oneapi/tbb/task_arena.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "runtime/fault_report.h"
#include "runtime/interpreter/interpreter.h"
#include "runtime/jit/jit_wave.h"
#include "runtime/monitor.h"

namespace gcnjit::runtime {
namespace {

constexpr uint32_t kMaxWavesPerGroup = 16;
constexpr uint32_t kGdsBytes = 64 * 1024;

// Instructions a wave runs before the other waves of its group get a turn: a wave may spin on a
// value that a sibling has yet to write.
constexpr uint64_t kTurn = 1 << 16;

uint32_t CeilDivide(uint32_t a, uint32_t b) {
  return static_cast<uint32_t>((uint64_t{a} + b - 1) / b);
}

// One launch in flight, shared by its workers.
class GridRun {
 public:
  GridRun(const LaunchState& launch, const KernelInfo& kernel, CodeMap& code, JitCode* jit,
          int64_t warm_up, GuestMemory& memory)
      : launch_(launch),
        kernel_(kernel),
        code_(code),
        jit_(jit),
        warm_up_(warm_up),
        gds_(kGdsBytes) {
    groups_[0] = CeilDivide(launch.global.x, launch.local.x);
    groups_[1] = CeilDivide(launch.global.y, launch.local.y);
    groups_[2] = CeilDivide(launch.global.z, launch.local.z);
    dispatch_.memory = &memory;
    dispatch_.generation = launch.generation;
    dispatch_.scratch_base = launch.scratch_base;
    dispatch_.gds = gds_.data();
    dispatch_.dispatch_packet = launch.dispatch_packet;
    dispatch_.queue = launch.queue;
    dispatch_.stop = &stop_;
  }

  uint64_t total() const { return uint64_t{groups_[0]} * groups_[1] * groups_[2]; }
  std::atomic<bool>& stop() { return stop_; }
  const std::atomic<uint64_t>& done() const { return done_; }

  // Takes group after group until none is left or the launch is stopped.
  void Work(unsigned worker);

  LaunchResult Result(bool timed_out) {
    LaunchResult result;
    result.statistics = statistics_;
    if (fault_) {
      result.status = LaunchStatus::kFault;
      result.fault = fault_;
    } else if (timed_out && done_ != total()) {
      result.status = LaunchStatus::kTimeout;
    }
    return result;
  }

 private:
  uint64_t RunTurn(Wave& w);
  bool RunGroup(uint64_t index, uint64_t scratch_offset, WorkgroupState& group, WaveState* waves,
                Statistics& statistics);
  void Report(const Wave& w);

  const LaunchState& launch_;
  const KernelInfo& kernel_;
  CodeMap& code_;
  JitCode* const jit_;
  // Instructions to interpret before it pays to compile; 0: compiled code runs.
  std::atomic<int64_t> warm_up_;
  std::vector<std::byte> gds_;
  uint32_t groups_[3];
  DispatchState dispatch_;
  std::atomic<bool> stop_ = false;
  std::atomic<uint64_t> next_ = 0;
  std::atomic<uint64_t> done_ = 0;
  std::mutex mutex_;  // guards what follows
  std::optional<FaultReport> fault_;
  Statistics statistics_;
};

void GridRun::Work(unsigned worker) {
  const uint32_t items = launch_.local.x * launch_.local.y * launch_.local.z;
  const uint32_t waves_per_group = CeilDivide(items, kLanes);
  const uint64_t scratch_offset =
      uint64_t{worker} * waves_per_group * ScratchBytesPerWave(launch_.scratch_per_lane);
  // Default-initialised: InitialiseWave fills what a wave may read.
  const std::unique_ptr<WaveState[]> waves(new WaveState[waves_per_group]);
  std::vector<std::byte> lds(launch_.lds_bytes);
  WorkgroupState group;
  group.lds = lds.data();
  group.lds_bytes = launch_.lds_bytes;
  Statistics statistics;
  std::optional<JitStay> stay;
  if (jit_ != nullptr) stay.emplace();
  const uint64_t total = this->total();
  while (!stop_.load(std::memory_order_relaxed)) {
    const uint64_t index = next_.fetch_add(1);
    if (index >= total) break;
    if (!RunGroup(index, scratch_offset, group, waves.get(), statistics)) break;
    done_.fetch_add(1, std::memory_order_relaxed);
  }
  const std::scoped_lock lock(mutex_);
  statistics_.workgroups += statistics.workgroups;
  statistics_.waves += statistics.waves;
  statistics_.wave_instructions += statistics.wave_instructions;
}

uint64_t GridRun::RunTurn(Wave& w) {
  if (jit_ == nullptr) return RunWave(w, code_, kTurn);
  if (warm_up_.load(std::memory_order_relaxed) <= 0) return RunWaveJit(w, code_, *jit_, kTurn);
  constexpr uint64_t kShortTurn = kTurn / 16;
  const uint64_t executed = RunWave(w, code_, kShortTurn);
  warm_up_.fetch_sub(static_cast<int64_t>(executed), std::memory_order_relaxed);
  return executed;
}

// Runs one group to its end; false if the launch is to stop.
bool GridRun::RunGroup(uint64_t index, uint64_t scratch_offset, WorkgroupState& group,
                       WaveState* waves, Statistics& statistics) {
  const uint32_t global[3] = {launch_.global.x, launch_.global.y, launch_.global.z};
  const uint32_t local[3] = {launch_.local.x, launch_.local.y, launch_.local.z};
  group.id = {static_cast<uint32_t>(index % groups_[0]),
              static_cast<uint32_t>(index / groups_[0] % groups_[1]),
              static_cast<uint32_t>(index / groups_[0] / groups_[1])};
  for (int axis = 0; axis < 3; ++axis) {
    const uint64_t first = uint64_t{group.id[axis]} * local[axis];
    group.size[axis] = static_cast<uint32_t>(std::min<uint64_t>(local[axis], global[axis] - first));
  }
  const uint32_t items = group.size[0] * group.size[1] * group.size[2];
  group.wave_count = CeilDivide(items, kLanes);
  std::fill_n(group.lds, group.lds_bytes, std::byte{0});
  const uint64_t scratch_per_wave = ScratchBytesPerWave(launch_.scratch_per_lane);
  for (uint32_t n = 0; n < group.wave_count; ++n) {
    InitialiseWave(launch_, group, n, scratch_offset + n * scratch_per_wave, waves[n]);
  }
  ++statistics.workgroups;
  statistics.waves += group.wave_count;

  enum class Status : uint8_t { kRunnable, kAtBarrier, kEnded };
  Status status[kMaxWavesPerGroup] = {};
  uint32_t ended = 0;
  uint32_t at_barrier = 0;
  while (ended < group.wave_count) {
    for (uint32_t n = 0; n < group.wave_count; ++n) {
      if (status[n] != Status::kRunnable) continue;
      Wave w{waves[n], group, dispatch_};
      statistics.wave_instructions += RunTurn(w);
      switch (w.event) {
        case WaveEvent::kNone:
        case WaveEvent::kYield: break;
        case WaveEvent::kEnd:
          status[n] = Status::kEnded;
          ++ended;
          break;
        case WaveEvent::kBarrier:
          status[n] = Status::kAtBarrier;
          ++at_barrier;
          break;
        case WaveEvent::kFault: Report(w); return false;
        case WaveEvent::kStopped: return false;
      }
    }
    // A barrier waits for the waves that have not ended, as the hardware's does.
    if (at_barrier != 0 && at_barrier + ended == group.wave_count) {
      for (uint32_t n = 0; n < group.wave_count; ++n) {
        if (status[n] == Status::kAtBarrier) status[n] = Status::kRunnable;
      }
      at_barrier = 0;
    }
  }
  return true;
}

void GridRun::Report(const Wave& w) {
  const std::scoped_lock lock(mutex_);
  stop_ = true;
  if (!fault_) fault_ = MakeFaultReport(w, code_, launch_, kernel_);
}

}  // namespace

uint64_t ScratchBytesPerWave(uint32_t bytes_per_lane) {
  constexpr uint64_t kGranule = 1024;
  return (uint64_t{bytes_per_lane} * kLanes + kGranule - 1) / kGranule * kGranule;
}

LaunchResult RunGrid(const LaunchState& launch, const KernelInfo& kernel, CodeMap& code,
                     JitCode* jit, int64_t warm_up, GuestMemory& memory, unsigned threads,
                     double timeout_seconds,
                     const std::function<void(uint64_t done, uint64_t total)>& progress) {
  const auto start = std::chrono::steady_clock::now();
  GridRun run(launch, kernel, code, jit, warm_up, memory);
  bool timed_out = false;
  {
    const Monitor monitor(timeout_seconds, run.stop(), run.done(), run.total(), progress);
    if (threads <= 1 || run.total() == 1) {
      run.Work(0);
    } else {
      // More threads than processors have to be allowed, or TBB warns on stderr and uses fewer.
      constexpr auto kLimit = tbb::global_control::max_allowed_parallelism;
      std::optional<tbb::global_control> more;
      if (threads > tbb::global_control::active_value(kLimit)) more.emplace(kLimit, threads);
      tbb::task_arena arena(static_cast<int>(threads));
      arena.execute([&] {
        tbb::parallel_for(
            0u, threads, [&](unsigned worker) { run.Work(worker); }, tbb::simple_partitioner());
      });
    }
    timed_out = monitor.timed_out();
  }
  LaunchResult result = run.Result(timed_out);
  result.statistics.seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return result;
}

}  // namespace gcnjit::runtime
