// The arguments that the differential programs share.
#pragma once

#include <cstdint>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "isa/generation.h"

namespace gcnjit::differential {

struct CommandLine {
  bool long_dose = false;  // --count, --time or --seed was given
  uint64_t count = UINT64_MAX;
  double seconds = 0;
  uint64_t seed = 1;
  uint32_t states = 3;  // that each random program is run from
  int max_failures = 5;
  bool sweep = false;  // single instructions instead of random programs
  std::string row;     // only this one; empty: all
  std::vector<frontend::Generation> generations;
  std::vector<std::string> isas;
};
// Nothing after printing what is wrong.
std::optional<CommandLine> ParseCommandLine(int argc, char** argv, std::ostream& errors);

}  // namespace gcnjit::differential
