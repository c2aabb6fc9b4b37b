// Machine words of a case file's sections, from llvm-mc.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "harness/case_file.h"

namespace gcnjit::isa_tests {

// Of one section on one generation.
struct Assembled {
  std::vector<uint32_t> words;
  std::vector<uint32_t> starts;  // index in `words` of each instruction
  std::string error;             // why the assembler refused it; empty: fine
};

// One llvm-mc run, or an earlier one, for all sections that hold on `generation`; the result is
// parallel to file.sections (empty where a section does not hold). An Error: llvm-mc itself is
// missing or answered what cannot be understood.
Result<std::vector<Assembled>> AssembleFile(const CaseFile& file, frontend::Generation generation);

}  // namespace gcnjit::isa_tests
