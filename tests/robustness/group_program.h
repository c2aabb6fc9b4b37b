// Random kernels whose waves go different ways to the same barriers: `if (id < 64)` and its like,
// LDS that waves hand to each other, waves that end early. Where a work-group's shape says which
// way each wave takes, compiled code has the waves' blocks in one piece (workgroup/specialise.h).
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "gcnjit/launch.h"
#include "isa/generation.h"

namespace gcnjit::robustness {

struct GroupProgram {
  Dim3 local, global;
  // Instructions in LLVM's syntax; one that begins with "s_cbranch" goes to the line of that
  // number.
  struct Line {
    std::string text;
    size_t target = 0;
  };
  std::vector<Line> lines;
  std::array<uint32_t, 8> bounds = {};  // in the kernel's arguments, after those of the buffer
};

// Each work-item has its own part of a buffer, kItemBytes long, whose resource is in the kernel's
// arguments (frame.h) after 16 bytes.
inline constexpr uint32_t kItemBytes = 64;
inline constexpr uint32_t kMostItems = 1024;
inline constexpr uint64_t kArgumentsOfBuffer = 2;  // FrameArguments::words from there on
inline constexpr uint64_t kArgumentsOfBounds = 4;

GroupProgram MakeGroupProgram(frontend::Generation generation, uint64_t seed);

}  // namespace gcnjit::robustness
