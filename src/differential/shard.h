// Parts of a campaign, for several processes or machines.
#pragma once

#include <cstdint>

namespace gcnjit::differential {

struct Shard {
  uint64_t index = 0;  // of `count`
  uint64_t count = 1;

  // Of the things that the campaign numbers from 0.
  bool Has(uint64_t number) const { return number % count == index; }
};

}  // namespace gcnjit::differential
