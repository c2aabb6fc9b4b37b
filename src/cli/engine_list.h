// --engines of gcnjit fuzz and gcnjit diff: the engines to compare.
#pragma once

#include <string>
#include <vector>

#include "differential/engine.h"
#include "gcnjit/error.h"

namespace gcnjit::cli {

struct EngineList {
  differential::Engine reference;  // the first one
  std::vector<differential::Engine> tested;
};

// "interp,avx2,avx512": names of differential::EngineNames(), at least two. Empty: the interpreter
// and all that this host has, or all of these that keep every register.
Result<EngineList> ParseEngines(const std::string& text, bool exact_only = false);

// Are there tested ones that have launches?
Result<void> CheckLaunches(const EngineList& engines);

// For --help.
extern const char* const kEnginesHelp;

}  // namespace gcnjit::cli
