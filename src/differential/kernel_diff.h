// A whole kernel in several engines: does each work-group leave the same, and if not, where does
// the first one go wrong?
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "differential/group_run.h"
#include "differential/narrow.h"

namespace gcnjit::differential {

struct KernelDivergence {
  const Engine* engine = nullptr;
  uint64_t group = 0;
  std::array<uint32_t, 3> group_id = {0, 0, 0};
  uint32_t wave = 0;               // in the group
  uint64_t wave_instructions = 0;  // that the wave had executed, all right, before
  // At the group's end: memory, LDS, how it ended.
  Difference at_end;
  // Where it begins; nothing: only the whole group shows it.
  std::optional<Divergence> place;
};

struct KernelDiffResult {
  uint64_t groups = 0;
  uint64_t waves = 0;
  uint64_t instructions = 0;         // of the reference
  std::optional<FaultReport> fault;  // in all engines alike; ended the comparison
  std::optional<KernelDivergence> divergence;
};

struct KernelDiffOptions {
  // Called now and then; may be empty.
  std::function<void(uint64_t groups_done, uint64_t groups)> progress = {};
};

// Runs the groups one after another, in ascending order, on this thread.
KernelDiffResult DiffKernel(GridPlace& grid, const KernelInfo& kernel, const Engine& reference,
                            const std::vector<Engine>& tested, const KernelDiffOptions& options);

}  // namespace gcnjit::differential
