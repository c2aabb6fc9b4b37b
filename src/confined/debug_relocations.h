// The debug sections of relocatable objects, which a linker would have relocated.
#pragma once

#include <libelf.h>

#include <cstddef>
#include <span>

namespace gcnjit::confined {

// Makes the debug sections of `elf` refer to each other and to code at the addresses at which
// frontend::LinkRelocatable puts it. What cannot be relocated stays as it is. `object`: the file
// that `elf` reads, and may change in. Does nothing to other files. For a confined process.
void RelocateDebugSections(std::span<const std::byte> object, Elf* elf);

}  // namespace gcnjit::confined
