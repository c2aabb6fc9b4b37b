// What the JIT makes of a few instructions, for reports of differences.
#pragma once

#include <string>

#include "differential/engine.h"
#include "frontend/flow/cfg.h"
#include "frontend/lift/lifter.h"

namespace gcnjit::cli {

// Intermediate and host code of what is reachable from `entry`, if the engine compiles; else empty.
// What lies outside of `code` may read every register.
std::string JitText(const frontend::LiftTarget& target, const frontend::CodeBytes& code,
                    uint64_t entry, const differential::Engine& engine);

}  // namespace gcnjit::cli
