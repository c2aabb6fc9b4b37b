// Which host code was emitted for which guest instruction.
#pragma once

#include <cstdint>

namespace gcnjit::backend {

// Host code from `begin` to the next span's begin.
struct GuestSpan {
  uint32_t begin = 0;  // byte offset from CompiledRegion::code
  uint64_t block = 0;  // guest address of the block; 0: the region's common code
  uint64_t pc = 0;     // of the guest instruction; 0: what a block needs besides
};

}  // namespace gcnjit::backend
