#include "differential/launch_diff.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <utility>

#include "runtime/state/grid.h"

namespace gcnjit::differential {
namespace {

// The first run of an access asks the runtime; later ones have what it has learned.
constexpr uint64_t kLaunches = 2;

// More than any engine needs for so much.
double SecondsFor(uint64_t instructions) { return 60 + static_cast<double>(instructions) * 1e-5; }

// What a launch leaves.
struct LaunchEnd {
  LaunchStatus status = LaunchStatus::kDone;
  std::optional<FaultReport> fault;
  uint64_t instructions = 0;
  GuestImage::Copy memory;
};

bool IsSame(const FaultReport& a, const FaultReport& b) {
  return a.kind == b.kind && a.pc == b.pc && a.workgroup == b.workgroup && a.wave == b.wave &&
         a.lane == b.lane && a.exec == b.exec && a.address == b.address &&
         a.access_bytes == b.access_bytes;
}

std::string Describe(const LaunchEnd& end) {
  switch (end.status) {
    case LaunchStatus::kDone: return fmt::format("its end after {} instructions", end.instructions);
    case LaunchStatus::kFault: {
      std::string text = "a fault: " + end.fault->Describe();
      while (text.ends_with('\n')) text.pop_back();
      return text;
    }
    case LaunchStatus::kTimeout:
    case LaunchStatus::kCancelled: break;
  }
  return "no end in the time that it was given";
}

void CompareRun(std::span<const std::byte> expected, std::span<const std::byte> got,
                uint64_t address, std::vector<MemoryDifference>& differences) {
  if (std::memcmp(expected.data(), got.data(), expected.size()) == 0) return;
  MemoryDifference difference;
  for (size_t at = 0; at < expected.size(); at += 4) {  // it is whole pages
    uint32_t a = 0;
    uint32_t b = 0;
    std::memcpy(&a, &expected[at], 4);
    std::memcpy(&b, &got[at], 4);
    if (a == b) continue;
    if (difference.bytes == 0) difference = {address + at, a, b, 0};
    for (size_t n = at; n < at + 4; ++n) difference.bytes += expected[n] != got[n];
  }
  differences.push_back(difference);
}

class LaunchDiff {
 public:
  LaunchDiff(GridPlace& grid, const KernelInfo& kernel, const Engine& reference,
             const GuestImage::Copy& from, const KernelDiffResult& by_group,
             const LaunchDiffOptions& options)
      : grid_(grid),
        kernel_(kernel),
        reference_(reference),
        launched_reference_(reference.prepare_launch ? reference : InterpreterEngine()),
        from_(from),
        options_(options),
        seconds_(SecondsFor(by_group.instructions)) {
    expected_.status = by_group.fault ? LaunchStatus::kFault : LaunchStatus::kDone;
    expected_.fault = by_group.fault;
    expected_.instructions = by_group.instructions;
    image().Save(expected_.memory);
  }

  LaunchDiffResult Run(const std::vector<Engine>& tested) {
    for (const Engine& engine : tested) {
      if (!engine.prepare_launch) continue;
      Check(engine);
      if (result_.divergence) break;
      result_.same.push_back(&engine);
    }
    return std::move(result_);
  }

 private:
  // Of one engine: the code that it has compiled, and what that has learned.
  class Launcher {
   public:
    Launcher(LaunchDiff& diff, const Engine& engine)
        : diff_(diff),
          engine_(engine),
          code_(diff.grid_.launch.processor, diff.grid_.place.code),
          launch_(engine.prepare_launch(code_)) {}

    // The first `groups` groups, from from_.
    LaunchEnd Launch(uint64_t groups, unsigned threads = 1) {
      GuestImage& image = diff_.image();
      if (diff_.options_.progress) diff_.options_.progress(engine_, groups);
      image.Restore(diff_.from_);
      LaunchResult result = launch_(diff_.grid_, diff_.kernel_, {groups, diff_.seconds_, threads});
      LaunchEnd end{
          result.status, std::move(result.fault), result.statistics.wave_instructions, {}};
      image.Save(end.memory);
      return end;
    }

