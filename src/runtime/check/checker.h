// Checks the waves of one launch while they are interpreted: RunWave with a look at each
// instruction before it is executed. One host thread runs all groups, one after another; a group
// that is set aside takes what is known of it along.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

#include "gcnjit/launch.h"
#include "runtime/check/access.h"
#include "runtime/check/allocation_map.h"
#include "runtime/check/barrier_check.h"
#include "runtime/check/bounds_check.h"
#include "runtime/check/findings.h"
#include "runtime/check/group_checks.h"
#include "runtime/check/race_check.h"
#include "runtime/check/uninit_check.h"
#include "runtime/check/wait_check.h"
#include "runtime/interpreter/code_map.h"
#include "runtime/state/initial_state.h"

namespace gcnjit::runtime::check {

class Checker {
 public:
  // All of these outlive the object.
  Checker(const LaunchState& launch, const KernelInfo& kernel, CodeMap& code,
          const GuestMemory& memory, const LaunchConfig& config, const Arguments& arguments);

  void BeginGroup(const WorkgroupState& group);
  // Before other groups begin or are gone on with, and afterwards.
  void SetAside();
  void Resume(const WorkgroupState& group);
  // The wave's registers are as it starts with them.
  void StartWave(const WaveState& state, uint64_t scratch_offset);
  // As runtime::RunWave.
  uint64_t RunWave(Wave& w, uint64_t budget);

  // Meanwhile; only the end of the launch shows some races.
  const std::vector<Finding>& findings() const { return findings_.so_far(); }
  // After the launch.
  void MoveFindings(LaunchResult& result);

 private:
  const InstructionInfo& InfoAt(const WaveState& state, const Instruction& i);
  void Before(Wave& w, const CodeSlot& slot);
  void CheckAccess(const Wave& w, const Access& access, const Site& site, const WaveChecks& checks);
  void FollowOrder(const Instruction& i, uint32_t wave);
  void After(const Wave& w, uint64_t pc, uint64_t exec);
  bool Has(uint32_t checks) const { return (checks_ & checks) != 0; }
  bool HasRaces() const { return Has(kCheckRaces | kCheckAtomics); }

  const LaunchState& launch_;
  CodeReader code_;
  const uint32_t checks_;
  Findings findings_;
  Findings notes_;
  AllocationMap allocations_;
  BoundsCheck bounds_;
  RaceCheck races_;
  WaitCheck waits_;
  BarrierCheck barriers_;
  UninitCheck uninit_;
  std::unordered_map<uint64_t, std::unique_ptr<InstructionInfo>> infos_;
  AccessList accesses_;
  uint64_t group_ = 0;
  std::vector<WaveChecks> waves_;
  std::map<uint64_t, GroupChecks> aside_;  // by the group's number
};

}  // namespace gcnjit::runtime::check
