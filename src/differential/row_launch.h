// A program of Program::rows as a launch on the machine.
#pragma once

#include <string>
#include <vector>

#include "differential/engine.h"
#include "differential/group_run.h"
#include "differential/guest_image.h"
#include "differential/machine.h"
#include "differential/program.h"
#include "gcnjit/program.h"

namespace gcnjit::differential {

class RowLaunch {
 public:
  // Of the code that the machine has loaded.
  RowLaunch(Machine& machine, const Program& program, const CodeRanges& code);
  RowLaunch(const RowLaunch&) = delete;
  RowLaunch& operator=(const RowLaunch&) = delete;

  // From the machine's memory as it is.
  LaunchResult Run(const LaunchFunction& launch, unsigned threads);
  // A file that repeats the launch in both engines, from the machine's memory as it is.
  std::string Case(const Engine& reference, const Engine& tested, unsigned threads);

 private:
  const KernelInfo kernel_;
  const runtime::LaunchState launch_;
  const runtime::WaveStarter starter_;
  GuestImage image_;
  Place place_;
  std::vector<std::byte> lds_;  // of engines that run group by group
  GridPlace grid_;
};

}  // namespace gcnjit::differential
