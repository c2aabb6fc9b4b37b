// Findings as a person reads them.
#include <fmt/format.h>

#include "frontend/disassemble/place_text.h"
#include "gcnjit/check.h"

namespace gcnjit {

const char* ToString(FindingKind kind) {
  switch (kind) {
    case FindingKind::kOutOfBounds: return "out-of-bounds";
    case FindingKind::kNullPointer: return "null-pointer";
    case FindingKind::kUseAfterFree: return "use-after-free";
    case FindingKind::kReadOnlyWrite: return "read-only-write";
    case FindingKind::kLdsOutOfBounds: return "lds-out-of-bounds";
    case FindingKind::kScratchOutOfBounds: return "scratch-out-of-bounds";
    case FindingKind::kImageOutOfBounds: return "image-out-of-bounds";
    case FindingKind::kLaneConflict: return "lane-conflict";
    case FindingKind::kLdsRace: return "lds-race";
    case FindingKind::kGlobalRace: return "global-race";
    case FindingKind::kMissingWait: return "missing-wait";
    case FindingKind::kBarrierDivergence: return "barrier-divergence";
    case FindingKind::kPartialBarrier: return "partial-barrier";
    case FindingKind::kStuckGroup: return "stuck-group";
    case FindingKind::kUninitializedAddress: return "uninitialized-address";
    case FindingKind::kUninitializedStore: return "uninitialized-store";
    case FindingKind::kUninitializedBranch: return "uninitialized-branch";
    case FindingKind::kMixedAtomic: return "mixed-atomic";
    case FindingKind::kPlainFlag: return "plain-flag";
    case FindingKind::kSameValue: return "same-value";
  }
  return "finding";
}

namespace {

std::string DescribeSite(const char* label, const FindingSite& site) {
  std::string text =
      fmt::format("  {:<10} pc {:#x} ({}): {}\n", label, site.pc,
                  frontend::PlaceText("kernel", site.kernel_offset), site.instruction);
  if (!site.source.empty()) {
    text += fmt::format("  {:<10} {}\n", "source", DescribeSource(site.source, "\n             "));
  }
  text += fmt::format("  {:<10} ", "");
  if (!site.access.empty()) text += fmt::format("{} by ", site.access);
  text += fmt::format("group ({}, {}, {}), wave {}", site.workgroup[0], site.workgroup[1],
                      site.workgroup[2], site.wave);
  if (site.lane >= 0) {
    text += fmt::format(", lane {}, work-item ({}, {}, {})", site.lane, site.work_item[0],
                        site.work_item[1], site.work_item[2]);
  }
  return text + "\n";
}

const char* LabelOfOther(FindingKind kind) {
  switch (kind) {
    case FindingKind::kMissingWait: return "issued";
    case FindingKind::kBarrierDivergence: return "other wave";
    case FindingKind::kPlainFlag: return "set by";
    default: return "earlier";
  }
}

}  // namespace

std::string Finding::Describe() const {
  std::string text = IsNote(kind) ? "note: " : "";
  text += fmt::format("{} in kernel '{}'", ToString(kind), kernel);
  text += count == 1 ? "\n" : fmt::format(", {} times; the first:\n", count);
  text += DescribeSite("at", site);
  if (other) text += DescribeSite(LabelOfOther(kind), *other);
  if (access_bytes != 0) {
    text += fmt::format("  {:<10} {:#x}, {} byte{}", "address", address, access_bytes,
                        access_bytes == 1 ? "" : "s");
    text += place.empty() ? "\n" : fmt::format(": {}\n", place);
  }
  if (!detail.empty()) text += fmt::format("  {:<10} {}\n", "detail", detail);
  return text;
}

}  // namespace gcnjit
