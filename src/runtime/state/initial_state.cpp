#include "runtime/state/initial_state.h"

#include <immintrin.h>

#include <algorithm>
#include <utility>

#include "runtime/state/scratch_resource.h"

namespace gcnjit::runtime {
namespace {

// Appends SGPRs in order.
class SgprWriter {
 public:
  explicit SgprWriter(uint32_t* sgprs) : sgprs_(sgprs) {}
  // Returns the SGPR's number.
  int Put(uint32_t value) {
    sgprs_[next_] = value;
    return static_cast<int>(next_++);
  }
  void Put64(uint64_t value) {
    Put(static_cast<uint32_t>(value));
    Put(static_cast<uint32_t>(value >> 32));
  }
  void SkipTo(uint32_t index) { next_ = std::max(next_, index); }

 private:
  uint32_t* const sgprs_;
  uint32_t next_ = 0;
};

void PutPrivateSegmentBuffer(const LaunchState& launch, SgprWriter& sgprs) {
  const auto base_high = static_cast<uint32_t>(launch.scratch_base >> 32);
  sgprs.Put(static_cast<uint32_t>(launch.scratch_base));
  sgprs.Put((base_high & 0xFFFF) | kScratchHigh1 << 16);
  sgprs.Put(static_cast<uint32_t>(std::min<uint64_t>(launch.scratch_total, 0xFFFFFFFF)));
  sgprs.Put(ScratchWord3(launch.processor.generation));
}

void PutUserSgprs(const LaunchState& launch, SgprWriter& sgprs) {
  const frontend::KernelDescriptor& kd = launch.descriptor;
  if (kd.private_segment_buffer) PutPrivateSegmentBuffer(launch, sgprs);
  if (kd.dispatch_ptr) sgprs.Put64(launch.dispatch_packet);
  if (kd.queue_ptr) sgprs.Put64(launch.queue);
  if (kd.kernarg_segment_ptr) sgprs.Put64(launch.kernarg);
  if (kd.dispatch_id) sgprs.Put64(launch.dispatch_id);
  if (kd.flat_scratch_init) {
    if (frontend::Has(launch.processor.generation, frontend::kFlatScratchIsAddress)) {
      sgprs.Put64(launch.scratch_base);
    } else {
      sgprs.Put(0);  // offset of this queue's scratch from SH_HIDDEN_PRIVATE_BASE
      sgprs.Put(launch.scratch_per_lane);
    }
  }
  if (kd.private_segment_size) sgprs.Put(launch.scratch_per_lane);
  for (uint32_t n = 0; n < kd.preloaded_dwords; ++n) sgprs.Put(launch.preloaded[n]);
  const uint32_t global[3] = {launch.global.x, launch.global.y, launch.global.z};
  const uint32_t local[3] = {launch.local.x, launch.local.y, launch.local.z};
  for (int axis = 0; axis < 3; ++axis) {
    if (kd.grid_workgroup_count[axis]) {
      sgprs.Put(static_cast<uint32_t>((uint64_t{global[axis]} + local[axis] - 1) / local[axis]));
    }
  }
  sgprs.SkipTo(kd.UserSgprCount());
}

// Row by row: for partial groups this is done for every wave, and divisions take longer than short
// kernels do.
WorkItemIds IdsOf(const std::array<uint32_t, 3>& size, uint32_t wave,
                  const frontend::KernelDescriptor& kd) {
  uint32_t axes = kd.WorkitemIdAxes();
  // Ids in z are 0 then, but of lanes after the end, where compiled code takes them to count on.
  if (kd.PacksWorkitemIds() && axes == 2 && size[2] == 1) axes = 3;
  WorkItemIds ids;
  // Lanes after the end of a group of one dimension count on: compiled code takes v0 for one run.
  const uint32_t row = size[1] == 1 && size[2] == 1 ? ~0u : size[0];
  std::array<uint32_t, 3> id = LocalId(size, wave, 0);
  for (uint32_t lane = 0; lane < kLanes;) {
    const uint32_t run = std::min(kLanes - lane, row - id[0]);
    for (uint32_t n = 0; n < run; ++n) ids.id[0][lane + n] = id[0] + n;
    if (axes > 1) std::fill_n(&ids.id[1][lane], run, id[1]);
    if (axes > 2) std::fill_n(&ids.id[2][lane], run, id[2]);
    lane += run;
    id[0] = 0;
    if (++id[1] == size[1]) {
      id[1] = 0;
      ++id[2];
    }
  }
  if (kd.PacksWorkitemIds()) {
    for (uint32_t axis = 1; axis < axes; ++axis) {
      for (uint32_t lane = 0; lane < kLanes; ++lane)
        ids.id[0][lane] |= ids.id[axis][lane] << kPackedIdBits * axis;
    }
  }
  return ids;
}

// A register at a time, by hand: what the compiler makes of memcpy and memset of such sizes takes
// several times as long.
constexpr int kDwordsOfRegister = 8;

void CopyDwords(const uint32_t* from, int count, uint32_t* to) {
  for (int n = 0; n < count; n += kDwordsOfRegister) {
    _mm256_store_si256(reinterpret_cast<__m256i*>(to + n),
                       _mm256_load_si256(reinterpret_cast<const __m256i*>(from + n)));
  }
}

void ZeroDwords(int count, uint32_t* to) {
  for (int n = 0; n < count; n += kDwordsOfRegister) {
    _mm256_store_si256(reinterpret_cast<__m256i*>(to + n), _mm256_setzero_si256());
  }
}

}  // namespace

std::array<uint32_t, 3> LocalId(const std::array<uint32_t, 3>& size, uint32_t wave, int lane) {
  const uint32_t flat = wave * kLanes + static_cast<uint32_t>(lane);
  return {flat % size[0], flat / size[0] % size[1], flat / (size[0] * size[1])};
}

uint32_t ModeAtStart(const frontend::KernelDescriptor& kd, frontend::Generation generation) {
  uint32_t mode = kd.FloatMode();
  if (kd.Dx10Clamp()) mode |= kModeDx10Clamp;
  if (kd.IeeeMode()) mode |= kModeIeee;
  if (frontend::Has(generation, frontend::kFp16Overflow) && kd.Fp16Overflow())
    mode |= kModeFp16Overflow;
  return mode;
}

WaveStarter::WaveStarter(const LaunchState& launch)
    : launch_(launch),
      mode_(ModeAtStart(launch.descriptor, launch.processor.generation)),
      vgprs_(launch.descriptor.Vgprs()),
      id_vgprs_(launch.descriptor.WorkitemIdVgprs()),
      sgpr_(),
      starts_with_scratch_(launch.descriptor.StartsWithScratch()) {
  const frontend::KernelDescriptor& kd = launch.descriptor;
  SgprWriter sgprs(sgpr_);
  PutUserSgprs(launch, sgprs);
  for (int axis = 0; axis < 3; ++axis) {
    if (kd.WorkgroupId(axis)) group_id_[axis] = sgprs.Put(0);
  }
  if (kd.WorkgroupInfo()) group_info_ = sgprs.Put(0);
  if (kd.ScratchWaveOffset()) scratch_offset_ = sgprs.Put(0);

  const std::array<uint32_t, 3> size = {launch.local.x, launch.local.y, launch.local.z};
  const uint32_t items = size[0] * size[1] * size[2];
  whole_group_.reserve((items + kLanes - 1) / kLanes);
  for (uint32_t wave = 0; wave * kLanes < items; ++wave)
    whole_group_.push_back(IdsOf(size, wave, kd));
}

StartingRegisters WaveStarter::Select(const frontend::RegisterSet& read_first,
                                      const frontend::RegisterSet& written) const {
  StartingRegisters registers;
  frontend::SgprSet sgprs = read_first.sgprs;
  // EXEC is always given its value.
  sgprs.reset(frontend::kCodeExecLo).reset(frontend::kCodeExecHi);
  frontend::SgprSet changing = written.sgprs;
  frontend::SgprSet in_row = written.sgprs;
  if (group_id_[0] >= 0) in_row.set(static_cast<size_t>(group_id_[0]));
  for (const int id : group_id_) {
    if (id >= 0) changing.set(static_cast<size_t>(id));
  }
  if (group_info_ >= 0) changing.set(static_cast<size_t>(group_info_));
  size_t next_block = 0;
  for (size_t n = sgprs._Find_first(); n < sgprs.size(); n = sgprs._Find_next(n)) {
    const size_t block = n / StartingRegisters::kSgprsOfBlock;
    if (block >= next_block) {
      registers.sgpr_blocks.Add(block);
      next_block = block + 1;
    }
    if (changing[n]) registers.changing_sgprs.Add(n);
    if (in_row[n]) registers.changing_in_row.Add(n);
  }
  registers.changing_exec = (changing[frontend::kCodeExecLo] || changing[frontend::kCodeExecHi]);
  registers.vgprs = VgprsIn(read_first.vgprs);
  registers.changing_vgprs = VgprsIn(read_first.vgprs & written.vgprs);
  return registers;
}

StartingRegisters::Vgprs WaveStarter::VgprsIn(const frontend::VgprSet& vgprs) const {
  StartingRegisters::Vgprs in;
  size_t n = vgprs._Find_first();
  for (; n < id_vgprs_; n = vgprs._Find_next(n)) in.ids.Add(n);
  for (; n < vgprs_.vgprs; n = vgprs._Find_next(n)) in.zeros.Add(n);
  n = vgprs._Find_next(kFirstAccVgpr - 1);
  for (; n < size_t{kFirstAccVgpr} + vgprs_.acc_vgprs; n = vgprs._Find_next(n)) in.zeros.Add(n);
  return in;
}

GroupStarter::GroupStarter(const WaveStarter& launch) : launch_(launch) {
  std::copy(std::begin(launch.sgpr_), std::end(launch.sgpr_), sgpr_);
}

void GroupStarter::SetRegisters(const StartingRegisters& registers) {
  registers_ = registers;
  const StartingRegisters::Vgprs& vgprs = registers_.changing_vgprs;
  only_sgprs_change_ = vgprs.ids.empty() && vgprs.zeros.empty() && !registers_.changing_exec &&
                       launch_.group_info_ < 0 && launch_.scratch_offset_ < 0 &&
                       !launch_.starts_with_scratch_;
}

void GroupStarter::SetGroupSize(const WorkgroupState& group) {
  const Dim3& local = launch_.launch_.local;
  group_ = &group;
  items_ = group.size[0] * group.size[1] * group.size[2];
  is_whole_ = group.size[0] == local.x && group.size[1] == local.y && group.size[2] == local.z;
  // {first wave of the group, 14'b0, ordered append term[10:0], waves in the group[5:0]}
  if (launch_.group_info_ >= 0) sgpr_[launch_.group_info_] = group.wave_count;
}

void GroupStarter::Start(uint32_t wave, uint64_t scratch_offset, WaveState& state) const {
  const WaveStarter& launch = launch_;
  state.scc = 0;
  state.wave_in_group = wave;
  state.mode = launch.mode_;
  state.vgpr_count = launch.vgprs_.vgprs;
  state.acc_vgpr_count = launch.vgprs_.acc_vgprs;
  state.pc = launch.launch_.entry;
  state.is_new = true;
  state.trapsts = 0;
  state.waits_in = 0;
  state.wave_sync_phase = 0;

  for (const uint8_t block : registers_.sgpr_blocks) {
    constexpr int kCount = StartingRegisters::kSgprsOfBlock;
    CopyDwords(sgpr_ + block * kCount, kCount, state.sgpr + block * kCount);
  }
  SetOwn(wave, scratch_offset, state);

  WorkItemIds partial;
  if (!is_whole_) [[unlikely]]
    partial = IdsOf(group_->size, wave, launch.launch_.descriptor);
  const WorkItemIds& ids = is_whole_ ? launch.whole_group_[wave] : partial;
  SetVgprs(registers_.vgprs, ids, state);
}

// What waves of a group do not have in common.
void GroupStarter::SetOwn(uint32_t wave, uint64_t scratch_offset, WaveState& state) const {
  const WaveStarter& launch = launch_;
  if (launch.group_info_ >= 0 && wave == 0) state.sgpr[launch.group_info_] |= 1u << 31;
  if (launch.scratch_offset_ >= 0) {
    state.sgpr[launch.scratch_offset_] = static_cast<uint32_t>(scratch_offset);
  }
  if (launch.starts_with_scratch_) {
    state.SetPair(frontend::FlatScratchCode(launch.launch_.processor.generation),
                  launch.launch_.scratch_base + scratch_offset);
  }
  const uint32_t active = std::min<uint32_t>(items_ - wave * kLanes, kLanes);
  state.SetPair(frontend::kCodeExecLo, ~uint64_t{0} >> (kLanes - active));
}

void GroupStarter::SetRestAgain(uint32_t wave, uint64_t scratch_offset, WaveState& state) const {
  SetOwn(wave, scratch_offset, state);
  SetVgprs(registers_.changing_vgprs, launch_.whole_group_[wave], state);
}

void GroupStarter::SetVgprs(const StartingRegisters::Vgprs& vgprs, const WorkItemIds& ids,
                            WaveState& state) const {
  for (const uint8_t n : vgprs.ids) CopyDwords(ids.id[n], kLanes, state.vgpr[n]);
  for (const uint16_t n : vgprs.zeros) ZeroDwords(kLanes, state.vgpr[n]);
}

}  // namespace gcnjit::runtime
