// A launch that is interpreted one instruction at a time, in the order in which a host thread of
// the runtime would: groups in ascending order, and the waves of a group in turns.
#pragma once

#include <atomic>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

#include "debug/page_log.h"
#include "debug/work_group.h"
#include "runtime/check/access.h"
#include "runtime/check/checker.h"
#include "runtime/interpreter/code_map.h"
#include "runtime/interpreter/mxcsr_guard.h"
#include "runtime/state/global_wave_sync.h"

namespace gcnjit::debug {

// A wave of a launch.
struct WaveName {
  uint64_t group = 0;  // in the grid, x fastest
  uint32_t wave = 0;   // in the group
  friend auto operator<=>(const WaveName&, const WaveName&) = default;
};

struct Change;

class Machine {
 public:
  // All of these outlive the object. `checker` may be null; it sees each instruction when that is
  // executed for the first time.
  Machine(const runtime::LaunchState& launch, const KernelInfo& kernel, runtime::CodeMap& code,
          runtime::GuestMemory& memory, PageLog& pages, runtime::check::Checker* checker);

  // Guest code sets MXCSR: whoever calls Step has one of these.
  class Running {
   public:
    explicit Running(Machine& machine) { machine.running_ = nullptr; }

   private:
    runtime::MxcsrGuard guard_;
  };

  // Executes the next instruction, unless the launch has ended. False: it faults; what it leaves is
  // not specified, and the launch is to be taken back to before it.
  bool Step();

  // Instructions executed: the place in the run.
  uint64_t step() const { return order_.step; }
  // All groups have ended.
  bool ended() const { return order_.ended == group_count_; }
  // Of the instruction that faults, and how many are executed before it; nothing: none is known.
  struct Fault {
    uint64_t step = 0;
    FaultReport report;
  };
  const std::optional<Fault>& fault() const { return fault_; }
  // The most that step() has been.
  uint64_t frontier() const { return frontier_; }

  // The wave that executes next, unless the launch has ended, and the one that has executed last,
  // if step() is not 0.
  WaveName next() const { return {order_.running, current_->progress.schedule.current()}; }
  WaveName last() const { return order_.last; }
  // That of next().
  const WorkGroup& group() const { return *current_; }
  // Is the next instruction at `pc`, and will it access any of these bytes, of guest memory or of
  // LDS? bytes is 0: whatever it accesses.
  bool NextIs(uint64_t pc, uint64_t address, uint32_t bytes);
  // Groups that have begun and not ended; null: it is none of these.
  const std::map<uint64_t, std::unique_ptr<WorkGroup>>& groups() const { return groups_; }
  const WorkGroup* Find(uint64_t group) const;
  uint64_t group_count() const { return group_count_; }

  const runtime::LaunchState& launch() const { return launch_; }
  runtime::CodeMap& code() const { return reader_.code(); }
  const runtime::GuestMemory& memory() const { return *dispatch_.memory; }

  // Can the change be made now? If not, why.
  Result<void> Fits(const Change& change) const;
  // Of LDS or memory: how many of its bytes can be changed, up to the first that cannot.
  uint64_t Fitting(const Change& change) const;
  // It fits.
  void Make(const Change& change);
  // Nothing is known any more of what is executed from here on: frontier() is step().
  void ForgetWhatFollows();

  // Everything but guest memory.
  struct Copy;
  std::shared_ptr<const Copy> Save() const;
  void Restore(const Copy& copy);

 private:
  // Which groups there are. A copy is a snapshot.
  struct Order {
    uint64_t step = 0;
    uint64_t ended = 0;     // groups
    uint64_t next_new = 0;  // the first group that has not begun
    uint64_t running = 0;   // the group whose turn it is
    WaveName last;
    std::deque<uint64_t> aside;         // the next one first
    std::vector<uint64_t> free_spaces;  // of scratch
    uint64_t spaces = 0;                // that there are
    bool began_last = false;
    bool some_wait = false;
  };

  void Execute(runtime::Wave& w, const runtime::CodeSlot* slot, bool is_first);
  void FindAccessesOf(runtime::Wave& w, const runtime::CodeSlot& slot);
  void KeepPages(runtime::Wave& w, const runtime::CodeSlot& slot);
  void RepeatClock(runtime::Wave& w, const runtime::CodeSlot& slot, bool is_first);
  void EndTurns(bool is_first);
  bool BeginGroup(bool is_first);
  void Choose(uint64_t group);

  const runtime::LaunchState& launch_;
  const KernelInfo& kernel_;
  PageLog& pages_;
  runtime::check::Checker* const checker_;
  const uint64_t group_count_;
  const runtime::WaveStarter starter_;
  std::vector<std::byte> gds_;
  std::atomic<bool> gds_is_used_ = false;
  std::atomic<bool> stop_ = false;  // never
  runtime::DispatchState dispatch_;
  mutable runtime::CodeReader reader_;
  std::map<uint64_t, std::unique_ptr<WorkGroup>> groups_;
  Order order_;
  WorkGroup* current_ = nullptr;
  const runtime::Wave* running_ = nullptr;  // that MXCSR is for
  uint64_t frontier_ = 0;
  std::optional<Fault> fault_;
  std::unordered_map<uint64_t, runtime::check::InstructionInfo> infos_;  // by PC
  runtime::check::AccessList accesses_;
  std::unordered_map<uint64_t, uint64_t> clocks_;  // what was read, by step
};

}  // namespace gcnjit::debug
