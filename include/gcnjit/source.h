// Places in the source of kernels, as debug information tells them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "gcnjit/export.h"

namespace gcnjit {

struct SourceFrame {
  std::string file;
  uint32_t line = 0;     // 0: unknown
  std::string function;  // as in the source; empty: unknown
};

// Where an instruction comes from: the innermost inlined call first, each frame inlined at the next
// one. Reports have room for it. Launch leaves it empty, since debug information is hostile, too:
// gcnjit's command line and Python package read it in a process of their own and fill it in.
using SourceFrames = std::vector<SourceFrame>;

// "FILE:LINE in FUNCTION", and what that is inlined at, each after `separator`.
GCNJIT_API std::string DescribeSource(const SourceFrames& frames, const std::string& separator);

}  // namespace gcnjit
