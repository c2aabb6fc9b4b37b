// The wide benchmark: many kernels of the kinds that people have, each in three sizes.
#pragma once

#include <string>
#include <vector>

#include "workload.h"

namespace gcnjit::bench {

// Of the size classes, in this order: small, cache, memory. Throws for another name.
std::vector<Entry> WideEntries(const std::vector<std::string>& classes);
// Likewise, of the pairs of bench/obstacles.
std::vector<Entry> ObstacleEntries(const std::vector<std::string>& classes);

}  // namespace gcnjit::bench