   private:
    LaunchDiff& diff_;
    const Engine& engine_;
    runtime::CodeMap code_;
    const LaunchFunction launch_;
  };

  GuestImage& image() { return grid_.place.image; }

  // Which wave has which scratch is a matter of threads.
  bool IsScratch(std::span<const std::byte> bytes) const {
    const auto address = reinterpret_cast<uint64_t>(bytes.data());
    const runtime::LaunchState& launch = grid_.launch;
    return address >= launch.scratch_base && address - launch.scratch_base < launch.scratch_total;
  }

  LaunchDifference Compare(const LaunchEnd& expected, const LaunchEnd& got, unsigned threads = 1) {
    LaunchDifference difference;
    const bool is_done = expected.status == LaunchStatus::kDone;
    if (expected.status != got.status ||
        (is_done && counts_ && expected.instructions != got.instructions) ||
        (expected.fault && !IsSame(*expected.fault, *got.fault))) {
      difference.end = fmt::format("  expected {}\n  got {}\n", Describe(expected), Describe(got));
    }
    // After anything else it is not specified.
    if (!is_done || got.status != LaunchStatus::kDone) return difference;
    const auto runs = image().writable();
    for (size_t n = 1; n < runs.size(); ++n) {  // the GDS is each launch's own
      if (threads > 1 && IsScratch(runs[n])) continue;
      CompareRun(expected.memory[n], got.memory[n], reinterpret_cast<uint64_t>(runs[n].data()),
                 difference.memory);
    }
    return difference;
  }

  void Check(const Engine& engine) {
    const uint64_t groups = grid_.group_count();
    Launcher launcher(*this, engine);
    for (uint64_t n = 1; n <= kLaunches; ++n) {
      const LaunchEnd got = launcher.Launch(groups);
      if (!Compare(expected_, got).any()) continue;
      LaunchReference();
      LaunchDifference difference = Compare(expected_, got);
      if (!difference.any()) continue;
      LaunchDivergence& found = result_.divergence.emplace();
      found.engine = &engine;
      found.launches = n;
      found.at_end = std::move(difference);
      if (got.status != LaunchStatus::kTimeout) Narrow(found);
      return;
    }
    // Of several faults any may be the one that ends it.
    if (options_.threads > 1 && groups > 1 && !expected_.fault) CheckThreads(launcher, engine);
  }

  // After launches that were right. Threads meet as they like: how few groups it takes is not
  // known.
  void CheckThreads(Launcher& launcher, const Engine& engine) {
    if (result_.depends_on_group_order) return;
    LaunchDifference difference = DifferenceOnThreads(launcher);
    if (!difference.any()) return;
    result_.depends_on_group_order = DependsOnGroupOrder();
    if (result_.depends_on_group_order) return;
    LaunchDivergence& found = result_.divergence.emplace();
    found.engine = &engine;
    found.launches = kLaunches + 1;
    found.threads = options_.threads;
    found.at_end = std::move(difference);
  }
  LaunchDifference DifferenceOnThreads(Launcher& launcher) {
    const LaunchEnd got = launcher.Launch(grid_.group_count(), options_.threads);
    return Compare(expected_, got, options_.threads);
  }

  // Of the reference: do its groups leave something else from the last one to the first, or on
  // several threads?
  bool DependsOnGroupOrder() {
    const std::optional<LaunchEnd> backwards = RunBackwards();
    if (!backwards || Compare(expected_, *backwards, options_.threads).any()) return true;
    Launcher launcher(*this, launched_reference_);
    return DifferenceOnThreads(launcher).any();
  }

