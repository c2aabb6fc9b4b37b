// One instruction at a time: every row in every encoding, with each operand class and modifier, on
// special values in all combinations and random ones, under all rounding and denormal modes.
#pragma once

#include <cstdint>
#include <functional>
#include <ostream>
#include <string>
#include <vector>

#include "differential/compare.h"
#include "differential/failure.h"
#include "differential/shard.h"

namespace gcnjit::differential {

struct SweepResult {
  uint64_t rows = 0;
  uint64_t samples = 0;   // machine words, times modes
  uint64_t executed = 0;  // waves compared
  uint64_t faulted = 0;
  uint64_t failed_rows = 0;
  std::vector<Failure> failures;
  bool complete = true;  // the time sufficed
  double seconds = 0;
};

struct SweepOptions {
  frontend::Generation generation = frontend::Generation::kGfx900;
  uint64_t seed = 1;
  std::string row = {};     // only this one (OpcodeRow::id); empty: all
  Shard shard = {};         // of the rows
  bool quick = false;       // one in eight samples of a row, each in one mode, on few values
  double seconds = 0;       // 0: no limit
  int failures_of_row = 1;  // reports of a row, before going on to the next
  int max_failed_rows = 1 << 30;
  // Called now and then; may be empty.
  std::function<void(const SweepResult& now)> progress = {};
};

// Failures also go to `out`.
SweepResult RunSweep(Comparison& comparison, const SweepOptions& options, std::ostream& out);

std::string Summary(const SweepOptions& options, const Comparison& comparison,
                    const SweepResult& result);

}  // namespace gcnjit::differential
