// One wave, run for a few instructions from a given situation, in one engine and then in another.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "differential/engine.h"
#include "differential/guest_image.h"
#include "differential/state_difference.h"
#include "runtime/interpreter/code_map.h"
#include "runtime/interpreter/wave.h"

namespace gcnjit::differential {

// [begin, end) guest addresses.
using CodeRanges = std::vector<std::pair<uint64_t, uint64_t>>;

// What a wave runs in, apart from what it may change. `group.lds` is where LDS contents are put.
struct Place {
  runtime::DispatchState dispatch;
  runtime::WorkgroupState group;
  GuestImage& image;
  CodeRanges code;
};

// Everything that a wave may change.
struct Situation {
  runtime::WaveState wave;
  std::vector<std::byte> lds;
  GuestImage::Copy memory;
};

struct Ending {
  Situation situation;
  runtime::WaveEvent event = runtime::WaveEvent::kNone;
  runtime::PendingFault fault;
  uint64_t executed = 0;
};

// Runs until an event or until `budget` instructions were executed; compiled code may go on to the
// next place where it looks at its budget.
void Run(Place& place, const Situation& from, const RunFunction& run, uint64_t budget,
         Ending& ending);

// An engine and code that it has been prepared for. Code that ends before the program's own does
// leaves all registers to be compared at its end.
class PreparedCode {
 public:
  PreparedCode(const Engine& engine, const frontend::Processor& processor, const CodeRanges& ranges)
      : code_(processor, ranges), run_(engine.prepare(code_)) {}
  PreparedCode(const PreparedCode&) = delete;
  PreparedCode& operator=(const PreparedCode&) = delete;

  const RunFunction& run() const { return run_; }
  runtime::CodeMap& code() { return code_; }

 private:
  runtime::CodeMap code_;
  RunFunction run_;
};

// What of a wave's registers may still be read at its PC. `exact`: at the end of the program, all.
frontend::LivePoint LiveAt(const runtime::CodeMap& code, uint64_t pc, bool exact);

struct Difference {
  std::string event;  // how the ends differ, in words; empty: they do not
  StateDifferences state;

  bool any() const { return !event.empty() || !state.empty(); }
  std::string Text() const { return event + ToText(state); }
};
// Registers count as far as `live` says, and not at all where the wave has ended unless `exact`.
// After a fault only the fault, PC and EXEC count.
Difference Compare(const Place& place, const Ending& expected, const Ending& got,
                   const frontend::LivePoint& live, bool exact);

}  // namespace gcnjit::differential
