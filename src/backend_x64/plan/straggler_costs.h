// How many lanes of a slice are worth being done one by one (stragglers.h).
#pragma once

#include "backend_x64/plan/stragglers.h"

namespace gcnjit::backend {

// 0: not even one is. `plan`: without `most`.
int MostStragglers(const BlockContext& block, const Stragglers& plan, int parts);

}  // namespace gcnjit::backend
