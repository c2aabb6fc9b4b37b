// Which kernel --kernel means, for all commands that take it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "gcnjit/error.h"

namespace gcnjit::cli {

// One of `kernels`, as `asked` names it: as it is in the code object, or as in C++ source, also
// without its return type, parameters and template arguments if only one is so called. Nothing
// asked: the only one there is. `file` is for messages.
Result<std::string> ChooseKernel(std::vector<std::string_view> kernels, const std::string& asked,
                                 const std::string& file);

}  // namespace gcnjit::cli
