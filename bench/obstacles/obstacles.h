// What people write that is hard to compile well, each beside a kernel that does as much without
// it. Plain types alone, as in wide/row.h.
#pragma once

#include "wide/row.h"

namespace gcnjit::bench::wide {

struct Obstacle {
  const char* what;
  const char* kernel;
  const char* without;  // the kernel that it is compared with; null: its native loop
};

extern const Rows kObstacles;
extern const Obstacle kPairs[];
extern const size_t kPairCount;

}  // namespace gcnjit::bench::wide
