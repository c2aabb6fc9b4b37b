// What is said on stderr: mistakes, faults, progress. Unlike fmt::print it does not throw where
// stderr cannot be written, which must neither change the exit code nor end the program.
#pragma once

#include <fmt/format.h>

#include <cstdio>
#include <iterator>
#include <utility>

namespace gcnjit::cli {

// --quiet: neither progress nor notes, only what goes wrong.
inline bool& IsQuiet() {
  static bool is_quiet = false;
  return is_quiet;
}

template <typename... T>
void PrintMessage(fmt::format_string<T...> format, T&&... values) {
  fmt::memory_buffer text;  // short ones need no memory, which may be what has ended
  fmt::format_to(std::back_inserter(text), format, std::forward<T>(values)...);
  std::fwrite(text.data(), 1, text.size(), stderr);
}

// What is good to know, and changes nothing.
template <typename... T>
void PrintNote(fmt::format_string<T...> format, T&&... values) {
  if (!IsQuiet()) PrintMessage(format, std::forward<T>(values)...);
}

}  // namespace gcnjit::cli
