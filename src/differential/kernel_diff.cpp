#include "differential/kernel_diff.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <memory>

#include "differential/fault_difference.h"

namespace gcnjit::differential {
namespace {

using runtime::WaveEvent;

// Groups of a batch, whose effects on memory are compared together; batches grow to this.
constexpr uint64_t kMostInBatch = 4096;
// After so many instructions a batch has been long enough to be worth copying memory for.
constexpr uint64_t kInstructionsOfBatch = 4'000'000;
constexpr uint64_t kWholeTurn = uint64_t{1} << 40;

uint64_t HashOf(std::span<const std::byte> bytes, uint64_t seed) {
  uint64_t hash = seed;
  for (size_t at = 0; at < bytes.size(); at += 8) {
    uint64_t value = 0;
    std::memcpy(&value, &bytes[at], std::min<size_t>(8, bytes.size() - at));
    hash = (hash ^ value) * 0x9E3779B97F4A7C15;
    hash ^= hash >> 32;
  }
  return hash;
}

// What a group leaves, memory apart.
struct GroupEnd {
  uint64_t executed = 0;
  uint64_t lds = 0;        // hashes
  uint64_t registers = 0;  // of all waves, if the engine keeps them
  int fault_wave = -1;
  runtime::PendingFault fault;
  uint64_t fault_pc = 0;
  uint64_t fault_exec = 0;
  std::optional<FaultReport> report;  // with a fault

  bool IsSame(const GroupEnd& other, bool exact) const {
    if (fault_wave != other.fault_wave) return false;
    if (fault_wave >= 0) {
      return SameFault(fault, other.fault) && fault_pc == other.fault_pc &&
             fault_exec == other.fault_exec;
    }
    return executed == other.executed && lds == other.lds &&
           (!exact || registers == other.registers);
  }
};

class KernelDiff {
 public:
  KernelDiff(GridPlace& grid, const KernelInfo& kernel, const Engine& reference,
             const std::vector<Engine>& tested, const KernelDiffOptions& options)
      : grid_(grid), kernel_(kernel), reference_(reference), options_(options) {
    const frontend::Processor processor = grid.launch.processor;
    reference_code_ = std::make_unique<PreparedCode>(reference, processor, grid.place.code);
    for (const Engine& engine : tested) {
      tested_.push_back({&engine, engine.exact_registers && reference.exact_registers,
                         std::make_unique<PreparedCode>(engine, processor, grid.place.code)});
    }
  }

  KernelDiffResult Run() {
    const uint64_t groups = grid_.group_count();
    uint64_t batch = 1;
    image().Save(before_);
    for (uint64_t first = 0; first < groups;) {
      const uint64_t end = std::min(first + batch, groups);
      const uint64_t instructions = result_.instructions;
      if (!RunBatch(first, end)) return std::move(result_);
      if (result_.instructions - instructions < kInstructionsOfBatch) {
        batch = std::min(batch * 2, kMostInBatch);
      }
      first = end;
      if (options_.progress) options_.progress(first, groups);
    }
    return std::move(result_);
  }

 private:
  struct Tested {
    const Engine* engine;
    bool exact;
    std::unique_ptr<PreparedCode> code;
  };

  GuestImage& image() { return grid_.place.image; }

  GroupEnd RunGroup(const RunFunction& run, uint64_t index) {
    GroupRun group(grid_, index);
    while (group.Take(run, kWholeTurn)) {
    }
    waves_of_last_ = group.wave_count();
    GroupEnd end;
    end.executed = group.executed();
    end.lds = HashOf({grid_.place.group.lds, grid_.place.group.lds_bytes}, 0);
    for (uint32_t n = 0; n < group.wave_count(); ++n) {
      const runtime::WaveState& wave = group.wave(n);
      end.registers = HashOf(std::as_bytes(std::span(wave.sgpr)), end.registers + wave.scc);
      end.registers =
          HashOf(std::as_bytes(std::span(wave.vgpr).first(wave.vgpr_count)), end.registers);
      const auto acc_vgprs =
          std::span(wave.vgpr).subspan(runtime::kFirstAccVgpr, wave.acc_vgpr_count);
      end.registers = HashOf(std::as_bytes(acc_vgprs), end.registers);
    }
    if (group.faulted()) {
      const runtime::WaveState& wave = group.wave(static_cast<uint32_t>(group.fault_wave()));
      end.fault_wave = group.fault_wave();
      end.fault = group.fault();
      end.fault_pc = wave.pc;
      end.fault_exec = wave.exec();
      end.report = group.Report(grid_.launch, reference_code_->code(), kernel_);
    }
    return end;
  }

