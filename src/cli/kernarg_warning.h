// Says on standard error that the arguments given are not as long as the kernel's own word.
#pragma once

#include <string>

#include "gcnjit/launch.h"
#include "gcnjit/program.h"

namespace gcnjit::cli {

// Of a kernel whose metadata does not say how long they are; of others a launch is refused.
void WarnOfKernargSize(const Program& program, const std::string& kernel,
                       const Arguments& arguments);

}  // namespace gcnjit::cli
