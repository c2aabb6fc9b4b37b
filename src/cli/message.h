// What is said on stderr: mistakes, faults, progress. Unlike fmt::print it does not throw where
// stderr cannot be written, which must neither change the exit code nor end the program.
#pragma once

#include <fmt/format.h>

#include <cstdio>
#include <iterator>
#include <utility>

namespace gcnjit::cli {

template <typename... T>
void PrintMessage(fmt::format_string<T...> format, T&&... values) {
  fmt::memory_buffer text;  // short ones need no memory, which may be what has ended
  fmt::format_to(std::back_inserter(text), format, std::forward<T>(values)...);
  std::fwrite(text.data(), 1, text.size(), stderr);
}

}  // namespace gcnjit::cli
