#include "runtime/jit/loop_store.h"

#include <algorithm>
#include <bit>

#include "runtime/interpreter/wave.h"

namespace gcnjit::runtime {
namespace {

// Can all of [begin, end) be written, where the last lane begins at `last`? `window`: of the store,
// if it has found one; else memory is asked, which takes a lock.
bool IsWritable(const GuestMemory& memory, const backend::MemoryWindow& window, uint64_t begin,
                uint64_t last, uint64_t end) {
  if (begin >= window.base && last - window.base < window.lane_end) return true;
  try {
    const GuestMemory::Span span = memory.AccessibleAround(begin, /*write=*/true);
    return span.begin <= begin && end <= span.end;
  } catch (...) {  // no memory for a look at the host's; the store's own access will say so
    return false;
  }
}

}  // namespace

uint32_t MaySinkStore(backend::RegionContext* context, uint32_t vgprs, int32_t imm, uint32_t bytes,
                      uint32_t first, uint32_t end) noexcept {
  const Wave& w = *static_cast<const Wave*>(context->relay.wave->wave);
  const uint32_t* const low = w.state.vgpr[vgprs & 0xFFFF];
  const uint32_t* const high = w.state.vgpr[vgprs >> 16];
  uint64_t begin = UINT64_MAX;
  uint64_t last = 0;
  for (uint64_t left = w.state.exec(); left != 0; left &= left - 1) {
    const int lane = std::countr_zero(left);
    const uint64_t address =
        (uint64_t{high[lane]} << 32 | low[lane]) + static_cast<uint64_t>(int64_t{imm});
    begin = std::min(begin, address);
    last = std::max(last, address);
  }
  // Without lanes, nothing is stored.
  if (begin > last) begin = last = 0;
  const uint64_t stop = last + bytes;
  // The store's site comes after the loads'.
  if (w.state.exec() != 0 &&
      (stop < last ||
       !IsWritable(*w.dispatch.memory, context->region.windows[end], begin, last, stop))) {
    return 0;
  }
  for (uint32_t n = first; n < end; ++n) {
    if (context->region.sites[n].is_lds) continue;
    if (backend::MayReach(context->region.windows[n], begin, stop)) return 0;
  }
  context->loop.store_begin = begin;
  context->loop.store_end = stop;
  return 1;
}

}  // namespace gcnjit::runtime
