// Whole numbers on the command line.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <limits>

namespace gcnjit::cli {

// Accepts decimal digits alone, for a number from `least` to `most`.
CLI::Validator IsWholeNumber(uint64_t least, uint64_t most);

// Likewise, as far as an option's variable goes.
template <typename T>
CLI::Validator IsWholeNumberFor(const T&, uint64_t least) {
  return IsWholeNumber(least, static_cast<uint64_t>(std::numeric_limits<T>::max()));
}

}  // namespace gcnjit::cli
