#include "runtime/check/check_names.h"

#include <fmt/format.h>

#include <algorithm>

namespace gcnjit {
namespace {

constexpr CheckName kNames[] = {{"memory", kCheckMemory}, {"races", kCheckRaces},
                                {"waits", kCheckWaits},   {"barriers", kCheckBarriers},
                                {"uninit", kCheckUninit}, {"atomics", kCheckAtomics}};

}  // namespace

Result<uint32_t> ParseChecks(std::string_view text) {
  uint32_t checks = kCheckNothing;
  while (!text.empty()) {
    const std::string_view part = text.substr(0, text.find(','));
    text.remove_prefix(std::min(part.size() + 1, text.size()));
    uint32_t found = part == "all" ? kCheckAll : kCheckNothing;
    for (const CheckName& known : kNames) {
      if (part == known.name) found = known.check;
    }
    if (found == kCheckNothing) {
      return Error{ErrorCode::kInvalidArgument,
                   fmt::format("'{}': there are memory, races, waits, barriers, uninit, atomics "
                               "(separated by commas) and all",
                               part)};
    }
    checks |= found;
  }
  return checks == kCheckNothing ? kCheckAll : checks;
}

std::span<const CheckName> CheckNames() { return kNames; }

Checks CheckThatFinds(FindingKind kind) {
  switch (kind) {
    case FindingKind::kOutOfBounds:
    case FindingKind::kNullPointer:
    case FindingKind::kUseAfterFree:
    case FindingKind::kReadOnlyWrite:
    case FindingKind::kLdsOutOfBounds:
    case FindingKind::kScratchOutOfBounds:
    case FindingKind::kImageOutOfBounds: return kCheckMemory;
    case FindingKind::kLaneConflict:
    case FindingKind::kLdsRace:
    case FindingKind::kGlobalRace:
    case FindingKind::kSameValue: return kCheckRaces;
    case FindingKind::kMissingWait: return kCheckWaits;
    case FindingKind::kBarrierDivergence:
    case FindingKind::kPartialBarrier:
    case FindingKind::kStuckGroup: return kCheckBarriers;
    case FindingKind::kUninitializedAddress:
    case FindingKind::kUninitializedStore:
    case FindingKind::kUninitializedBranch: return kCheckUninit;
    case FindingKind::kMixedAtomic:
    case FindingKind::kPlainFlag: return kCheckAtomics;
  }
  return kCheckNothing;
}

}  // namespace gcnjit
