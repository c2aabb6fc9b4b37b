// How much memory this machine has.
#pragma once

#include <cstdint>

namespace gcnjit::runtime {

// In bytes; UINT64_MAX: the host does not say.
uint64_t PhysicalBytes();

}  // namespace gcnjit::runtime
