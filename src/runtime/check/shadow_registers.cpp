#include "runtime/check/shadow_registers.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace gcnjit::runtime::check {

void ShadowRegisters::Start(const frontend::KernelDescriptor& kd, frontend::Generation generation) {
  std::memset(vgpr_, 0xFF, sizeof vgpr_);
  undefined_lanes_.fill(~uint64_t{0});
  for (uint32_t n = 0; n < kd.WorkitemIdVgprs(); ++n) DefineVgpr(n, ~uint64_t{0});

  for (size_t n = 0; n < sgpr_.size(); ++n) SetSgpr(n, ~0u);
  // In the order of initial_state.cpp.
  uint32_t next = 0;
  const auto define_from = [&](uint32_t first, uint32_t count) {
    for (uint32_t n = first; n < first + count; ++n) SetSgpr(n, 0);
  };
  const auto define = [&](bool present, uint32_t count) {
    if (!present) return;
    define_from(next, count);
    next += count;
  };
  define(kd.private_segment_buffer, 4);
  define(kd.dispatch_ptr, 2);
  define(kd.queue_ptr, 2);
  define(kd.kernarg_segment_ptr, 2);
  define(kd.dispatch_id, 2);
  define(kd.flat_scratch_init, 2);
  define(kd.private_segment_size, 1);
  define(true, kd.preloaded_dwords);
  for (const bool count : kd.grid_workgroup_count) define(count, 1);
  next = std::max(next, kd.UserSgprCount());
  for (int axis = 0; axis < 3; ++axis) define(kd.WorkgroupId(axis), 1);
  define(kd.WorkgroupInfo(), 1);
  define(kd.ScratchWaveOffset(), 1);
  if (kd.StartsWithScratch())
    define_from(static_cast<uint32_t>(frontend::FlatScratchCode(generation)), 2);
  // What the trap handler sets up: XNACK_MASK beside FLAT_SCRATCH, the trap temporaries.
  if (frontend::IsGfx8Plus(generation)) define_from(104, 2);
  define_from(108, 16);
  define_from(frontend::kCodeExecLo, 2);
  scc_ = true;
}

void ShadowRegisters::DefineVgpr(size_t n, uint64_t lanes, uint32_t which) {
  for (uint64_t left = lanes & undefined_lanes_[n]; left != 0; left &= left - 1) {
    SetVgpr(n, std::countr_zero(left), 0, which);
  }
}

bool ShadowRegisters::AnyRead(const frontend::RegisterAccess& access, uint64_t exec) const {
  if (access.reads.scc && scc_) return true;
  if ((access.reads.sgprs & undefined_sgprs_).any()) return true;
  if (access.reads.vgprs.none()) return false;
  for (size_t n = access.reads.vgprs._Find_first(); n < kVectorRegisters;
       n = access.reads.vgprs._Find_next(n)) {
    const uint64_t lanes = access.wide_vgpr_reads[n] ? ~uint64_t{0} : exec;
    if ((undefined_lanes_[n] & lanes) != 0) return true;
  }
  return false;
}

void ShadowRegisters::DefineWritten(const frontend::RegisterAccess& access, uint64_t exec) {
  if (access.writes.scc) scc_ = false;
  for (size_t n = access.writes.sgprs._Find_first(); n < sgpr_.size();
       n = access.writes.sgprs._Find_next(n)) {
    SetSgpr(n, 0);
  }
  for (size_t n = access.writes.vgprs._Find_first(); n < kVectorRegisters;
       n = access.writes.vgprs._Find_next(n)) {
    DefineVgpr(n, exec);
  }
  // Matrices write all lanes.
  const frontend::VgprSet wide = access.wide_vgpr_writes & ~access.kept_vgprs;
  for (size_t n = wide._Find_first(); n < kVectorRegisters; n = wide._Find_next(n)) {
    DefineVgpr(n, ~uint64_t{0});
  }
}

}  // namespace gcnjit::runtime::check