  // Groups [first, end) from before_, which then becomes what they leave. False: it is over.
  bool RunBatch(uint64_t first, uint64_t end) {
    std::vector<GroupEnd> expected;
    for (uint64_t index = first; index < end; ++index) {
      expected.push_back(RunGroup(reference_code_->run(), index));
      ++result_.groups;
      result_.waves += waves_of_last_;
      result_.instructions += expected.back().executed;
      if (expected.back().fault_wave >= 0) break;
    }
    image().Save(after_);
    const bool faulted = expected.back().fault_wave >= 0;
    for (const Tested& tested : tested_) {
      uint64_t bad = 0;
      if (IsSame(tested, first, expected, &bad)) continue;
      Locate(tested, first, bad);
      return false;
    }
    result_.fault = expected.back().report;
    image().Restore(after_);
    std::swap(before_, after_);
    return !faulted;
  }

  // Runs the groups from before_; *bad: the last one that was run.
  bool IsSame(const Tested& tested, uint64_t first, const std::vector<GroupEnd>& expected,
              uint64_t* bad) {
    image().Restore(before_);
    *bad = first;
    for (const GroupEnd& end : expected) {
      const GroupEnd got = RunGroup(tested.code->run(), *bad);
      if (!end.IsSame(got, tested.exact)) return false;
      // Memory after a fault is not specified.
      if (end.fault_wave >= 0) return true;
      ++*bad;
    }
    --*bad;
    return image().IsSame(after_);
  }

