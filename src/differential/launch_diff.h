// A whole launch in several engines. Compiled code runs the groups of a row one after another, with
// values that they have in common: what it leaves may be wrong though each group by itself is
// right.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "differential/group_run.h"
#include "differential/kernel_diff.h"

namespace gcnjit::differential {

// In pages that follow one another.
struct MemoryDifference {
  uint64_t address = 0;  // of the first dword that differs
  uint32_t expected = 0;
  uint32_t got = 0;
  uint64_t bytes = 0;  // that differ, it included
};

// What differs at the end. Memory counts if nothing else does.
struct LaunchDifference {
  std::string end;  // how the launches end, in words; empty: alike
  std::vector<MemoryDifference> memory;

  bool any() const { return !end.empty() || !memory.empty(); }
};

struct LaunchDivergence {
  const Engine* engine = nullptr;
  // The engine's launches up to the one that differs, each from the same memory: what compiled code
  // knows of memory is what it has learned.
  uint64_t launches = 1;
  unsigned threads = 1;  // of the host, in the last of them
  LaunchDifference at_end;
  // With so many groups it differs, and with one fewer it does not; 0: not known.
  uint64_t groups = 0;
  std::array<uint32_t, 3> last_group = {0, 0, 0};  // of these
  LaunchDifference with_groups;
};

struct LaunchDiffResult {
  std::vector<const Engine*> same;
  std::optional<LaunchDivergence> divergence;
  // The reference's launch does not leave what its groups do: how waves take turns matters.
  bool depends_on_turns = false;
  // Nor do its groups in another order, or at the same time: launches on several threads cannot be
  // compared.
  bool depends_on_group_order = false;
};

struct LaunchDiffOptions {
  unsigned threads = 2;  // that launches are compared on, too, if there are more than one
  // Called when an engine begins a launch; may be empty.
  std::function<void(const Engine& engine, uint64_t groups)> progress = {};
};

// After DiffKernel has found no difference: `by_group` is its result, `from` the memory that it
// began with, and the image still holds what it left. One host thread runs the groups in ascending
// order, so that what a launch leaves is defined even if its groups race. Then several do, which
// have scratch in the launch; scratch is not compared.
LaunchDiffResult DiffLaunch(GridPlace& grid, const KernelInfo& kernel, const Engine& reference,
                            const std::vector<Engine>& tested, const GuestImage::Copy& from,
                            const KernelDiffResult& by_group, const LaunchDiffOptions& options);

}  // namespace gcnjit::differential
