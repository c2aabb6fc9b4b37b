// Fault reports as JSON.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "gcnjit/launch.h"

namespace gcnjit::cli {

nlohmann::json ToJson(const FaultReport& fault);

}  // namespace gcnjit::cli
