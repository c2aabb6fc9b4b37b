// What a relocation takes from its symbol.
// Source: ELF specification, "Symbol Table"; LLVM AMDGPUUsage, "Symbols".
#pragma once

#include "frontend/code_object/elf_file.h"
#include "frontend/code_object/relocation.h"
#include "gcnjit/error.h"

namespace gcnjit::frontend {

// Null stands for no symbol. The relocation lacks its type, place and addend. An Error if it is
// left to a linker what the symbol is.
Result<Relocation> RelocationTo(const ElfSymbol* symbol);

}  // namespace gcnjit::frontend
