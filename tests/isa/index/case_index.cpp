// Writes which rows of the ISA table the .case files exercise, on which generations:
//   case_index OUT CASE...     OUT gets one line `{Opcode::ID, MASK},` a row; MASK: bit 1 <<
//   Generation
// Needs no assembler, so that the coverage report can be built anywhere. A header that cannot be
// read is reported here and counts as no test; isa_tests fails on it.
#include <cstdio>
#include <fstream>
#include <map>
#include <string>

#include "case_header.h"

namespace {

using gcnjit::frontend::Generation;
using gcnjit::frontend::Opcode;

void IndexFile(const char* path, std::map<Opcode, unsigned>& tested) {
  std::ifstream file(path);
  if (!file) std::fprintf(stderr, "%s: cannot be read\n", path);
  std::string line;
  for (int number = 1; std::getline(file, line); ++number) {
    const std::string_view text = gcnjit::isa_tests::StripLine(line);
    if (!text.starts_with('[')) continue;
    const auto header = gcnjit::isa_tests::ParseCaseHeader(text);
    if (!header) {
      std::fprintf(stderr, "%s:%d: %s\n", path, number, header.error().message.c_str());
      continue;
    }
    for (const auto& instruction : header.value().instructions) {
      for (const Generation g : gcnjit::frontend::kGenerations) {
        if (!header.value().Holds(g)) continue;
        tested[*gcnjit::isa_tests::OpcodeNamed(g, instruction.mnemonic)] |= 1u
                                                                            << static_cast<int>(g);
      }
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  std::map<Opcode, unsigned> tested;
  for (int n = 2; n < argc; ++n) IndexFile(argv[n], tested);
  std::ofstream out(argv[1]);
  out << "// Written by case_index from tests/isa/*.case.\n";
  for (const auto& [opcode, mask] : tested) {
    out << "{gcnjit::frontend::Opcode::" << gcnjit::frontend::RowOf(opcode).id << ", " << mask
        << "},\n";
  }
  out.close();
  return out ? 0 : 1;
}
