#include "runtime/initial_state.h"

#include <algorithm>
#include <cstring>

namespace gcnjit::runtime {
namespace {

// Appends SGPRs in order.
class SgprWriter {
 public:
  explicit SgprWriter(WaveState& state) : state_(state) {}
  void Put(uint32_t value) { state_.sgpr[next_++] = value; }
  void Put64(uint64_t value) {
    Put(static_cast<uint32_t>(value));
    Put(static_cast<uint32_t>(value >> 32));
  }
  void SkipTo(uint32_t index) { next_ = std::max(next_, index); }

 private:
  WaveState& state_;
  uint32_t next_ = 0;
};

// The buffer resource through which code accesses scratch: dwords of the 64 lanes interleaved.
// Word 3 follows ROCr: DST_SEL xyzw, NUM_FORMAT uint, DATA_FORMAT 32, ELEMENT_SIZE 4 bytes
// (gfx6-8), INDEX_STRIDE 64, ADD_TID_ENABLE.
void PutPrivateSegmentBuffer(const LaunchState& launch, SgprWriter& sgprs) {
  constexpr uint32_t kDstSelXyzw = 4 | 5 << 3 | 6 << 6 | 7 << 9;
  constexpr uint32_t kNumFormatUint = 4u << 12;
  constexpr uint32_t kDataFormat32 = 4u << 15;
  constexpr uint32_t kElementSize4 = 1u << 19;
  constexpr uint32_t kIndexStride64 = 3u << 21;
  constexpr uint32_t kAddTidEnable = 1u << 23;
  constexpr uint32_t kSwizzleEnable = 1u << 31;
  const bool gfx9 = IsGfx9(launch.generation);
  const bool gfx8 = launch.generation == frontend::Generation::kGfx8;
  sgprs.Put(static_cast<uint32_t>(launch.scratch_base));
  sgprs.Put((static_cast<uint32_t>(launch.scratch_base >> 32) & 0xFFFF) | kSwizzleEnable);
  sgprs.Put(static_cast<uint32_t>(std::min<uint64_t>(launch.scratch_total, 0xFFFFFFFF)));
  // With ADD_TID_ENABLE, gfx8-9 read DATA_FORMAT as STRIDE[17:14], which must be 0.
  sgprs.Put(kDstSelXyzw | kNumFormatUint | (gfx8 || gfx9 ? 0 : kDataFormat32) |
            (gfx9 ? 0 : kElementSize4) | kIndexStride64 | kAddTidEnable);
}

void PutUserSgprs(const LaunchState& launch, SgprWriter& sgprs) {
  const frontend::KernelDescriptor& kd = launch.descriptor;
  if (kd.private_segment_buffer) PutPrivateSegmentBuffer(launch, sgprs);
  if (kd.dispatch_ptr) sgprs.Put64(launch.dispatch_packet);
  if (kd.queue_ptr) sgprs.Put64(launch.queue);
  if (kd.kernarg_segment_ptr) sgprs.Put64(launch.kernarg);
  if (kd.dispatch_id) sgprs.Put64(0);
  if (kd.flat_scratch_init) {
    if (IsGfx9(launch.generation)) {
      sgprs.Put64(launch.scratch_base);
    } else {
      sgprs.Put(0);  // offset of this queue's scratch from SH_HIDDEN_PRIVATE_BASE
      sgprs.Put(launch.scratch_per_lane);
    }
  }
  if (kd.private_segment_size) sgprs.Put(launch.scratch_per_lane);
  const uint32_t global[3] = {launch.global.x, launch.global.y, launch.global.z};
  const uint32_t local[3] = {launch.local.x, launch.local.y, launch.local.z};
  for (int axis = 0; axis < 3; ++axis) {
    if (kd.grid_workgroup_count[axis]) {
      sgprs.Put(static_cast<uint32_t>((uint64_t{global[axis]} + local[axis] - 1) / local[axis]));
    }
  }
  sgprs.SkipTo(kd.UserSgprCount());
}

void PutSystemSgprs(const LaunchState& launch, const WorkgroupState& group, uint32_t wave,
                    uint64_t scratch_offset, SgprWriter& sgprs) {
  const frontend::KernelDescriptor& kd = launch.descriptor;
  for (int axis = 0; axis < 3; ++axis) {
    if (kd.WorkgroupId(axis)) sgprs.Put(group.id[axis]);
  }
  if (kd.WorkgroupInfo()) {
    // {first wave of the group, 14'b0, ordered append term[10:0], waves in the group[5:0]}
    sgprs.Put((wave == 0 ? 1u << 31 : 0) | group.wave_count);
  }
  if (kd.ScratchWaveOffset()) sgprs.Put(static_cast<uint32_t>(scratch_offset));
}

void PutWorkItemIds(const LaunchState& launch, const WorkgroupState& group, uint32_t wave,
                    WaveState& state) {
  const uint32_t axes = launch.descriptor.WorkitemIdVgprs();
  // Row by row: this is done for every wave, and divisions take longer than short kernels do.
  std::array<uint32_t, 3> id = LocalId(group, wave, 0);
  for (uint32_t lane = 0; lane < kLanes;) {
    const uint32_t run = std::min(kLanes - lane, group.size[0] - id[0]);
    for (uint32_t n = 0; n < run; ++n) state.vgpr[0][lane + n] = id[0] + n;
    if (axes > 1) std::fill_n(&state.vgpr[1][lane], run, id[1]);
    if (axes > 2) std::fill_n(&state.vgpr[2][lane], run, id[2]);
    lane += run;
    id[0] = 0;
    if (++id[1] == group.size[1]) {
      id[1] = 0;
      ++id[2];
    }
  }
}

}  // namespace

std::array<uint32_t, 3> LocalId(const WorkgroupState& group, uint32_t wave, int lane) {
  const uint32_t flat = wave * kLanes + static_cast<uint32_t>(lane);
  const uint32_t plane = group.size[0] * group.size[1];
  return {flat % group.size[0], flat / group.size[0] % group.size[1], flat / plane};
}

uint32_t ModeAtStart(const frontend::KernelDescriptor& kd, frontend::Generation generation) {
  uint32_t mode = kd.FloatMode();
  if (kd.Dx10Clamp()) mode |= kModeDx10Clamp;
  if (kd.IeeeMode()) mode |= kModeIeee;
  if (IsGfx9(generation) && kd.Fp16Overflow()) mode |= kModeFp16Overflow;
  return mode;
}

void InitialiseWave(const LaunchState& launch, const WorkgroupState& group, uint32_t wave,
                    uint64_t scratch_offset, WaveState& state) {
  const frontend::KernelDescriptor& kd = launch.descriptor;
  // Registers that the ABI leaves undefined start as zero, so that runs are repeatable.
  std::memset(state.sgpr, 0, sizeof state.sgpr);
  state.vgpr_count = std::min<uint32_t>(kd.VgprCount(), kMaxVgprs);
  std::memset(state.vgpr, 0, sizeof state.vgpr[0] * state.vgpr_count);
  state.scc = 0;
  state.pc = launch.entry;
  state.wave_in_group = wave;
  state.mode = ModeAtStart(kd, launch.generation);

  SgprWriter sgprs(state);
  PutUserSgprs(launch, sgprs);
  PutSystemSgprs(launch, group, wave, scratch_offset, sgprs);
  PutWorkItemIds(launch, group, wave, state);

  const uint32_t items = group.size[0] * group.size[1] * group.size[2];
  const uint32_t active = std::min<uint32_t>(items - wave * kLanes, kLanes);
  state.SetPair(frontend::kCodeExecLo,
                active == kLanes ? ~uint64_t{0} : (uint64_t{1} << active) - 1);
}

}  // namespace gcnjit::runtime
