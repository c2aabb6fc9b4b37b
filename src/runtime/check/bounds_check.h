// Accesses outside of what the kernel was given: allocations to the byte, LDS, the wave's scratch.
#pragma once

#include "runtime/check/access.h"
#include "runtime/check/allocation_map.h"
#include "runtime/check/findings.h"

namespace gcnjit::runtime::check {

class BoundsCheck {
 public:
  BoundsCheck(const LaunchState& launch, const GuestMemory& memory, AllocationMap& allocations,
              Findings& findings)
      : launch_(launch), memory_(memory), allocations_(allocations), findings_(findings) {}

  // `site` is the instruction; `scratch` the wave's own part of scratch.
  void Check(const Wave& w, const Access& access, const Site& site,
             const GuestMemory::Span& scratch);

 private:
  void CheckLds(const Wave& w, const Access& access, const Site& site);
  void CheckBeyondImage(const Access& access, const Site& site);
  void CheckScratch(const Access& access, const Site& site, const GuestMemory::Span& scratch);
  void CheckGlobal(const Access& access, const Site& site, const GuestMemory::Span& scratch);
  void ReportGlobal(FindingKind kind, const Access& access, int lane, Site site);
  static uint32_t NeededBytes(const Access& access, uint64_t at);
  bool MayAccessHost(AccessType type, uint64_t address, uint32_t bytes) const;
  // Of an access that is not allowed.
  FindingKind KindOf(uint64_t address, uint32_t bytes) const;

  const LaunchState& launch_;
  const GuestMemory& memory_;
  AllocationMap& allocations_;
  Findings& findings_;
};

}  // namespace gcnjit::runtime::check
