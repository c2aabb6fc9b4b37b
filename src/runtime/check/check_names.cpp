#include "runtime/check/check_names.h"

#include <fmt/format.h>

#include <algorithm>

#include "gcnjit/check.h"

namespace gcnjit {
namespace {

struct CheckName {
  const char* name;
  uint32_t checks;
};
constexpr CheckName kNames[] = {{"memory", kCheckMemory}, {"races", kCheckRaces},
                                {"waits", kCheckWaits},   {"barriers", kCheckBarriers},
                                {"uninit", kCheckUninit}, {"atomics", kCheckAtomics},
                                {"all", kCheckAll}};

}  // namespace

Result<uint32_t> ParseChecks(std::string_view text) {
  uint32_t checks = kCheckNothing;
  while (!text.empty()) {
    const std::string_view part = text.substr(0, text.find(','));
    text.remove_prefix(std::min(part.size() + 1, text.size()));
    uint32_t found = kCheckNothing;
    for (const CheckName& known : kNames) {
      if (part == known.name) found = known.checks;
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

}  // namespace gcnjit
