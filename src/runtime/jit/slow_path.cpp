#include "runtime/jit/slow_path.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "backend_x64/abi/contiguous_slow_path.h"
#include "runtime/interpreter/memory_segments.h"
#include "runtime/jit/slow_lanes.h"
#include "runtime/memory/host_memory.h"

namespace gcnjit::runtime {
namespace {

using backend::AccessBlock;
using backend::MemorySite;
using backend::MemoryWindow;
using backend::RegionContext;

JitAccessState& StateOf(RegionContext* context) {
  return *static_cast<JitAccessState*>(context->helpers.runtime);
}

Wave& WaveOf(const RegionContext* context, const MemorySite& site) {
  return *static_cast<Wave*>(context->relay.wave[site.place.wave].wave);
}

// Has an instruction faulted that comes before the site's in program order? Slices run one after
// another, so the first fault to be found need not be the one that counts.
bool IsAfterFault(const RegionContext* context, const MemorySite& site) {
  const backend::FaultRecord& fault = context->fault;
  if (!fault.raised) return false;
  if (context->loop.left != fault.loop_left) return context->loop.left < fault.loop_left;
  return site.place.order >= fault.order;
}

// Takes over the fault that the wave has just raised.
void TakeFault(RegionContext* context, const MemorySite& site) {
  JitAccessState& state = StateOf(context);
  Wave& w = WaveOf(context, site);
  w.event = WaveEvent::kNone;
  state.fault = std::move(w.fault);
  w.fault = {};
  context->fault.raised = true;
  context->fault.loop_left = context->loop.left;
  context->fault.order = site.place.order;
  context->fault.site = &site;
}

// Windows keep this far from the ends of a 4 GiB segment, see MemoryWindow: further than an
// instruction's offset reaches.
constexpr uint64_t kMargin = ir::kMaxLaneOffset;

// Compiled code may read `beyond` bytes after the last element of a run.
void FindWindow(RegionContext* context, const MemorySite& site, uint64_t address,
                uint64_t run_bytes, uint64_t lane_bytes, uint64_t beyond = 0) {
  // LDS and scratch have none, and to ask the host's memory for them would cost a look at all its
  // mappings, each time.
  const bool is_flat = site.access.space == ir::Space::kFlat;
  if (is_flat && (IsShared(address) || IsPrivate(address))) return;
  const GuestMemory& memory = *WaveOf(context, site).dispatch.memory;
  const GuestMemory::Span span = memory.AccessibleAround(address, site.is_store || site.is_atomic);
  MemoryWindow& window = context->region.windows[site.index];
  window = {};
  const uint64_t segment = address & ~uint64_t{0xFFFFFFFF};
  // The immediate offset is added to the low dword of an address alone: where that wraps around,
  // the sum must not come to lie in the window.
  const uint64_t margin = std::max(kMargin, static_cast<uint64_t>(std::abs(int64_t{site.imm})));
  uint64_t begin = std::max(span.begin, segment + margin);
  uint64_t end = std::min(span.end, segment + (uint64_t{1} << 32) - margin);
  if (address < begin || address >= end) return;
  // Offsets are signed 32-bit indices of a gather.
  constexpr uint64_t kMost = uint64_t{1} << 31;
  if (end - begin > kMost) {
    begin = address - std::min(address - begin, kMost / 2);
    end = std::min(end, begin + kMost);
  }
  const uint64_t bytes = end - begin;
  window.base = begin;
  window.low = static_cast<uint32_t>(begin);
  window.high = static_cast<uint32_t>(begin >> 32);
  const auto end_of_runs = [bytes](uint64_t run) { return bytes >= run ? bytes - run + 1 : 0; };
  window.run_end = end_of_runs(run_bytes + beyond);
  window.wide_end = end_of_runs(run_bytes * 4 + beyond);
  window.lane_end = static_cast<uint32_t>(bytes >= lane_bytes ? bytes - lane_bytes + 1 : 0);
}

// An atomic access of compiled code was interrupted at a lane. Those before it are done and must
// not be again, so this one is not tried again either.
void RaiseInterruption(Wave& w, const MemorySite& site, const AccessBlock& block,
                       uint64_t interrupted_at) {
  auto lane = static_cast<int>(block.first_lane) + std::countr_zero(block.mask);
  for (uint32_t left = block.mask; left != 0; left &= left - 1) {
    const auto n = static_cast<uint32_t>(std::countr_zero(left));
    if (AddressOf(block, site, n) != interrupted_at) continue;
    lane = static_cast<int>(block.first_lane + n);
    break;
  }
  w.RaiseFault(FaultKind::kMemoryWrite, lane, interrupted_at, site.access.bytes);
}

// False: there is a fault.
bool AccessSite(RegionContext* context, const MemorySite& site) {
  AccessBlock& block = context->transfer.access;
  if (IsAfterFault(context, site)) return false;
  if (site.is_store && !site.is_lds) context->relay.may_follow = false;
  Wave& w = WaveOf(context, site);
  backend::Interruption& interruption = context->interruption;
  const bool was_interrupted = interruption.site == &site;
  if (was_interrupted && std::exchange(interruption.is_new, false)) {
    w.dispatch.memory->host()->Refresh();
    if (site.is_atomic) {
      RaiseInterruption(w, site, block, interruption.address);
      TakeFault(context, site);
      return false;
    }
  }
  const uint32_t lanes = (1u << backend::LanesOf(block.request)) - 1;
  for (uint32_t left = lanes & ~block.mask; left != 0; left &= left - 1) {
    for (auto& dwords : block.data) dwords[std::countr_zero(left)] = 0;
  }
  const bool done = AccessActiveLanes(w, *context, site);
  if (!done) TakeFault(context, site);
  return done;
}

// Around the first lane of the access that has just been done.
void FindWindowOfLanes(RegionContext* context, const MemorySite& site) {
  const AccessBlock& block = context->transfer.access;
  const bool was_interrupted = context->interruption.site == &site;
  if (site.is_lds || block.mask == 0 || was_interrupted) return;
  const auto n = static_cast<uint32_t>(std::countr_zero(block.mask));
  // A lane's gather reads whole dwords.
  const uint64_t bytes = site.access.bytes;
  // AVX2 reads elements of 12 bytes 16 bytes at a time.
  FindWindow(context, site, AddressOf(block, site, n), bytes * backend::kMaxPartLanes,
             std::max<uint64_t>(bytes, 4), bytes == 12 ? 4 : 0);
}

// Has a load come near what its loop will store (LoopCount::store_begin), or can it from now on?
// Then the loop is taken back, and finds the window when it begins anew.
bool IsNearStore(RegionContext* context, const MemorySite& site) {
  if (!site.is_before_store || site.is_lds) return false;
  const backend::LoopCount& loop = context->loop;
  const AccessBlock& block = context->transfer.access;
  bool is_near =
      backend::MayReach(context->region.windows[site.index], loop.store_begin, loop.store_end);
  for (uint32_t left = block.mask; left != 0 && !is_near; left &= left - 1) {
    const uint64_t address = AddressOf(block, site, static_cast<uint32_t>(std::countr_zero(left)));
    is_near = address < loop.store_end && loop.store_begin < address + site.access.bytes;
  }
  if (!is_near) return false;
  context->fault.raised = true;
  context->fault.loop_left = loop.left;
  context->fault.order = site.place.order;
  context->fault.site = &site;
  return true;
}

bool AccessPart(RegionContext* context, const MemorySite& site) {
  if (!AccessSite(context, site)) return false;
  FindWindowOfLanes(context, site);
  return !IsNearStore(context, site);
}

bool AccessRun(RegionContext* context, const MemorySite& site) {
  bool is_first = true;
  return backend::AccessByParts(*context, [&] {
    if (!AccessSite(context, site)) return false;
    if (std::exchange(is_first, false)) FindWindowOfLanes(context, site);
    return !IsNearStore(context, site);
  });
}

bool LoadScalar(RegionContext* context, const MemorySite& site, uint64_t address, uint32_t dwords) {
  uint32_t* const data = context->transfer.scalar_data + site.scalar.dword;
  std::fill_n(data, dwords, 0);
  if (IsAfterFault(context, site)) return false;
  Wave& w = WaveOf(context, site);
  if (!w.Load(address, data, dwords * 4, -1)) {
    TakeFault(context, site);
    return false;
  }
  const uint64_t bytes = std::max(dwords * 4, site.scalar.bytes);
  FindWindow(context, site, address, bytes, bytes);
  return true;
}

void Learn(RegionContext* context, const MemorySite& site) {
  std::array<uint32_t, ir::kLanes> indices;
  static_assert(sizeof indices == sizeof context->transfer.access.data);
  std::memcpy(indices.data(), context->transfer.access.data, sizeof indices);
  context->region.patterns->Learn(context->region.pattern_slots[site.index], indices,
                                  context->transfer.access.index_shift);
}

// Does `access`, of compiled code, and keeps what it throws for the runtime.
template <typename Access>
uint32_t Contained(RegionContext* context, const MemorySite& site, const Access& access) noexcept {
  try {
    return access() ? 1 : 0;
  } catch (...) {
    StateOf(context).failure = std::current_exception();
    TakeFault(context, site);
    return 0;
  }
}

}  // namespace

uint32_t AccessLanes(RegionContext* context, uint32_t index) noexcept {
  const MemorySite& site = context->region.sites[index];
  if (context->transfer.access.request == backend::AccessRequest::kIndicesOfWave) {
    return Contained(context, site, [&] {
      Learn(context, site);
      return true;
    });
  }
  return Contained(context, site, [&] {
    const bool is_run = context->transfer.access.request == backend::AccessRequest::kRun;
    return is_run ? AccessRun(context, site) : AccessPart(context, site);
  });
}

uint32_t LoadScalarDwords(RegionContext* context, uint32_t index, uint64_t address,
                          uint32_t dwords) noexcept {
  const MemorySite& site = context->region.sites[index];
  return Contained(context, site, [&] { return LoadScalar(context, site, address, dwords); });
}

}  // namespace gcnjit::runtime
