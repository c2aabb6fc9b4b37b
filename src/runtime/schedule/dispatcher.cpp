#include "runtime/schedule/dispatcher.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

#include "runtime/host/per_thread.h"
#include "runtime/host/zeroed_array.h"
#include "runtime/jit/region_cache.h"
#include "runtime/memory/guest_memory.h"
#include "runtime/memory/signal_guard.h"
#include "runtime/schedule/fault_report.h"
#include "runtime/schedule/group_batch.h"
#include "runtime/schedule/group_runner.h"
#include "runtime/schedule/group_turns.h"
#include "runtime/schedule/late_helpers.h"
#include "runtime/schedule/watchdog.h"
#include "runtime/schedule/worker_pool.h"
#include "runtime/state/group_series.h"
#include "runtime/state/group_shape.h"
#include "runtime/state/scratch_size.h"

namespace gcnjit::runtime {
namespace {

uint32_t CeilDivide(uint32_t a, uint32_t b) {
  return static_cast<uint32_t>((uint64_t{a} + b - 1) / b);
}

// The global data share of a launch, zeroed. Its storage stays with the host thread for the next
// one, as zeros: allocating it, or to clear it for kernels that have no use for it, takes longer
// than a small launch.
class Gds {
 public:
  static constexpr size_t kBytes = 64 * 1024;

  Gds() : bytes_(std::move(Spare())) {
    if (bytes_.empty()) bytes_ = ZeroedArray<std::byte>(kBytes);
  }
  ~Gds() {
    if (is_used_) std::memset(bytes_.data(), 0, kBytes);
    Spare() = std::move(bytes_);
  }
  Gds(const Gds&) = delete;
  Gds& operator=(const Gds&) = delete;

  std::byte* data() { return bytes_.data(); }
  std::atomic<bool>& is_used() { return is_used_; }

 private:
  static ZeroedArray<std::byte>& Spare() { return PerThread<ZeroedArray<std::byte>>::Current(); }

  ZeroedArray<std::byte> bytes_;
  std::atomic<bool> is_used_ = false;
};

// How many groups a worker takes at a time. One by one, workers wait for each other: for the
// counter of groups, and for the lines of memory that neighbouring groups touch. But a group that
// needs an earlier one's results should not have to wait for a whole batch, and at the end no
// worker should have much more work left than the others.
class BatchSize {
 public:
  // Of the groups that are left, for so many workers.
  uint64_t Next(uint64_t left, unsigned workers) const {
    return workers == 1 ? size_ : std::clamp(left / workers / 4, least_, size_);
  }
  // Learns from a batch that has run, or as much of it as has.
  void Ran(const GroupBatch& batch) {
    if (batch.most() == 0) return;
    // Groups that wait spin, so they stand out.
    constexpr uint64_t kUneven = 4;
    if (batch.least() < batch.most() / kUneven) limit_ = std::max<uint64_t>(size_ / 2, 1);
    const uint64_t sum = batch.instructions();
    const uint64_t more = sum < kInstructions / 16 ? size_ * 8 : size_ * 2;
    size_ = sum < kInstructions / 2 ? more : sum > kInstructions * 2 ? size_ / 2 : size_;
    size_ = std::clamp<uint64_t>(size_, 1, limit_);
    const uint64_t each = std::max<uint64_t>(batch.most(), 1);
    least_ = std::clamp<uint64_t>(kLeastInstructions / each, 1, size_);
  }

 private:
  static constexpr uint64_t kMost = 16384;
  static constexpr uint64_t kInstructions = GroupSeries::kInstructions;
  static constexpr uint64_t kLeastInstructions = 4096;
  uint64_t size_ = 1;
  uint64_t least_ = 1;
  uint64_t limit_ = kMost;
};

// One launch in flight, shared by its workers.
class GridRun {
 public:
  GridRun(const LaunchState& launch, const KernelInfo& kernel, CodeMap& code, RegionCache* jit,
          GuestMemory& memory, unsigned workers)
      : kernel_(kernel),
        workers_(workers),
        groups_{CeilDivide(launch.global.x, launch.local.x),
                CeilDivide(launch.global.y, launch.local.y),
                CeilDivide(launch.global.z, launch.local.z)},
        waves_of_group_(CeilDivide(launch.local.x * launch.local.y * launch.local.z, kLanes)),
        scratch_of_group_(waves_of_group_ * ScratchBytesPerWave(launch.scratch_per_lane)),
        turns_(launch, memory,
               std::min(uint64_t{groups_.x} * groups_.y * groups_.z, launch.most_groups), workers,
               waves_of_group_, scratch_of_group_),
        starter_(launch),
        context_{launch, starter_,  code,
                 jit,    dispatch_, jit != nullptr ? &jit->WarmUpOf(launch.entry) : nullptr} {
    dispatch_.memory = &memory;
    dispatch_.processor = launch.processor;
    dispatch_.scratch_base = launch.scratch_base;
    dispatch_.entry = launch.entry;
    dispatch_.gds = gds_.data();
    dispatch_.gds_is_used = &gds_.is_used();
    dispatch_.wave_sync = launch.wave_sync;
    dispatch_.dispatch_packet = launch.dispatch_packet;
    dispatch_.queue = launch.queue;
    dispatch_.stop = &stop_;
    // What was worth compiling in an earlier run is so in this one, and costs little now.
    if (jit != nullptr && !context_.warm_up->IsOver() && IsCached(*jit)) context_.warm_up->End();
  }

