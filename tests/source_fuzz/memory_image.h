// What a kernel's arguments are before a launch, and what its outputs are afterwards.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "source_fuzz/program.h"

namespace gcnjit::source_fuzz {

// Of each argument that is a buffer: its bytes from `offset` on. Else empty.
using Buffers = std::vector<std::vector<std::byte>>;

// The same for one kernel whenever it is called.
Buffers InitialBuffers(const Kernel& kernel);

// The first byte in which outputs differ, in words; empty if none does.
struct Difference {
  size_t argument = 0;
  size_t byte = 0;
  bool found = false;
};
Difference Compare(const Kernel& kernel, const Buffers& expected, const Buffers& got);

}  // namespace gcnjit::source_fuzz
