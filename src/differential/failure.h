// A difference that was found, as it is shown to people and programs.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "isa/generation.h"

namespace gcnjit::differential {

struct Failure {
  frontend::Generation generation = frontend::Generation::kGfx900;
  uint64_t seed = 0;
  std::string row;                   // of a sweep: the instruction; else empty
  std::vector<std::string> engines;  // that differ from the reference
  int instructions = 0;              // of the reduced program
  // False: another run of the reduced program did not show it. Something beyond the program and its
  // state decides then: what the engine ran before, say.
  bool repeats = true;
  std::string report;   // differences and listing
  std::string command;  // that repeats it
};

}  // namespace gcnjit::differential
