// Relocatable objects (".o") that need no other one, put together as a linker would: their sections
// get addresses, and their relocations values or, where those depend on the load address, work for
// the loader. What a linker would look for elsewhere stays an undefined symbol.
// Source: lld's AMDGPU.cpp; LLVM AMDGPUUsage, "Relocation Records"; the ELF specification.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "frontend/code_object/code_object.h"
#include "frontend/code_object/elf_file.h"
#include "frontend/code_object/load_budget.h"
#include "gcnjit/error.h"

namespace gcnjit::frontend {

struct LinkedObject {
  std::shared_ptr<const std::vector<std::byte>> image;  // what the segments lie in
  std::vector<Segment> segments;                        // by address, not overlapping
  std::vector<ElfSymbol> symbols;                       // values are addresses in the image
  std::vector<Relocation> relocations;
};

Result<LinkedObject> LinkRelocatable(const ElfFile& elf, LoadBudget& budget);

}  // namespace gcnjit::frontend