  // Nothing: groups wait for those before them.
  std::optional<LaunchEnd> RunBackwards() {
    constexpr uint64_t kTurn = 1 << 20;
    const uint64_t most = 4 * expected_.instructions + 64 * kTurn;
    PreparedCode reference(reference_, grid_.launch.processor, grid_.place.code);
    LaunchEnd end;
    image().Restore(from_);
    for (uint64_t index = grid_.group_count(); index-- > 0;) {
      GroupRun group(grid_, index);
      while (group.Take(reference.run(), kTurn)) {
        if (end.instructions + group.executed() > most) return std::nullopt;
      }
      if (group.faulted()) return std::nullopt;
      end.instructions += group.executed();
    }
    image().Save(end.memory);
    return end;
  }

  // What the engines are held against if waves of a launch take turns in another way than those of
  // single groups. Once is enough.
  void LaunchReference() {
    if (is_launched_) return;
    is_launched_ = true;
    LaunchEnd end = Launcher(*this, launched_reference_).Launch(grid_.group_count());
    if (!Compare(expected_, end).any()) return;
    result_.depends_on_turns = true;
    // So may how often a wave looks for what another one does.
    counts_ = false;
    expected_ = std::move(end);
  }

  // How many groups it takes.
  void Narrow(LaunchDivergence& found) {
    PreparedCode reference(reference_, grid_.launch.processor, grid_.place.code);
    uint64_t low = 0;  // with so many it does not differ
    uint64_t high = grid_.group_count();
    LaunchEnd of_low;
    of_low.memory = from_;
    LaunchDifference of_high = found.at_end;
    while (high - low > 1) {
      const uint64_t middle = low + (high - low) / 2;
      LaunchEnd expected = result_.depends_on_turns
                               ? Launcher(*this, launched_reference_).Launch(middle)
                               : RunGroups(reference, low, middle, of_low);
      LaunchDifference difference = DifferenceWith(*found.engine, found.launches, middle, expected);
      if (difference.any()) {
        high = middle;
        of_high = std::move(difference);
      } else {
        low = middle;
        of_low = std::move(expected);
      }
    }
    found.groups = high;
    found.last_group = runtime::GroupOf(grid_.launch, high - 1).id;
    found.with_groups = std::move(of_high);
  }

  // Of the reference, from what the groups before `first` leave.
  LaunchEnd RunGroups(PreparedCode& reference, uint64_t first, uint64_t end,
                      const LaunchEnd& before) {
    constexpr uint64_t kWholeTurn = uint64_t{1} << 40;
    LaunchEnd after{before.status, before.fault, before.instructions, {}};
    image().Restore(before.memory);
    for (uint64_t index = first; index < end && !after.fault; ++index) {
      GroupRun group(grid_, index);
      while (group.Take(reference.run(), kWholeTurn)) {
      }
      after.instructions += group.executed();
      if (!group.faulted()) continue;
      after.status = LaunchStatus::kFault;
      after.fault = group.Report(grid_.launch, reference.code(), kernel_);
    }
    image().Save(after.memory);
    return after;
  }

  // Of the last of so many launches by code that has not run before.
  LaunchDifference DifferenceWith(const Engine& engine, uint64_t launches, uint64_t groups,
                                  const LaunchEnd& expected) {
    Launcher launcher(*this, engine);
    for (uint64_t n = 1; n < launches; ++n) launcher.Launch(groups);
    return Compare(expected, launcher.Launch(groups));
  }

  GridPlace& grid_;
  const KernelInfo& kernel_;
  const Engine& reference_;
  const Engine launched_reference_;
  const GuestImage::Copy& from_;
  const LaunchDiffOptions& options_;
  const double seconds_;
  LaunchEnd expected_;
  bool is_launched_ = false;  // the reference
  bool counts_ = true;        // instructions are compared
  LaunchDiffResult result_;
};

}  // namespace

LaunchDiffResult DiffLaunch(GridPlace& grid, const KernelInfo& kernel, const Engine& reference,
                            const std::vector<Engine>& tested, const GuestImage::Copy& from,
                            const KernelDiffResult& by_group, const LaunchDiffOptions& options) {
  return LaunchDiff(grid, kernel, reference, from, by_group, options).Run(tested);
}

}  // namespace gcnjit::differential
