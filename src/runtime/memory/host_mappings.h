// What the host process has mapped, as /proc/self/maps tells it.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>

namespace gcnjit::runtime {

struct HostMapping {
  uint64_t begin = 0;
  uint64_t end = 0;
  bool readable = false;
  bool writable = false;
  bool shared = false;    // MAP_SHARED
  std::string_view name;  // path, [heap], [stack], ...; empty: anonymous
};

// visit(mapping) for each, ascending; false: the list cannot be read, or holds a line that is none.
// Works in a buffer of fixed size on the stack, so that it does not change what it lists; of a name
// that is longer than the buffer the end is missing. Mappings that come or go meanwhile may be
// there or not.
bool ForEachHostMapping(const std::function<void(const HostMapping&)>& visit);

// A line of the list, without its newline; false: it is none.
bool ParseHostMapping(std::string_view line, HostMapping* mapping);

}  // namespace gcnjit::runtime
