// Whole files in and out. Output files appear complete or not at all.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "gcnjit/error.h"

namespace gcnjit::cli {

// All of a file. Of what has no size, such as a pipe, up to 256 MiB; more is an error.
Result<std::vector<std::byte>> ReadFile(const std::string& path);

// Can `path` be created or replaced? Asked before a long run, so that its result is not lost.
Result<void> CheckWritable(const std::string& path);

// Writes to a temporary file beside `path` and renames it. "-" is standard output.
Result<void> WriteFile(const std::string& path, std::span<const std::byte> bytes);

}  // namespace gcnjit::cli
