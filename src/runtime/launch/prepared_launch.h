// Steps of a launch that do not depend on where the request comes from: the public API (launch.cpp)
// or a packet in a queue (aql_dispatch.h).
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "gcnjit/error.h"
#include "gcnjit/launch.h"
#include "runtime/program/loaded_program.h"
#include "runtime/state/initial_state.h"

namespace gcnjit::runtime {

// Can a device run this grid and these work-groups?
Result<void> CheckGeometry(const LaunchConfig& config);

// Scratch bytes of a work-item, or that it is over the limit.
Result<uint32_t> ScratchPerLane(const KernelInfo& kernel, const frontend::KernelDescriptor& kd);

// Gives the work-groups LDS, with so many dynamic bytes, or says that they are over the limit.
// `launch` has its processor.
Result<void> SetLds(const LoadedKernel& kernel, uint32_t dynamic_bytes, LaunchState& launch);

// Gives the waves scratch, chooses the engine and runs the grid. `launch` is complete but for its
// scratch_base and scratch_total. `arguments`: what reports call the buffers after; may be empty.
Result<LaunchResult> RunPrepared(LoadedProgram& loaded, const KernelInfo& info,
                                 const LaunchConfig& config, const Arguments& arguments,
                                 LaunchState& launch);

// The launch that gcnjit::Launch would run, checked and with all that it needs in guest memory, for
// callers that run it in another way. It is gone when `use` returns.
Result<void> WithPreparedLaunch(LoadedProgram& loaded, const std::string& kernel,
                                const LaunchConfig& config, const Arguments& arguments,
                                const std::function<void(const LaunchState&)>& use);

// Adds to the report of a kernel that has no host to call if that may be why it faulted.
void NoteMissingHost(const KernelInfo& info, FaultReport& fault);

}  // namespace gcnjit::runtime
