// gcnjit disasm --ir: a kernel as the JIT sees it.
#pragma once

#include <string>
#include <string_view>

#include "frontend/code_object/code_object.h"
#include "gcnjit/error.h"

namespace gcnjit::cli {

// The IR of the code reachable from the kernel's entry, under the MODE that it starts with; guest
// instructions stand between its lines. `moment`: "before:PASS" or "after:PASS"; empty: after all
// passes. Fails if there is no such pass.
Result<std::string> KernelIr(const frontend::CodeObject& object, const frontend::Kernel& kernel,
                             std::string_view moment);

}  // namespace gcnjit::cli