  uint64_t total() const { return turns_.total(); }
  std::atomic<bool>& stop() { return stop_; }
  const std::atomic<uint64_t>& done() { return turns_.done(); }

  // Takes groups until none is left or the launch is stopped. `helpers`: those that this worker may
  // call; null: none.
  void Work(unsigned worker, LateHelpers* helpers);
  GroupTurns& turns() { return turns_; }

  LaunchResult Result(bool timed_out, bool cancelled) {
    LaunchResult result;
    result.statistics = statistics_;
    result.statistics.workgroups = done();
    if (counts_) result.statistics.instructions = ReportOf(*counts_, context_.code.generation());
    if (fault_) {
      const bool is_limit = fault_->kind == FaultKind::kInstructionLimit;
      result.status = is_limit ? LaunchStatus::kTimeout : LaunchStatus::kFault;
      result.fault = fault_;
    } else if ((timed_out || cancelled) && done() != total()) {
      result.status = timed_out ? LaunchStatus::kTimeout : LaunchStatus::kCancelled;
      result.unfinished = turns_.Unfinished();
    }
    return result;
  }

 private:
  bool IsCached(RegionCache& jit) const {
    const LaunchState& launch = context_.launch;
    const GroupShape shape =
        GroupShapeOf({launch.local.x, launch.local.y, launch.local.z}, launch.descriptor,
                     {launch.lds_bytes, launch.fixed_kernarg_bytes});
    return jit.IsCached(launch.entry, {starter_.mode(), starter_.vgprs(), shape});
  }
  void RunInTurn(unsigned worker, GroupRunner& runner);
  void Report(const Wave& w);

