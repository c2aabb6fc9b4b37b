// Runs a kernel as a packet in a queue asks for it: kernel arguments, packet and queue lie in guest
// memory already.
#pragma once

#include <cstdint>

#include "gcnjit/error.h"
#include "gcnjit/launch.h"
#include "runtime/program/loaded_program.h"
#include "runtime/state/global_wave_sync.h"

namespace gcnjit::runtime {

struct AqlDispatch {
  uint64_t packet = 0;  // guest address of the hsa_kernel_dispatch_packet_t that the kernel sees
  uint64_t queue = 0;   // guest address of the amd_queue_t
  uint64_t id = 0;      // number of the packet in its queue
  GlobalWaveSync* wave_sync = nullptr;  // the queue's; null: it has none
};

// `kernel` is what the packet's kernel object refers to, in `program`. Geometry, arguments, LDS and
// scratch come from the packet; from `config` comes everything else. The packet must not change
// until this returns.
Result<LaunchResult> RunDispatch(LoadedProgram& program, const LoadedKernel& kernel,
                                 const AqlDispatch& dispatch, LaunchConfig config);

}  // namespace gcnjit::runtime
