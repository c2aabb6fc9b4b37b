#include "differential/launch_run.h"

#include <memory>
#include <utility>

#include "differential/group_run.h"
#include "runtime/schedule/dispatcher.h"

namespace gcnjit::differential {
namespace {

LaunchResult RunLaunch(GridPlace& grid, const KernelInfo& kernel, runtime::CodeMap& code,
                       runtime::RegionCache* jit, const LaunchLimits& limits) {
  runtime::LaunchState launch = grid.launch;
  launch.most_groups = limits.groups;
  launch.starts_together = true;
  runtime::GlobalWaveSync wave_sync;
  launch.wave_sync = &wave_sync;
  // A group waits for none that comes after it, or it would not have ended by itself.
  launch.resident_groups = 1;
  if (jit != nullptr) jit->WarmUpOf(launch.entry).End();
  const auto run = [&](double seconds) {
    return runtime::RunGrid(launch, kernel, code, jit, grid.place.image.memory(), limits.threads,
                            seconds, /*cancellation=*/nullptr, /*progress=*/{});
  };
  if (auto result = run(limits.seconds)) return *std::move(result);
  return *run(0);  // the host has no thread that could enforce a limit
}

}  // namespace

LaunchFunction InterpretedLaunch(runtime::CodeMap& code) {
  return [&code](GridPlace& grid, const KernelInfo& kernel, const LaunchLimits& limits) {
    return RunLaunch(grid, kernel, code, nullptr, limits);
  };
}

LaunchFunction CompiledLaunch(runtime::CodeMap& code, runtime::HostIsa isa) {
  const auto jit = std::make_shared<runtime::RegionCache>(code, runtime::JitOptions{.isa = isa});
  return [&code, jit](GridPlace& grid, const KernelInfo& kernel, const LaunchLimits& limits) {
    return RunLaunch(grid, kernel, code, jit.get(), limits);
  };
}

LaunchFunction LaunchOfGroups(runtime::CodeMap& code, RunFunction run, RunFunction other,
                              IsOtherGroup is_other) {
  return [&code, run = std::move(run), other = std::move(other), is_other](
             GridPlace& grid, const KernelInfo& kernel, const LaunchLimits& limits) {
    constexpr uint64_t kWholeTurn = uint64_t{1} << 40;
    LaunchResult result;
    for (uint64_t index = 0; index < limits.groups; ++index) {
      GroupRun group(grid, index);
      while (group.Take(is_other(grid.place.group, limits) ? other : run, kWholeTurn)) {
      }
      result.statistics.wave_instructions += group.executed();
      if (!group.faulted()) continue;
      result.status = LaunchStatus::kFault;
      result.fault = group.Report(grid.launch, code, kernel);
      break;
    }
    return result;
  };
}

}  // namespace gcnjit::differential
