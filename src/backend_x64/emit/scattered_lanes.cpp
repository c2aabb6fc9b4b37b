#include "backend_x64/emit/scattered_lanes.h"

namespace gcnjit::backend {

namespace {

// Parts that are not tried in other ways after one that was in vain.
constexpr int kParts = 64;

x86::Mem Left(SiteId site) {
  return RegionAssembler::WindowField(site, offsetof(MemoryWindow, scattered), 4);
}

}  // namespace

void EmitIfScattered(RegionAssembler& region, SiteId site, const asmjit::Label& scattered) {
  region.a.mov(x86::rdx, Context(offsetof(RegionContext, region.windows)));
  region.a.cmp(Left(site), 0);
  region.a.jne(scattered);
}

void NoteScattered(RegionAssembler& region, SiteId site, const asmjit::Label& scattered) {
  region.a.mov(x86::rdx, Context(offsetof(RegionContext, region.windows)));
  region.a.mov(Left(site), kParts + 1);
  region.a.bind(scattered);
  region.a.dec(Left(site));
}

}  // namespace gcnjit::backend
