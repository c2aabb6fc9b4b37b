// A region of guest code, translated: all that is to know of it for running it. The same whether
// this process has compiled it or found it in the cache.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "backend_x64/compile/region.h"
#include "frontend/flow/cfg.h"
#include "frontend/flow/register_access.h"
#include "frontend/lift/lift_region.h"
#include "ir/analysis/region_shapes.h"

namespace gcnjit::runtime {

struct TranslatedRegion {
  // The guest's, also instructions that the interpreter has. With the key it is all that the
  // region depends on.
  frontend::SourceCode source;
  frontend::RegisterSet live;  // where it begins
  frontend::LiftStatistics lifted;
  // Guest addresses at which it can be entered, in the order of `shapes`.
  std::vector<uint64_t> blocks;
  std::unique_ptr<backend::CompiledRegion> code;  // nullptr: the interpreter has all of it
  std::unique_ptr<ir::RegionShapes> shapes;       // KeepBegins
};

}  // namespace gcnjit::runtime
