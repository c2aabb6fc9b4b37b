// Random kernels whose waves go different ways to the same barriers: `if (id < 64)` and its like,
// LDS that waves hand to each other, waves that end early. Where a work-group's shape says which
// way each wave takes, compiled code has the waves' blocks in one piece (workgroup/specialise.h).
#pragma once

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
};

// Each work-item has its own part of a buffer, kItemBytes long, whose resource is in the kernel's
// arguments (frame.h) after 16 bytes.
inline constexpr uint32_t kItemBytes = 64;
inline constexpr uint32_t kMostItems = 1024;
inline constexpr uint64_t kArgumentsOfBuffer = 2;  // FrameArguments::words from there on

GroupProgram MakeGroupProgram(frontend::Generation generation, uint64_t seed);

}  // namespace gcnjit::robustness
