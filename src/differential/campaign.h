// Many random programs in a row, and what to print about them.
#pragma once

#include <cstdint>
#include <ostream>
#include <vector>

#include "differential/compare.h"

namespace gcnjit::differential {

struct CampaignOptions {
  frontend::Generation generation = frontend::Generation::kGfx900;
  uint64_t seed = 1;  // of the first program; the next has seed + 1
  uint64_t count = 1000;
  double seconds = 0;    // 0: no limit
  int max_failures = 5;  // stop after that many
};

struct CampaignResult {
  uint64_t executed = 0;  // programs compared
  uint64_t failed = 0;
  uint64_t faulted = 0;     // ended in a fault, in both engines
  uint64_t unfinished = 0;  // not comparable
  uint64_t instructions = 0;
  double seconds = 0;
};

// Reduced failures and the command that repeats them go to `out`.
CampaignResult RunCampaign(Comparison& comparison, const CampaignOptions& options,
                           std::ostream& out);

// "gfx900 avx512: 1000 executed, 0 failed, ..."
std::string Summary(const CampaignOptions& options, const Comparison& comparison,
                    const CampaignResult& result);

}  // namespace gcnjit::differential
