// Which build of gcnjit this is: code that another build has compiled is not used.
#pragma once

#include <cstddef>
#include <span>

namespace gcnjit::runtime {

// The linker's NT_GNU_BUILD_ID of the program or library that this function is linked into, a hash
// of its contents; empty if it has none.
std::span<const std::byte> BuildId();

}  // namespace gcnjit::runtime