  // The groups from `first` on start at before_; `bad`, or one between the two, goes wrong.
  void Locate(const Tested& tested, uint64_t first, uint64_t bad) {
    uint64_t low = first;  // groups before it leave the same
    uint64_t high = bad;   // this one, or one before it, does not
    while (low < high) {
      const uint64_t middle = low + (high - low) / 2;
      if (AreSame(tested, first, middle + 1)) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    // What the group starts from.
    image().Restore(before_);
    for (uint64_t index = first; index < low; ++index) RunGroup(reference_code_->run(), index);
    image().Save(before_);
    result_.groups = low + 1;
    KernelDivergence found;
    found.engine = tested.engine;
    found.group = low;
    found.group_id = grid_.place.group.id;
    found.at_end = CompareGroup(tested, low, kWholeGroup);
    found.group_id = grid_.place.group.id;
    FindStep(tested, found);
    result_.divergence = std::move(found);
  }

  bool AreSame(const Tested& tested, uint64_t first, uint64_t end) {
    std::vector<GroupEnd> expected;
    image().Restore(before_);
    for (uint64_t index = first; index < end; ++index) {
      expected.push_back(RunGroup(reference_code_->run(), index));
    }
    image().Save(after_);
    uint64_t bad = 0;
    return IsSame(tested, first, expected, &bad);
  }

  static constexpr size_t kWholeGroup = ~size_t{0};

  // The group in both engines, from before_, as far as the first `count` steps of the tested one.
  // Which these are is left in steps_; what the reference leaves in situation_ if it is wanted.
  Difference CompareGroup(const Tested& tested, uint64_t index, size_t count) {
    // Compiled code looks at its budget at loops: each time it does is a step.
    constexpr uint64_t kOne = 1;
    image().Restore(before_);
    GroupRun got(grid_, index);
    steps_.clear();
    while (steps_.size() < count) {
      const auto step = got.Take(tested.code->run(), kOne);
      if (!step) break;
      steps_.push_back(*step);
    }
    const std::vector<std::byte> lds = Lds();
    GuestImage::Copy memory;
    image().Save(memory);

    image().Restore(before_);
    GroupRun expected(grid_, index);
    std::string event;
    for (const GroupRun::Step& step : steps_) {
      const GroupRun::Step done = expected.Follow(reference_code_->run(), step);
      const bool is_same = done.event == step.event &&
                           (done.executed == step.executed || step.event == WaveEvent::kFault);
      if (is_same) continue;
      event =
          fmt::format("  wave {}: expected {} instructions and then {}, got {} and then {}\n",
                      step.wave, done.executed, Name(done.event), step.executed, Name(step.event));
      break;
    }
    GuestImage::Copy expected_memory;
    image().Save(expected_memory);
    Difference difference;
    difference.event = event;
    if (expected.faulted() && got.faulted()) {
      if (!SameFault(expected.fault(), got.fault())) {
        difference.event += fmt::format("  fault: expected {}, got {}\n",
                                        FaultText(expected.fault()), FaultText(got.fault()));
      }
      return difference;
    }
    for (uint32_t n = 0; n < got.wave_count(); ++n) {
      StateDifferences of_wave;
      CompareWave(tested, expected.wave(n), got.wave(n), expected.has_ended(n), of_wave);
      for (StateDifference& found : of_wave) {
        found.what = fmt::format("wave {} {}", n, found.what);
        difference.state.push_back(std::move(found));
      }
    }
    CompareBytes("lds", Lds(), lds, 0, difference.state);
    image().Compare(expected_memory, memory, difference.state);
    return difference;
  }

  void CompareWave(const Tested& tested, const runtime::WaveState& expected,
                   const runtime::WaveState& got, bool has_ended, StateDifferences& differences) {
    if (has_ended) {
      if (tested.exact) CompareRegisters(expected, got, expected.vgpr_count, differences);
      return;
    }
    const frontend::LivePoint live = LiveAt(reference_code_->code(), expected.pc, tested.exact);
    CompareLiveRegisters(expected, got, live, differences);
  }

  std::vector<std::byte> Lds() const {
    const runtime::WorkgroupState& group = grid_.place.group;
    return {group.lds, group.lds + group.lds_bytes};
  }

  // The first step of the group after which something differs, and what is wrong with it.
  void FindStep(const Tested& tested, KernelDivergence& found) {
    size_t low = 0;  // after so many steps all is well
    size_t high = steps_.size();
    while (high - low > 1) {
      const size_t middle = low + (high - low) / 2;
      if (CompareGroup(tested, found.group, middle).any()) {
        high = middle;
      } else {
        low = middle;
      }
    }
    CompareGroup(tested, found.group, high);
    if (steps_.size() != high) return;
    // The reference comes to the step's begin.
    image().Restore(before_);
    GroupRun group(grid_, found.group);
    for (size_t n = 0; n + 1 < high; ++n) {
      group.Follow(reference_code_->run(), steps_[n]);
      if (steps_[n].wave == steps_.back().wave) found.wave_instructions += steps_[n].executed;
    }
    const GroupRun::Step& step = steps_.back();
    found.wave = step.wave;
    Situation from;
    from.wave = group.wave(step.wave);
    from.lds = Lds();
    image().Save(from.memory);
    found.place = Check(grid_.place, reference_, *tested.engine, from, step.executed);
    if (found.place) {
      found.place = Narrow(grid_.place, reference_, *tested.engine, *std::move(found.place));
    }
  }

  GridPlace& grid_;
  const KernelInfo& kernel_;
  const Engine& reference_;
  const KernelDiffOptions& options_;
  std::unique_ptr<PreparedCode> reference_code_;
  std::vector<Tested> tested_;
  GuestImage::Copy before_;
  GuestImage::Copy after_;
  std::vector<GroupRun::Step> steps_;
  uint32_t waves_of_last_ = 0;
  KernelDiffResult result_;
};

}  // namespace

KernelDiffResult DiffKernel(GridPlace& grid, const KernelInfo& kernel, const Engine& reference,
                            const std::vector<Engine>& tested, const KernelDiffOptions& options) {
  return KernelDiff(grid, kernel, reference, tested, options).Run();
}

}  // namespace gcnjit::differential
