// Many random programs in a row, and what to say about them.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <ostream>
#include <string>
#include <vector>

#include "differential/compare.h"
#include "differential/failure.h"
#include "differential/shard.h"

namespace gcnjit::differential {

struct CampaignCounts {
  uint64_t executed = 0;  // programs compared
  uint64_t failed = 0;
  uint64_t faulted = 0;       // ended in a fault, in all engines
  uint64_t unfinished = 0;    // not comparable
  uint64_t instructions = 0;  // of the reference
};

struct CampaignResult : CampaignCounts {
  std::array<CampaignCounts, frontend::kGenerationCount> of_generation;
  std::vector<Failure> failures;
  double seconds = 0;
};

struct CampaignOptions {
  // In turn: a program of each, then the next seed.
  std::vector<frontend::Generation> generations = {frontend::Generation::kGfx900};
  uint64_t seed = 1;      // of the first program; the next has seed + 1
  uint64_t count = 1000;  // for each generation
  Shard shard = {};       // of these seeds
  double seconds = 0;     // 0: no limit
  bool rows = false;      // programs are launched (GenerateRows)
  int max_failures = 5;   // stop after that many
  // What else to say of a reduced program, which lies at `address`; may be empty.
  std::function<std::string(const Program& reduced, const Engine& engine, uint64_t address)>
      explain = {};
  // What repeats a launch that differs, as a file (Comparison::LaunchCase); may be empty.
  std::function<void(const std::string& file)> keep = {};
  // Called now and then; may be empty.
  std::function<void(const CampaignResult& now)> progress = {};
};

// Reduced failures, with the command that repeats each, also go to `out`.
CampaignResult RunCampaign(Comparison& comparison, const CampaignOptions& options,
                           std::ostream& out);

// "gfx900 interp,avx512: 1000 executed, 0 failed, ...", a line for each generation.
std::string Summary(const CampaignOptions& options, const Comparison& comparison,
                    const CampaignResult& result);

}  // namespace gcnjit::differential
