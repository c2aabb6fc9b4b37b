// What `gcnjit run` and `gcnjit diff` have in common: a kernel, its grid and its arguments.
#pragma once

#include <CLI/CLI.hpp>
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "gcnjit/gcnjit.h"

namespace gcnjit::cli {

// "X[,Y[,Z]]"; missing dimensions get `fill`.
struct Triple {
  std::array<uint64_t, 3> values = {};
  uint32_t given = 0;  // how many are not missing
};
Result<Triple> ParseTriple(const std::string& option, const std::string& text, uint64_t fill,
                           uint64_t limit);

// As on the command line.
struct LaunchOptions {
  std::string file;
  std::string kernel;
  std::string target;
  std::string global;
  std::string local = "64";
  std::string offset = "0";
  std::vector<std::string> arguments;
  std::string kernarg;  // file with the kernarg segment's bytes; empty: none
};
// `required`: a code object must be given.
void AddLaunchOptions(CLI::App& command, LaunchOptions& options, bool required = true);

struct BoundBuffer {
  uint64_t address = 0;
  uint64_t size = 0;
  std::string output_path;
};

// The program is loaded, buffers are allocated and filled.
struct LaunchRequest {
  Device device;
  Program program;
  Arguments arguments;
  std::vector<BoundBuffer> buffers;
  LaunchConfig config;          // its grid
  std::string kernel;           // as in the code object
  std::vector<std::byte> file;  // the program was loaded from
};
// After `timeout_seconds` (0: no limit) loading ends with ErrorCode::kTimeout.
Result<LaunchRequest> MakeRequest(const LaunchOptions& options, double timeout_seconds = 0);

}  // namespace gcnjit::cli