  const KernelInfo& kernel_;
  const unsigned workers_;
  Gds gds_;
  const Dim3 groups_;
  const uint32_t waves_of_group_;
  const uint64_t scratch_of_group_;
  GroupTurns turns_;
  DispatchState dispatch_;
  const WaveStarter starter_;
  LaunchContext context_;
  alignas(kApart) std::atomic<bool> stop_ = false;  // read all the time, written once
  alignas(kApart) std::mutex mutex_;                // guards what follows
  std::optional<FaultReport> fault_;
  Statistics statistics_;
  std::unique_ptr<OpcodeCounts> counts_;
};

// Batches are taken in ascending order and a worker runs its batch in ascending order, so of all
// unfinished groups the first one is running or has been set aside.
void GridRun::Work(unsigned worker, LateHelpers* helpers) try {
  // A thread that comes late may find nothing left.
  if (turns_.next().load(std::memory_order_relaxed) >= total() && !turns_.some_aside()) return;
  const UnblockedFaults unblocked(dispatch_.memory->host() != nullptr);
  GroupRunner runner(context_, worker * scratch_of_group_, helpers);
  const uint64_t total = this->total();
  BatchSize size;
  while (!stop_.load(std::memory_order_relaxed)) {
    if (turns_.some_aside() || runner.has_group()) [[unlikely]] {
      if (helpers != nullptr && !helpers->called()) runner.CallHelpers();
      RunInTurn(worker, runner);
      if (runner.faulted() != nullptr) Report(*runner.faulted());
      continue;
    }
    const uint64_t left = total - std::min(turns_.next().load(std::memory_order_relaxed), total);
    const uint64_t most = size.Next(left, workers_);
    const uint64_t first = turns_.next().fetch_add(most, std::memory_order_relaxed);
    if (first >= total) {
      if (turns_.some_aside()) continue;
      break;
    }
    const uint64_t count = std::min(most, total - first);
    if (helpers != nullptr && helpers->AreWanted()) runner.CallHelpers();
    GroupBatch batch(groups_, first, count);
    const bool is_alone = helpers != nullptr && !helpers->called();
    const GroupRunner::Outcome outcome = runner.Run(batch, is_alone || turns_.some_wait());
    turns_.done().fetch_add(count - batch.left(), std::memory_order_relaxed);
    size.Ran(batch);
    if (outcome == GroupRunner::Outcome::kIsOver) [[unlikely]] {
      turns_.GiveBack(first + count - batch.left() + 1, first + count);
    }
    if (runner.faulted() != nullptr) Report(*runner.faulted());
  }
  if (runner.has_group()) turns_.Stop(runner.group_waits());
  const std::scoped_lock lock(mutex_);
  statistics_.waves += runner.statistics().waves;
  statistics_.wave_instructions += runner.statistics().wave_instructions;
  if (runner.counts() == nullptr) return;
  if (!counts_) counts_ = std::make_unique<OpcodeCounts>();
  std::transform(counts_->begin(), counts_->end(), runner.counts()->begin(), counts_->begin(),
                 std::plus<>());
} catch (...) {
  // The host's memory has ended. Other workers may be running groups that wait for one of this
  // worker's, which are not finished now.
  stop_ = true;
  throw;
}

// Runs one group after another as turns_ says, until it has nothing to say or the launch is to
// stop. The worker may have a group whose turns are over.
void GridRun::RunInTurn(unsigned worker, GroupRunner& runner) {
  using Next = GroupTurns::Next;
  GroupRunner::Outcome outcome = GroupRunner::Outcome::kEnded;
  while (!stop_.load(std::memory_order_relaxed) && outcome != GroupRunner::Outcome::kStopped) {
    const bool waits = runner.group_waits();
    std::optional<GroupTurns::Running> running;
    if (runner.has_group()) running = {runner.group_number(), waits};
    GroupTurns::Choice choice = turns_.Choose(worker, running);
    switch (choice.next) {
      case Next::kBatches: return;
      case Next::kLater:
        runner.Idle();
        std::this_thread::sleep_for(std::chrono::microseconds(50));
        continue;
      case Next::kSame:
        // What it waits for may be on a host thread that has no processor.
        if (waits) std::this_thread::yield();
        outcome = runner.GoOn(/*is_careful=*/false);
        break;
      case Next::kNew: {
        if (running) turns_.Keep(runner.SetAside(std::move(choice.space)));
        GroupBatch batch(groups_, choice.number, 1);
        outcome = runner.Run(batch, turns_.some_wait());
        break;
      }
      case Next::kOther:
        if (running) {
          turns_.Keep(runner.Exchange(std::move(choice.group)));
        } else {
          turns_.Keep(runner.Resume(std::move(choice.group)));
        }
        outcome = runner.GoOn(/*is_careful=*/runner.group_waits());
        break;
    }
    if (outcome == GroupRunner::Outcome::kEnded) {
      turns_.done().fetch_add(1, std::memory_order_relaxed);
    }
  }
}

void GridRun::Report(const Wave& w) {
  const std::scoped_lock lock(mutex_);
  stop_ = true;
  if (!fault_) fault_ = MakeFaultReport(w, context_.code, context_.launch, kernel_);
}

// Until so many have come. It gives up on threads that the host does not give.
void AwaitHelpers(const std::atomic<unsigned>& arrived, unsigned count) {
  constexpr int kTries = 200;
  for (int n = 0; n < kTries && arrived.load() < count; ++n) {
    std::this_thread::sleep_for(std::chrono::microseconds(50));
  }
}

}  // namespace

Result<LaunchResult> RunGrid(const LaunchState& launch, const KernelInfo& kernel, CodeMap& code,
                             RegionCache* jit, GuestMemory& memory, unsigned threads,
                             double timeout_seconds, std::shared_ptr<StopFlags> cancellation,
                             const std::function<void(uint64_t done, uint64_t total)>& progress,
                             std::shared_ptr<StopFlags> failure) {
  const auto start = std::chrono::steady_clock::now();
  GridRun run(launch, kernel, code, jit, memory, std::max(threads, 1u));
  LaunchTimes& times = LaunchTimes::OfThisThread();
  unsigned took_part = 0;  // with more than one thread, at most
  bool timed_out = false;
  bool cancelled = false;
  {
    const CancellableRun cancellable(std::move(cancellation), run.stop());
    const CancellableRun failing(std::move(failure), run.stop());
    const auto monitor =
        Watchdog::Start(timeout_seconds, run.stop(), run.done(), run.total(), progress);
    if (!monitor) return monitor.error();
    if (threads <= 1 || run.total() == 1) {
      run.Work(0, nullptr);
    } else {
      std::atomic<unsigned> arrived = 0;
      WorkerPool::Instance().Run(threads, [&](unsigned worker, WorkerPool::Job& job) {
        if (worker != 0) {
          arrived.fetch_add(1);
          return run.Work(worker, nullptr);
        }
        LateHelpers helpers(job, run.turns(), start);
        if (launch.starts_together || times.WillLast(launch.entry, run.total())) helpers.Call();
        if (launch.starts_together) AwaitHelpers(arrived, threads - 1);
        run.Work(worker, &helpers);
        took_part = helpers.called() ? threads : 1;
      });
    }
    timed_out = (*monitor)->timed_out();
    cancelled = cancellable.is_cancelled() || failing.is_cancelled();
  }
  LaunchResult result = run.Result(timed_out, cancelled);
  const LaunchTimes::Seconds took = std::chrono::steady_clock::now() - start;
  if (took_part != 0) times.Note(launch.entry, run.total(), took * took_part);
  result.statistics.seconds = took.count();
  return result;
}

}  // namespace gcnjit::runtime
