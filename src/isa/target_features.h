// The features in a target ID: ":sramecc-:xnack+" of "gfx906:sramecc-:xnack+".
#pragma once

#include <string_view>

namespace gcnjit::frontend {

// Does a target ID name each feature once, as on or off? One without features does. LLVM
// AMDGPUUsage, "Target ID": names that differ, each with + or - after it.
inline bool HasPlainFeatures(std::string_view target) {
  bool has_sramecc = false, has_xnack = false;
  for (size_t at = target.find(':'); at != std::string_view::npos;) {
    const size_t next = target.find(':', at + 1);
    const std::string_view item = target.substr(at + 1, next - at - 1);
    at = next;
    if (!item.ends_with('+') && !item.ends_with('-')) return false;
    const std::string_view name = item.substr(0, item.size() - 1);
    if (name != "sramecc" && name != "xnack") return false;
    bool& has = name == "xnack" ? has_xnack : has_sramecc;
    if (has) return false;
    has = true;
  }
  return true;
}

}  // namespace gcnjit::frontend
