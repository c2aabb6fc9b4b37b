// gcnjit disasm --host: a kernel's guest instructions, IR and host code.
#pragma once

#include <cstddef>
#include <string>

#include "backend_x64/host_features.h"
#include "cli/lifted_kernel.h"
#include "frontend/code_object/code_object.h"
#include "gcnjit/error.h"

namespace gcnjit::cli {

// The host code of what is reachable from the kernel's entry, under the IR operations and guest
// instructions that it was emitted for. The host need not be able to run it.
Result<std::string> KernelHostCode(const frontend::CodeObject& object,
                                   const frontend::Kernel& kernel, backend::HostIsa isa);

// The same of lifted code, which it optimises.
struct HostCode {
  size_t bytes = 0;
  std::string text;
};
Result<HostCode> HostListing(LiftedKernel& lifted, backend::HostIsa isa);

}  // namespace gcnjit::cli
