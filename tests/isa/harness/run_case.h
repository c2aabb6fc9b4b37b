// Runs the groups of a section and compares the whole state with what they expect.
#pragma once

#include <string>
#include <vector>

#include "harness/assembler.h"
#include "harness/case_file.h"
#include "harness/machine.h"

namespace gcnjit::isa_tests {

// Reports of what went wrong, each with its place; empty: all as expected.
std::vector<std::string> RunSection(const CaseFile& file, const Section& section,
                                    const Assembled& code, frontend::Generation generation,
                                    Substitution substitution = {},
                                    const StepFunction& step = runtime::StepWave);

// Assembles and runs all sections on all their generations.
std::vector<std::string> RunFile(const CaseFile& file,
                                 const StepFunction& step = runtime::StepWave);

}  // namespace gcnjit::isa_tests
