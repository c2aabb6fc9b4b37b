// What `gcnjit run --fidelity` prints.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "gcnjit/launch.h"

namespace gcnjit::cli {

std::string DescribeInstructions(const std::vector<InstructionCount>& instructions);
nlohmann::json InstructionsToJson(const std::vector<InstructionCount>& instructions);

}  // namespace gcnjit::cli
