// Registers of a wave when it starts.
// Source: LLVM AMDGPUUsage, "Initial Kernel Execution State", "Flat Scratch", "Private Segment
// Buffer".
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "frontend/code_object/kernel_descriptor.h"
#include "frontend/flow/register_access.h"
#include "gcnjit/launch.h"
#include "runtime/state/global_wave_sync.h"
#include "runtime/state/group_series.h"
#include "runtime/state/wave_state.h"

namespace gcnjit::runtime {

namespace check {
class Checker;
}

// What is the same for all waves of a launch.
struct LaunchState {
  frontend::Processor processor;
  frontend::KernelDescriptor descriptor;
  uint64_t entry = 0;    // guest address of the first instruction
  uint64_t kernarg = 0;  // guest addresses
  // Of the kernel arguments, where neither they nor the packet can change while the launch runs.
  uint32_t fixed_kernarg_bytes = 0;
  uint64_t dispatch_packet = 0;
  uint64_t queue = 0;
  uint64_t dispatch_id = 0;  // number of the packet in its queue
  // Kernel arguments that SGPRs start with.
  std::array<uint32_t, frontend::kMostUserSgprs> preloaded = {};
  uint64_t scratch_base = 0;      // of all waves' scratch
  uint64_t scratch_total = 0;     // bytes
  uint32_t scratch_per_lane = 0;  // bytes, a multiple of 4
  uint32_t lds_bytes = 0;         // that a work-group gets
  uint32_t asked_lds_bytes = 0;   // of these, static and dynamic ones (lds_size.h)
  Dim3 global;
  Dim3 local;
  uint64_t max_wave_instructions = ~uint64_t{0};  // that a wave may execute
  bool count_instructions = false;                // interpreted launches only
  uint64_t resident_groups = 1;                   // that the device holds at the same time
  uint64_t most_groups = ~uint64_t{0};  // that run, the first ones; the others never begin
  bool starts_together = false;  // on all host threads, however short it is; where comparing them
  GlobalWaveSync* wave_sync = nullptr;  // null: the launch has none
  check::Checker* checker = nullptr;    // null: nothing is checked
};

// Local ids of the work-items of a wave, by axis and lane.
struct alignas(64) WorkItemIds {
  uint32_t id[3][kLanes];
};

constexpr size_t kSgprNumbers = std::extent_v<decltype(WaveState::sgpr)>;
static_assert(kSgprNumbers == frontend::SgprSet().size());

// Numbers of registers. Short launches take about as long as finding these does: nothing is
// allocated for them, and only as many are copied as there are.
template <size_t kMost, typename Number = uint8_t>
class RegisterList {
 public:
  RegisterList() = default;
  RegisterList(const RegisterList& other) { *this = other; }
  RegisterList& operator=(const RegisterList& other) {
    count_ = other.count_;
    std::copy(other.begin(), other.end(), numbers_.begin());
    return *this;
  }

  void Add(size_t number) { numbers_[count_++] = static_cast<Number>(number); }
  bool empty() const { return count_ == 0; }
  const Number* begin() const { return numbers_.data(); }
  const Number* end() const { return numbers_.data() + count_; }

 private:
  uint16_t count_ = 0;
  std::array<Number, kMost> numbers_;
};

// Registers in which a wave that starts gets values; it must write the others before it reads them.
struct StartingRegisters {
  static constexpr int kSgprsOfBlock = 16;
  struct Vgprs {
    RegisterList<3> ids;  // of v0 to v2: work-item ids along that axis
    RegisterList<kVectorRegisters, uint16_t> zeros;
  };
  RegisterList<kSgprNumbers / kSgprsOfBlock> sgpr_blocks;
  Vgprs vgprs;
  // Of these: what is not the same in every group, or not what it was when a wave has ended.
  RegisterList<kSgprNumbers> changing_sgprs;
  RegisterList<kSgprNumbers> changing_in_row;  // of the grid: of these, without ids along y and z
  Vgprs changing_vgprs;
  bool changing_exec = false;
};

// What all waves of a launch have in common when they start.
class WaveStarter {
 public:
  explicit WaveStarter(const LaunchState& launch);

  uint32_t mode() const { return mode_; }
  frontend::VgprCounts vgprs() const { return vgprs_; }

  // What has to be given values if only these registers may be read before they are written, and
  // the code that waves start in writes those.
  StartingRegisters Select(const frontend::RegisterSet& read_first,
                           const frontend::RegisterSet& written) const;
  // The same if nothing is known of the code.
  StartingRegisters SelectAll() const {
    return Select(frontend::RegisterSet::All(), frontend::RegisterSet::All());
  }

