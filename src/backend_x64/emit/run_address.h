// A register for the address of a run of consecutive elements, which several accesses share.
#pragma once

#include <cstdint>
#include <optional>

namespace gcnjit::backend {

// An earlier access has left its own address there (`from`), which is `distance` bytes before this
// one's, or 0 if its lanes were no such run; or this one is to leave it there (`to`).
// Of the accesses that share it the first load, and the first store, sees to it that all loads, or
// stores, are within its window: from `lowest` to `highest` bytes after its own address. If they
// are not, `from` or `to` becomes 0.
struct RunAddress {
  std::optional<int> from = {};
  int32_t distance = 0;
  std::optional<int> to = {};
  bool is_checked = false;  // that has been seen to
  int32_t lowest = 0;       // not above 0
  int32_t highest = 0;      // not below 0
  uint32_t last_index = 0;  // by so much an access's index may be above this one's

  // What has to become 0 if this access is no such run; none: nothing.
  std::optional<int> KnownIn() const {
    if (to) return to;
    return is_checked ? std::nullopt : from;
  }
};

}  // namespace gcnjit::backend
