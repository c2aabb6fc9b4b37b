// The header lines of tests/isa/*.case: `[ASSEMBLY] GENERATIONS FLAGS` (tests/isa/README.md).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gcnjit/error.h"
#include "isa/generation.h"
#include "isa/opcode_table.h"

namespace gcnjit::isa_tests {

// One instruction of a section.
struct CaseInstruction {
  std::string text;             // assembly; empty if given as words
  std::string mnemonic;         // as written, with encoding suffix
  std::vector<uint32_t> words;  // of `.long ... as MNEMONIC`
};

struct CaseHeader {
  std::vector<CaseInstruction> instructions;
  uint8_t generations = 0;  // bit 1 << Generation
  bool exec_sensitive = false;
  bool exec_ignored = false;
  bool sram_ecc = false;

  bool Holds(frontend::Generation g) const {
    return ((generations >> static_cast<int>(g)) & 1) != 0;
  }
};

// `line` without comment, its first character is '['.
Result<CaseHeader> ParseCaseHeader(std::string_view line);

// A line without its comment and surrounding blanks.
std::string_view StripLine(std::string_view line);

// Pieces between ';', without surrounding blanks; empty pieces are dropped.
std::vector<std::string_view> SplitStatements(std::string_view text);

std::vector<std::string_view> SplitWords(std::string_view text);

// The mnemonic without _e32, _e64, _sdwa or _dpp.
std::string_view StripEncodingSuffix(std::string_view mnemonic);

// The row that a mnemonic (with or without encoding suffix) means on a generation.
std::optional<frontend::Opcode> OpcodeNamed(frontend::Generation generation,
                                            std::string_view mnemonic);

}  // namespace gcnjit::isa_tests
