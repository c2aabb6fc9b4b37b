#include "runtime/launch/aql_dispatch.h"

#include <algorithm>
#include <cstring>
#include <exception>
#include <new>

#include "runtime/launch/fixed_arguments.h"
#include "runtime/launch/prepared_launch.h"
#include "runtime/state/aql_packet.h"

namespace gcnjit::runtime {
namespace {

Dim3 FirstAxes(uint32_t count, Dim3 size) {
  return {size.x, count > 1 ? size.y : 1, count > 2 ? size.z : 1};
}

Result<LaunchResult> Run(LoadedProgram& program, const LoadedKernel& kernel,
                         const AqlDispatch& dispatch, LaunchConfig config) {
  DispatchPacket packet;
  std::memcpy(&packet, reinterpret_cast<const void*>(dispatch.packet), sizeof packet);
  const KernelInfo& info = *kernel.info;
  const uint32_t axes = packet.setup & 3;
  if (axes == 0) {
    return Error{ErrorCode::kInvalidArgument, "the dispatch packet has no dimensions"};
  }
  config.dimensions = axes;
  config.global = FirstAxes(axes, {packet.grid_size[0], packet.grid_size[1], packet.grid_size[2]});
  config.local = FirstAxes(
      axes, {packet.workgroup_size[0], packet.workgroup_size[1], packet.workgroup_size[2]});
  if (const auto checked = CheckGeometry(config); !checked) return checked.error();

  // A packet may ask for more than the kernel's own needs (dynamic LDS, deep recursion), not less.
  KernelInfo needs;
  needs.name = info.name;
  needs.private_segment_size = std::max(info.private_segment_size, packet.private_segment_size);
  needs.uses_dynamic_stack = info.uses_dynamic_stack;
  const auto scratch_per_lane = ScratchPerLane(needs, kernel.descriptor);
  if (!scratch_per_lane) return scratch_per_lane.error();
  const uint32_t static_lds =
      std::max(info.group_segment_size, kernel.descriptor.group_segment_bytes);
  LaunchState launch;
  launch.processor = program.processor();
  const auto lds =
      SetLds(kernel, std::max(packet.group_segment_size, static_lds) - static_lds, launch);
  if (!lds) return lds.error();

  launch.descriptor = kernel.descriptor;
  launch.entry = kernel.entry_address;
  launch.global = config.global;
  launch.local = config.local;
  launch.kernarg = packet.kernarg_address;
  launch.fixed_kernarg_bytes = FixedArgumentBytes(*program.memory(), packet.kernarg_address,
                                                  kernel.descriptor.kernarg_bytes);
  launch.dispatch_packet = dispatch.packet;
  launch.dispatch_id = dispatch.id;
  launch.queue = dispatch.queue;
  launch.wave_sync = dispatch.wave_sync;
  launch.scratch_per_lane = *scratch_per_lane;
  return RunPrepared(program, info, config, /*arguments=*/{}, launch);
}

}  // namespace

Result<LaunchResult> RunDispatch(LoadedProgram& program, const LoadedKernel& kernel,
                                 const AqlDispatch& dispatch, LaunchConfig config) {
  try {
    return Run(program, kernel, dispatch, std::move(config));
  } catch (const std::bad_alloc&) {
    return Error{ErrorCode::kOutOfResources, "the host has no memory left for this dispatch"};
  } catch (const std::exception& error) {
    return Error{ErrorCode::kOutOfResources, error.what()};
  }
}

}  // namespace gcnjit::runtime
