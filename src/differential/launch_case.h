// A launch as a file: its memory, its grid and how often, on how many host threads, it is to run.
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "differential/group_run.h"
#include "differential/launch_diff.h"
#include "gcnjit/error.h"

namespace gcnjit::differential {

// As JSON. `from` is the memory that the launch begins with. Runs it in the reference, group by
// group, and in the tested engine to learn which pages it needs.
std::string WriteLaunchCase(GridPlace& grid, const GuestImage::Copy& from, const Engine& reference,
                            const LaunchDivergence& found);

// What a file holds, ready to run. Its addresses are taken, so there is one in a process.
struct LoadedLaunch {
  std::shared_ptr<runtime::GuestMemory> memory;
  std::vector<std::byte> lds;
  std::atomic<bool> stop{false};
  std::unique_ptr<GuestImage> image;
  std::unique_ptr<Place> place;
  runtime::LaunchState launch;
  std::unique_ptr<runtime::WaveStarter> starter;
  GuestImage::Copy from;
  unsigned threads = 1;
  std::string reference;  // names of the engines
  std::string tested;
};
bool IsLaunchCase(const std::string& text);  // or of another kind
Result<std::unique_ptr<LoadedLaunch>> ReadLaunchCase(const std::string& text);

// Runs its groups in the reference, and the launch in that and in the others.
struct ReplayedLaunch {
  KernelDiffResult by_group;
  LaunchDiffResult whole;
};
ReplayedLaunch Replay(LoadedLaunch& launch, const Engine& reference,
                      const std::vector<Engine>& tested);

}  // namespace gcnjit::differential
