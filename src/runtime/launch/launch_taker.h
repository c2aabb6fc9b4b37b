// For whoever wants a launch as gcnjit::Launch prepares it, but runs it in another way.
#pragma once

#include <functional>

#include "gcnjit/launch.h"
#include "runtime/state/initial_state.h"

namespace gcnjit::runtime {

using RunLaunch = std::function<Result<LaunchResult>(const LaunchState&, const KernelInfo&)>;

// While one lives, launches that its thread begins are checked, get what they need in guest memory,
// and are then given to `run` instead of to the dispatcher. Its result is the launch's.
class LaunchTaker {
 public:
  explicit LaunchTaker(RunLaunch run);
  ~LaunchTaker();
  LaunchTaker(const LaunchTaker&) = delete;
  LaunchTaker& operator=(const LaunchTaker&) = delete;

  // Of this thread; null: launches are run.
  static const LaunchTaker* Current();
  const RunLaunch& run() const { return run_; }

 private:
  const RunLaunch run_;
  const LaunchTaker* const outer_;
};

}  // namespace gcnjit::runtime