 private:
  friend class GroupStarter;

  const LaunchState& launch_;
  const uint32_t mode_;
  const frontend::VgprCounts vgprs_;
  StartingRegisters::Vgprs VgprsIn(const frontend::VgprSet& vgprs) const;

  const uint32_t id_vgprs_;  // with work-item ids, from v0 on
  // Of any wave; what differs is put in place afterwards:
  alignas(64) uint32_t sgpr_[kSgprNumbers];
  int group_id_[3] = {-1, -1, -1};  // SGPR numbers, -1: not asked for
  int group_info_ = -1;
  int scratch_offset_ = -1;
  const bool starts_with_scratch_;        // FLAT_SCRATCH
  std::vector<WorkItemIds> whole_group_;  // by wave
};

// Gives the waves of one work-group after another their first registers. Short kernels take no
// longer than that, so what waves have in common is worked out once a group.
class GroupStarter {
 public:
  explicit GroupStarter(const WaveStarter& launch);

  // Which ones get values: at first none. States filled before are not for StartAgain any more.
  void SetRegisters(const StartingRegisters& registers);
  // Of this group and of those that begin afterwards. `group` is kept.
  void SetGroupSize(const WorkgroupState& group);
  // Until then no group counts as whole.
  void ForgetGroupSize() { is_whole_ = false; }
  void BeginGroup(const WorkgroupState& group);
  // Registers that the ABI leaves undefined start as zeros, so that runs are repeatable.
  // Fills `state` for wave `wave` of the group; its scratch starts `scratch_offset` bytes after
  // scratch_base. Lanes are packed: work-items of a partial group are numbered by its actual size.
  void Start(uint32_t wave, uint64_t scratch_offset, WaveState& state) const;
  // The same for a state that Start has filled for the same wave of another group, both of them
  // whole, and that only the code has changed since in which waves start.
  void StartAgain(uint32_t wave, uint64_t scratch_offset, WaveState& state) const;
  // Is there nothing more to StartAgain than to GroupSeries::Start?
  bool CanStartSeries() const { return only_sgprs_change_; }
  // For `left` groups after `group`, which BeginGroup knows of.
  GroupSeries SeriesOf(WorkgroupState& group, uint32_t left);
  // Is the group as large as others?
  bool is_whole() const { return is_whole_; }

 private:
  void SetOwn(uint32_t wave, uint64_t scratch_offset, WaveState& state) const;
  void SetRestAgain(uint32_t wave, uint64_t scratch_offset, WaveState& state) const;
  void SetVgprs(const StartingRegisters::Vgprs& vgprs, const WorkItemIds& ids,
                WaveState& state) const;

  const WaveStarter& launch_;
  StartingRegisters registers_;
  bool only_sgprs_change_ = false;  // from group to group, and these are the same for all waves
  alignas(64) uint32_t sgpr_[kSgprNumbers];  // of any wave of the group
  uint32_t unread_id_ = 0;                   // the group's, where no SGPR has it
  const WorkgroupState* group_ = nullptr;
  uint32_t items_ = 0;
  bool is_whole_ = false;
};

inline void GroupStarter::BeginGroup(const WorkgroupState& group) {
  for (int axis = 0; axis < 3; ++axis) {
    if (launch_.group_id_[axis] >= 0) sgpr_[launch_.group_id_[axis]] = group.id[axis];
  }
}

inline GroupSeries GroupStarter::SeriesOf(WorkgroupState& group, uint32_t left) {
  const int id = launch_.group_id_[0];
  return {.left = left,
          .group = &group,
          .sgprs = {registers_.changing_in_row.begin(), registers_.changing_in_row.end()},
          .values = sgpr_,
          .id_value = id >= 0 ? &sgpr_[id] : &unread_id_,
          .pc = launch_.launch_.entry};
}

inline void GroupStarter::StartAgain(uint32_t wave, uint64_t scratch_offset,
                                     WaveState& state) const {
  state.scc = 0;
  state.trapsts = 0;
  state.pc = launch_.launch_.entry;
  for (const uint8_t n : registers_.changing_sgprs) state.sgpr[n] = sgpr_[n];
  if (!only_sgprs_change_) [[unlikely]]
    SetRestAgain(wave, scratch_offset, state);
}

// Local ids of a lane's work-item in a group of that size.
std::array<uint32_t, 3> LocalId(const std::array<uint32_t, 3>& size, uint32_t wave, int lane);

// MODE as a kernel's waves begin with it.
uint32_t ModeAtStart(const frontend::KernelDescriptor& kd, frontend::Generation generation);

}  // namespace gcnjit::runtime
