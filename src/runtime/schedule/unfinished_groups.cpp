#include <fmt/format.h>

#include "gcnjit/launch.h"

namespace gcnjit {

std::string UnfinishedGroups::Describe() const {
  if (begun == 0 || waiting != begun) return {};
  if (not_begun == 0) {
    return fmt::format(
        "All {} work-groups that were left spun without getting on: what they wait for is done "
        "by none of them.",
        begun);
  }
  if (begun < resident) return {};
  return fmt::format(
      "All {} resident work-groups wait; the launch has {} groups, and the device, too, would not "
      "begin another one before one of these has ended. Launch at most {} groups of this size, or "
      "let no group wait for a later one.",
      begun, total, resident);
}

}  // namespace gcnjit
