// gcnjit disasm --host: a kernel's guest instructions, IR and host code.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

#include "backend_x64/host/features.h"
#include "backend_x64/plan/tuning.h"
#include "cli/lifted_kernel.h"
#include "frontend/code_object/code_object.h"
#include "gcnjit/error.h"
#include "runtime/state/group_shape.h"

namespace gcnjit::cli {

// The host code of what is reachable from the kernel's entry, under the IR operations and guest
// instructions that it was emitted for; for work-groups of `group` work-items and a processor of
// that tuning. The host need not be able to run it.
Result<std::string> KernelHostCode(const frontend::CodeObject& object,
                                   const frontend::Kernel& kernel, backend::HostIsa isa,
                                   const std::array<uint32_t, 3>& group,
                                   const backend::Tuning& tuning);

// The same of lifted code, which it optimises. `shape`: of the work-groups, if it is known that
// code begins at `entry` with the work-item ids.
struct HostCode {
  size_t bytes = 0;
  std::string text;
};
Result<HostCode> HostListing(frontend::LiftedCode& lifted, backend::HostIsa isa,
                             const backend::Tuning& tuning = backend::HostTuning(),
                             runtime::GroupShape shape = {}, uint64_t entry = 0);

}  // namespace gcnjit::cli
