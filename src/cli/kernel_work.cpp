#include "cli/kernel_work.h"

#include <atomic>
#include <cstddef>
#include <utility>
#include <vector>

#include "cli/image_dispatch.h"
#include "differential/group_run.h"
#include "profile/wave_counter.h"
#include "runtime/launch/prepared_launch.h"
#include "runtime/program/loaded_program.h"

namespace gcnjit::cli {
namespace {

class GroupCounter {
 public:
  GroupCounter(const LaunchRequest& request, uint64_t most_instructions)
      : request_(request),
        loaded_(*request.program.internal()),
        code_(loaded_.processor(), loaded_.code_ranges()),
        most_(most_instructions) {}

  KernelWork Count(const runtime::LaunchState& launch) {
    std::vector<uint64_t> addresses = {launch.kernarg, launch.dispatch_packet};
    if (launch.scratch_total != 0) addresses.push_back(launch.scratch_base);
    for (const auto& image : loaded_.images()) addresses.push_back(image.base);
    for (const BoundBuffer& buffer : request_.buffers) addresses.push_back(buffer.address);
    differential::GuestImage image(*loaded_.memory(), std::move(addresses));
    differential::Place place{DispatchOn(image, launch, &stop_), {}, image, loaded_.code_ranges()};
    std::vector<std::byte> lds(64 * 1024);
    place.group.lds = lds.data();
    place.group.lds_bytes = launch.lds_bytes;
    const runtime::WaveStarter starter(launch);
    differential::GridPlace grid{launch, starter, place};
    const differential::RunFunction run = [this](runtime::Wave& w, uint64_t budget) {
      return counter_.Run(w, budget);
    };
    uint64_t executed = 0;
    constexpr uint64_t kWholeTurn = uint64_t{1} << 40;
    work_.groups = grid.group_count();
    for (uint64_t index = 0; index < work_.groups && executed < most_; ++index) {
      differential::GroupRun group(grid, index);
      while (group.Take(run, kWholeTurn)) {
      }
      executed += group.executed();
      work_.waves += group.wave_count();
      if (group.faulted()) break;
      ++work_.groups_counted;
    }
    work_.counts = counter_.Counts();
    work_.totals = profile::TotalsOf(work_.counts);
    return std::move(work_);
  }

 private:
  const LaunchRequest& request_;
  const runtime::LoadedProgram& loaded_;
  runtime::CodeMap code_;
  profile::WaveCounter counter_{code_};
  const uint64_t most_;
  std::atomic<bool> stop_ = false;
  KernelWork work_;
};

}  // namespace

Result<KernelWork> CountWork(LaunchRequest& request, const std::string& kernel,
                             uint64_t most_instructions) {
  KernelWork work;
  LaunchConfig config = request.config;
  config.threads = 1;
  config.engine = gcnjit::Engine::kInterpreter;
  const auto result =
      runtime::WithPreparedLaunch(*request.program.internal(), kernel, config, request.arguments,
                                  [&](const runtime::LaunchState& launch) {
                                    work = GroupCounter(request, most_instructions).Count(launch);
                                  });
  if (!result) return result.error();
  return work;
}

}  // namespace gcnjit::cli
