// A launch under control: goes on to breakpoints, findings, a fault, or as far as is asked for,
// forwards and backwards.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "debug/breakpoints.h"
#include "debug/code_lines.h"
#include "debug/goals.h"
#include "debug/timeline.h"

namespace gcnjit::debug {

enum class StopReason : uint8_t {
  kGoal,
  kBreakpoint,
  kFinding,  // the next instruction makes one: it has not been executed
  kFault,    // the next instruction faults, which ends the launch
  kEnd,      // all groups have ended
  kBegin,    // on the way back: nothing has been executed
  kInterrupted,
};

struct Stop {
  StopReason reason = StopReason::kBegin;
  std::vector<int> breakpoints;  // numbers
  std::vector<size_t> findings;  // of Session::findings()
};

class Session {
 public:
  struct Launch {
    const runtime::LaunchState& state;
    const KernelInfo& kernel;
    const LaunchConfig& config;  // what it checks
    const Arguments& arguments;
  };
  // All of these outlive the object.
  Session(const Launch& launch, runtime::CodeMap& code, runtime::GuestMemory& memory,
          confined::LoadedLines& lines);

  const Machine& machine() const { return timeline_.machine(); }
  CodeLines& lines() { return lines_; }
  Breakpoints& breakpoints() { return breakpoints_; }

  // Each executes an instruction at least, if there is one, before it stops. The way back ends at
  // places where the way forwards would have stopped.
  Stop Forward(const Goal& goal);
  Stop Backward(const Goal& goal);
  // To where so many instructions have been executed, whatever is in between, or as far as it goes.
  Stop GoTo(uint64_t step);

  // Makes a change where the run stands: it stays with that place, on the way back and forwards,
  // and what has been executed from there on is forgotten. True: something has been. An Error: it
  // is not made, because it does not fit, or because the launch is checked: the checks have seen
  // what followed, and know nothing of changes.
  Result<bool> Make(const Change& change);

  // Asked now and then: is the run to stop where it is? May be empty.
  std::function<bool()> is_interrupted;
  bool stops_at_findings = true;

  bool checks() const { return checker_ != nullptr; }
  // As far as the launch has ever run.
  const std::vector<Finding>& findings() const;
  // When the launch has ended, by a fault perhaps, with all findings.
  const std::optional<LaunchResult>& result() const { return result_; }

 private:
  // Why the run is to stop here; nothing: it is not. The launch has not ended.
  std::optional<Stop> StopHere(const Goal& goal) const;
  std::vector<size_t> FindingsAt(uint64_t step) const;
  bool IsInterrupted();
  bool Step();
  bool IsAtFault() const;
  void Finish();
  void Learn(uint64_t step, const WaveName& wave, uint64_t pc);
  void FindPlaces(std::vector<size_t> findings);
  std::optional<Stop> StopAtNew(size_t known, uint64_t from);
  void FindLast(uint64_t end, const std::function<bool()>& look);

  std::unique_ptr<runtime::check::Checker> checker_;  // null: nothing is checked
  Timeline timeline_;
  CodeLines lines_;
  Breakpoints breakpoints_;
  std::multimap<uint64_t, size_t> findings_at_;  // by the step that makes them
  size_t known_ = 0;                             // findings
  std::optional<LaunchResult> result_;
  uint64_t asked_ = 0;
};

}  // namespace gcnjit::debug
