// Runs work-groups one after another on one host thread, the waves of a group taking turns. A group
// that has used up its turns can be set aside for another one.
//
// First turns are in the waves' order, later ones in the reverse order. On a GPU waves go on
// together after a barrier. Programs that forget another one pass there if the first wave, which
// works for all of them, takes longer to write again what they read: rocPRIM's look-ahead for one.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "gcnjit/launch.h"
#include "runtime/interpreter/code_map.h"
#include "runtime/interpreter/fidelity.h"
#include "runtime/jit/jit_runner.h"
#include "runtime/memory/memory_reader.h"
#include "runtime/schedule/group_batch.h"
#include "runtime/schedule/late_helpers.h"
#include "runtime/schedule/resident_group.h"
#include "runtime/schedule/turn_watch.h"
#include "runtime/state/group_storage.h"
#include "runtime/state/initial_state.h"

namespace gcnjit::runtime {

// What the host threads of a launch share.
struct LaunchContext {
  const LaunchState& launch;
  const WaveStarter& starter;
  CodeMap& code;
  RegionCache* jit;  // null: everything is interpreted
  DispatchState& dispatch;
  WarmUp* warm_up;  // of the kernel; null if `jit` is
};

class GroupRunner : private JitRunner::GroupSource {
 public:
  // The first wave's scratch starts `scratch_offset` bytes after launch.scratch_base, the others'
  // follow. `helpers`: that this thread may call; null: none.
  GroupRunner(LaunchContext& context, uint64_t scratch_offset, LateHelpers* helpers);
  ~GroupRunner();
  GroupRunner(const GroupRunner&) = delete;
  GroupRunner& operator=(const GroupRunner&) = delete;

  enum class Outcome {
    kEnded,
    kIsOver,   // a group has begun, and its turns are over: see TurnWatch
    kStopped,  // so is the launch: it was told to, there is a fault, or a wave has executed
               // LaunchState::max_wave_instructions, which its fault then says
  };
  // Runs the groups of a batch, one after another. Those that have not ended are left in it.
  // `is_careful`: groups of this launch have been found waiting.
  Outcome Run(GroupBatch& batch, bool is_careful);
  // Resumes the group whose turns were over.
  Outcome GoOn(bool is_careful);

  // Gives away the group whose turns are over. The next one that this thread begins gets `space`.
  ResidentGroup SetAside(GroupSpace space);
  // Likewise; this thread resumes `group` instead.
  ResidentGroup Exchange(ResidentGroup group);
  // The same for a thread without a group. Returns the space that it had for one.
  GroupSpace Resume(ResidentGroup group);
  // There is a group that has begun and not ended.
  bool has_group() const { return ended_ < group_.wave_count; }
  uint64_t group_number() const;  // in the grid, counted with x fastest
  bool group_waits() const { return has_group() && watch_.waits(); }
  // Those of the constructor, from now on.
  void CallHelpers();
  // To be called now and then by a thread that has nothing to run.
  void Idle() { reader_.Refresh(); }

  // The wave that faulted, until the next Run; null: none.
  const Wave* faulted() const { return faulted_; }
  const Statistics& statistics() const { return statistics_; }
  // With LaunchState::count_instructions; else null.
  const OpcodeCounts* counts() const { return counts_.get(); }

 private:
  // A wave of the group that has been started, and the storage it lives in.
  struct Slot {
    using Status = ResidentGroup::WaveStatus;
    static constexpr uint32_t kNothing = ~0u;
    Wave wave;
    // The number of the wave whose first registers starter_ has put into the state. If the wave is
    // still new, only code that starter_ knows has changed them.
    uint32_t holds = kNothing;
    Status status = Status::kRunnable;
    uint64_t instructions_left = 0;  // of LaunchState::max_wave_instructions
    uint64_t seen_at = 0;            // the PC when watch_ had its last look; 0: it had none
  };

  GroupShape ShapeOf(const std::array<uint32_t, 3>& size) const;
  bool IsWhole(const Dim3& id) const {
    return id.x < whole_groups_[0] && id.y < whole_groups_[1] && id.z < whole_groups_[2];
  }
  Outcome RunGroup(bool is_careful);
  Outcome TakeRounds();
  bool LookAtGroup();
  bool GoToSamePlace(Slot& slot);
  ResidentGroup TakeAway();
  void BeginGroup(const Dim3& id);
  void EnterGroup(const Dim3& id);
  bool StartNextGroup(uint64_t executed) noexcept override;
  void BeginSeries();
  void EndSeries();
  bool StartWaves();
  void SetGroupSize();
  void SetStart();
  void StartWaves(uint32_t number, std::span<Slot> slots);
  void AddSlots(uint32_t count);
  void StartCompiled();
  void StartRestCompiled();
  bool TakeFirstTurns(std::span<Slot> slots);
  bool TakeTurns();
  bool RunsInRelay();
  bool TakeTurn(Slot& slot, uint64_t most);
  bool EndTurn(Slot& slot);
  bool IsOverLimit(Slot& slot, uint64_t executed);
  uint64_t RunWaveFor(Wave& w, uint64_t most);
  bool RunsCompiled();

  LaunchContext& context_;
  LateHelpers* const helpers_;
  GroupSpace space_;  // of the group that runs
  const uint64_t scratch_per_wave_;
  const std::array<uint32_t, 3> whole_size_;    // of groups that are not at the grid's edge
  const std::array<uint32_t, 3> whole_groups_;  // along each axis
  const GroupShape whole_shape_;
  const JitKey whole_key_;
  const JitKey partial_key_;  // nothing is known of the group's shape
  check::Checker* const checker_;
  GuestMemory::Reader reader_;
  CodeReader code_;
  std::optional<JitRunner> jit_;
  bool runs_compiled_ = false;    // the warm-up is over
  bool starts_compiled_ = false;  // and starter_ gives the registers that the compiled code wants
  // Of whole groups, where the compiled code does not want all.
  std::optional<StartingRegisters> registers_;
  GroupStarter starter_;
  GroupBatch* batch_ = nullptr;
  WorkgroupState group_;
  uint64_t executed_before_ = 0;  // when the group began
  // Waves that have been started, in that order. Those from used_slots_ on are free: the next wave
  // gets the first of them.
  std::vector<Slot> slots_;
  uint32_t used_slots_ = 0;
  std::vector<Wave*> relay_;  // waves that can run, and their slots
  std::vector<uint32_t> relay_slots_;
  uint32_t ended_ = 0;
  uint32_t at_barrier_ = 0;
  TurnWatch watch_;  // of the group that runs
  const Wave* faulted_ = nullptr;
  Statistics statistics_;
  std::unique_ptr<OpcodeCounts> counts_;
};

}  // namespace gcnjit::runtime
