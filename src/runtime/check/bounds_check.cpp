#include "runtime/check/bounds_check.h"

#include <fmt/format.h>

#include <algorithm>

#include "runtime/memory/host_memory.h"

namespace gcnjit::runtime::check {
namespace {

// Addresses as small as that come from a null pointer.
constexpr uint64_t kNullBytes = 64 * 1024;

bool Holds(const GuestMemory::Span& span, uint64_t address, uint64_t bytes) {
  return address >= span.begin && address < span.end && span.end - address >= bytes;
}

}  // namespace

void BoundsCheck::Check(const Wave& w, const Access& access, const Site& site,
                        const GuestMemory::Span& scratch) {
  if (access.space == Space::kLds) {
    CheckLds(w, access, site);
  } else if (access.is_scratch) {
    CheckScratch(access, site, scratch);
  } else {
    if (access.beyond != 0) CheckBeyondImage(access, site);
    CheckGlobal(access, site, scratch);
  }
}

void BoundsCheck::CheckBeyondImage(const Access& access, const Site& site) {
  ForEachLane(access.beyond, [&](int lane) {
    Evidence evidence{FindingKind::kImageOutOfBounds, site, {}, 0, 0};
    evidence.site.lane = lane;
    if (Finding* finding = findings_.Add(evidence)) finding->detail = access.outside;
    return true;
  });
}

// The hardware drops such stores and loads 0, or there is the rest of the last block of LDS
// (lds_size.h), so that the kernel goes on as if nothing was wrong.
void BoundsCheck::CheckLds(const Wave& w, const Access& access, const Site& site) {
  const uint64_t limit = launch_.asked_lds_bytes;
  // Before gfx9 DS instructions stop at M0, too (memory_segments.h); FLAT ones do not.
  const bool by_m0 = access.is_ds && frontend::Has(w.generation(), frontend::kLdsLimitInM0);
  const uint64_t end = by_m0 ? std::min<uint64_t>(limit, w.state.m0()) : limit;
  ForEachLane(access.mask, [&](int lane) {
    const uint64_t at = access.at[lane];
    if (at <= end && end - at >= access.bytes) [[likely]]
      return true;
    Evidence evidence{FindingKind::kLdsOutOfBounds, site, {}, at, access.bytes};
    evidence.site.lane = access.is_scalar ? -1 : lane;
    if (Finding* finding = findings_.Add(evidence)) {
      if (end == limit) {
        finding->place = fmt::format("the work-group has {} bytes of LDS", limit);
        if (at < w.group.lds_bytes) {
          finding->detail = fmt::format(
              "the hardware allocates whole blocks, {} bytes here: there is memory, but it is not "
              "the kernel's",
              w.group.lds_bytes);
        }
      } else {
        finding->place = fmt::format("M0 limits the wave to {} bytes of LDS", end);
        finding->detail = "before gfx9 M0 must be set, to -1 for instance, before LDS is used";
      }
    }
    return true;
  });
}

// Before gfx9 the resource's range check drops what lies beyond the scratch of all waves, and flat
// accesses beyond the lane's own fault; gfx9 checks nothing, so the address may be in other
// memory.
void BoundsCheck::CheckScratch(const Access& access, const Site& site,
                               const GuestMemory::Span& scratch) {
  ForEachLane(access.mask | access.dropped, [&](int lane) {
    const uint64_t at = access.at[lane];
    if (Holds(scratch, at, access.bytes)) return true;
    Evidence evidence{FindingKind::kScratchOutOfBounds, site, {}, at, access.bytes};
    evidence.site.lane = lane;
    Finding* finding = findings_.Add(evidence);
    if (finding == nullptr) return true;
    // Negative indices wrap around at 32 bits.
    const uint64_t distance = at - scratch.begin;
    const auto offset = static_cast<int32_t>(distance / (4 * kLanes) * 4 + distance % 4);
    finding->place = fmt::format("at offset {} of the work-item's scratch", offset);
    finding->detail = fmt::format("a work-item has {} bytes of scratch", launch_.scratch_per_lane);
    if ((access.dropped >> lane & 1) != 0) {
      finding->detail += "; the hardware drops this access, and loads 0";
    }
    return true;
  });
}

// How many of the access's bytes have to be there. Compilers load four dwords for three where the
// address is a multiple of 16, since that cannot reach another page (LLVM widens scalar loads, of
// kernel arguments above all).
uint32_t BoundsCheck::NeededBytes(const Access& access, uint64_t at) {
  const bool widened = access.is_scalar && access.type == AccessType::kRead && access.bytes > 4 &&
                       at % access.bytes == 0;
  return widened ? 4 : access.bytes;
}

void BoundsCheck::CheckGlobal(const Access& access, const Site& site,
                              const GuestMemory::Span& scratch) {
  GuestMemory::Span span;
  ForEachLane(access.mask, [&](int lane) {
    const uint64_t at = access.at[lane];
    const uint32_t bytes = NeededBytes(access, at);
    if (!Holds(span, at, bytes)) {
      span = allocations_.Around(at);
      if (!Holds(span, at, bytes)) {
        if (!MayAccessHost(access.type, at, bytes)) {
          ReportGlobal(KindOf(at, bytes), access, lane, site);
        }
        return true;
      }
    }
    if (at - launch_.scratch_base < launch_.scratch_total && !Holds(scratch, at, bytes)) {
      ReportGlobal(FindingKind::kScratchOutOfBounds, access, lane, site);
    } else if (access.type != AccessType::kRead && !memory_.Writable(at, bytes)) {
      ReportGlobal(FindingKind::kReadOnlyWrite, access, lane, site);
    }
    return true;
  });
}

// Where the host shares its memory, all that it has mapped is the kernel's too.
bool BoundsCheck::MayAccessHost(AccessType type, uint64_t address, uint32_t bytes) const {
  HostMemory* const host = memory_.host();
  if (host == nullptr) return false;
  const uint8_t access = type == AccessType::kRead    ? HostMemory::kRead
                         : type == AccessType::kWrite ? HostMemory::kWrite
                                                      : HostMemory::kRead | HostMemory::kWrite;
  return host->IsAccessible(address, bytes, access);
}

FindingKind BoundsCheck::KindOf(uint64_t address, uint32_t bytes) const {
  if (address < kNullBytes) return FindingKind::kNullPointer;
  if (MayAccessHost(AccessType::kRead, address, bytes)) return FindingKind::kReadOnlyWrite;
  // Only accesses to scratch come to what lies after the last wave's scratch.
  const uint64_t reach = launch_.scratch_total + GuestMemory::kGuardBytes;
  if (launch_.scratch_total != 0 && address - launch_.scratch_base < reach) {
    return FindingKind::kScratchOutOfBounds;
  }
  return memory_.FreedAt(address) ? FindingKind::kUseAfterFree : FindingKind::kOutOfBounds;
}

void BoundsCheck::ReportGlobal(FindingKind kind, const Access& access, int lane, Site site) {
  site.lane = access.is_scalar ? -1 : lane;
  Finding* finding = findings_.Add({kind, site, {}, access.at[lane], access.bytes});
  if (finding == nullptr) return;
  const uint64_t at = access.at[lane];
  finding->place = allocations_.Describe(at);
  const GuestMemory::Span span = allocations_.Around(at);
  if (kind == FindingKind::kUseAfterFree) {
    finding->detail = "the host has freed it";
    // Another host thread may have got its addresses since.
    if (const auto freed = memory_.FreedAt(at)) {
      finding->place = fmt::format("at offset {} of the {}-byte allocation '{}' at {:#x}",
                                   at - freed->address, freed->bytes, freed->label, freed->address);
    }
  }
  if (kind == FindingKind::kOutOfBounds && span.begin != span.end) {
    finding->detail = fmt::format("the last {} of the {} bytes lie past the end",
                                  access.bytes - (span.end - at), access.bytes);
  }
  if (kind == FindingKind::kScratchOutOfBounds) {
    finding->detail = fmt::format("a work-item has {} bytes of scratch", launch_.scratch_per_lane);
  }
}

}  // namespace gcnjit::runtime::check
