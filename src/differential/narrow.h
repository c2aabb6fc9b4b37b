// From a stretch of code in which an engine differs to the block, and to the instructions, that do.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "differential/trial.h"

namespace gcnjit::differential {

// Code that shows a difference when one wave runs it from a situation.
struct Divergence {
  Situation before;
  // Compiled by itself: the program's code between the two addresses; else from there on, within
  // the program.
  bool is_cut = false;
  uint64_t begin = 0;
  uint64_t end = 0;           // of the last instruction that was executed
  uint64_t instructions = 0;  // executed by the reference
  Difference difference;
  // The block that it is in, as the reference came through: addresses of its instructions.
  std::vector<uint64_t> block;
};

// Runs `count` instructions from `from` in both engines. Nothing: there is no difference.
std::optional<Divergence> Check(Place& place, const Engine& reference, const Engine& tested,
                                const Situation& from, uint64_t count);

// Makes it as short as it gets: later begins, then single blocks, then parts of a block.
Divergence Narrow(Place& place, const Engine& reference, const Engine& tested, Divergence found);

}  // namespace gcnjit::differential
