// What reports say of guest addresses: names, instructions, source lines.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "cli/program_lines.h"
#include "gcnjit/program.h"
#include "gcnjit/source.h"

namespace gcnjit::cli {

struct CodeNote {
  std::string place;        // "saxpy+0x40"
  std::string instruction;  // disassembled
  SourceFrames source;
  std::string source_line;  // text of the innermost; empty: not known
};
using CodeNotes = std::map<uint64_t, CodeNote>;

CodeNotes NotesOf(const Program& program, ProgramLines& lines, const std::vector<uint64_t>& pcs);

}  // namespace gcnjit::cli
