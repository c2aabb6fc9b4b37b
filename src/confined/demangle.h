// C++ names of kernels.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "gcnjit/error.h"

namespace gcnjit::confined {

// "void f<float>(float*)" for "_Z1fIfEvPT_"; other names are as they are.
Result<std::vector<std::string>> Demangle(const std::vector<std::string_view>& names);

}  // namespace gcnjit::confined
