// Findings for programs to read.
#pragma once

#include <nlohmann/json.hpp>

#include "gcnjit/check.h"

namespace gcnjit {

nlohmann::json ToJson(const Finding& finding);
nlohmann::json ToJson(const SourceFrames& frames);

}  // namespace gcnjit
