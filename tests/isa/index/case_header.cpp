#include "case_header.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <regex>

namespace gcnjit::isa_tests {
namespace {

using frontend::Generation;
using frontend::Opcode;

constexpr std::string_view kBlanks = " \t\r";

Error Mistake(std::string message) { return {ErrorCode::kInvalidArgument, std::move(message)}; }

std::string_view Trim(std::string_view text) {
  const size_t first = text.find_first_not_of(kBlanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

Result<CaseInstruction> ParseInstruction(std::string_view text) {
  CaseInstruction result;
  if (!text.starts_with(".long")) {
    result.text = text;
    result.mnemonic = text.substr(0, text.find_first_of(kBlanks));
    return result;
  }
  const size_t as = text.find(" as ");
  if (as == std::string_view::npos) return Mistake(".long needs `as MNEMONIC`");
  result.mnemonic = Trim(text.substr(as + 4));
  std::string words(text.substr(5, as - 5));
  for (char& c : words) {
    if (c == ',') c = ' ';
  }
  for (const std::string_view word : SplitWords(words)) {
    uint32_t value = 0;
    if (!word.starts_with("0x")) return Mistake("words of .long are written in hexadecimal");
    const auto [end, error] =
        std::from_chars(word.data() + 2, word.data() + word.size(), value, 16);
    if (error != std::errc() || end != word.data() + word.size()) {
      return Mistake("not a 32-bit word: " + std::string(word));
    }
    result.words.push_back(value);
  }
  if (result.words.empty()) return Mistake(".long without words");
  return result;
}

constexpr uint8_t Bit(Generation g) { return static_cast<uint8_t>(1u << static_cast<int>(g)); }
constexpr uint8_t kGfx90aBit = Bit(Generation::kGfx90a);
constexpr uint8_t kUpToGfx908 = kGfx90aBit - 1;
constexpr uint8_t kGfx942Bit = Bit(Generation::kGfx942);
constexpr uint8_t kGfx90aBits = kGfx90aBit | kGfx942Bit;
constexpr uint8_t kGfx908Bits = Bit(Generation::kGfx908) | kGfx90aBits;
constexpr uint8_t kGfx906Bits = Bit(Generation::kGfx906) | kGfx908Bits;
constexpr uint8_t kGfx9Bits = Bit(Generation::kGfx900) | kGfx906Bits;

// Bits of a generation word; 0 if it is none.
uint8_t GenerationBits(std::string_view word) {
  constexpr uint8_t g6 = Bit(Generation::kGfx6);
  constexpr uint8_t g7 = Bit(Generation::kGfx7);
  constexpr uint8_t g8 = Bit(Generation::kGfx8);
  static const std::map<std::string_view, uint8_t> kWords = {
      {"gfx6", g6},
      {"gfx7", g7},
      {"gfx8", g8},
      {"gfx900", Bit(Generation::kGfx900)},
      {"gfx906", Bit(Generation::kGfx906)},
      {"gfx908", Bit(Generation::kGfx908)},
      {"gfx90a", kGfx90aBit},
      {"gfx942", kGfx942Bit},
      {"gfx90a+", kGfx90aBits},
      {"gfx906+", kGfx906Bits},
      {"gfx908+", kGfx908Bits},
      {"gfx9", kGfx9Bits},
      {"gfx6-7", g6 | g7},
      {"gfx6-8", g6 | g7 | g8},
      {"gfx7-8", g7 | g8},
      {"gfx7+", g7 | g8 | kGfx9Bits},
      {"gfx8+", g8 | kGfx9Bits},
      {"all", g6 | g7 | g8 | kGfx9Bits},
      // Without CDNA 3.
      {"gfx9-90a", kGfx9Bits & ~kGfx942Bit},
      // Without CDNA 2 and 3.
      {"gfx6-908", g6 | g7 | g8 | (kGfx9Bits & kUpToGfx908)},
      {"gfx7-908", g7 | g8 | (kGfx9Bits & kUpToGfx908)},
      {"gfx8-908", g8 | (kGfx9Bits & kUpToGfx908)},
      {"gfx9-908", kGfx9Bits & kUpToGfx908},
      {"gfx906-908", kGfx906Bits & kUpToGfx908},
  };
  const auto found = kWords.find(word);
  return found == kWords.end() ? 0 : found->second;
}

// "v[1:2]" and the like, which CDNA 2 and 3 do not have.
bool HasOddTuple(const CaseHeader& header) {
  static const std::regex odd(R"(\b[va]\[\d*[13579]:)");
  return std::ranges::any_of(header.instructions, [](const CaseInstruction& instruction) {
    return std::regex_search(instruction.text, odd);
  });
}

using NameMap = std::map<std::string_view, Opcode>;

std::array<NameMap, frontend::kGenerationCount> BuildNames() {
  std::array<NameMap, frontend::kGenerationCount> result;
  for (int n = 0; n < frontend::kOpcodeCount; ++n) {
    const frontend::OpcodeRow& row = frontend::RowOf(n);
    for (const Generation g : frontend::kGenerations) {
      if (row.ExistsOn(g)) result[static_cast<int>(g)].emplace(row.Name(g), row.opcode);
    }
  }
  // Matrices also by their names on CDNA 2, as the assembler takes them.
  NameMap& of_gfx942 = result[static_cast<int>(Generation::kGfx942)];
  for (const auto& [name, opcode] : result[static_cast<int>(Generation::kGfx90a)]) {
    if (frontend::RowOf(opcode).ExistsOn(Generation::kGfx942)) of_gfx942.emplace(name, opcode);
  }
  return result;
}

}  // namespace

std::string_view StripLine(std::string_view line) { return Trim(line.substr(0, line.find('#'))); }

std::vector<std::string_view> SplitStatements(std::string_view text) {
  std::vector<std::string_view> result;
  while (!text.empty()) {
    const size_t end = text.find(';');
    if (const std::string_view piece = Trim(text.substr(0, end)); !piece.empty()) {
      result.push_back(piece);
    }
    if (end == std::string_view::npos) break;
    text.remove_prefix(end + 1);
  }
  return result;
}

std::vector<std::string_view> SplitWords(std::string_view text) {
  std::vector<std::string_view> result;
  for (;;) {
    const size_t first = text.find_first_not_of(kBlanks);
    if (first == std::string_view::npos) return result;
    text.remove_prefix(first);
    const size_t end = text.find_first_of(kBlanks);
    result.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return result;
    text.remove_prefix(end);
  }
}

std::string_view StripEncodingSuffix(std::string_view mnemonic) {
  for (const std::string_view suffix : {"_e32", "_e64", "_sdwa", "_dpp"}) {
    if (mnemonic.ends_with(suffix)) return mnemonic.substr(0, mnemonic.size() - suffix.size());
  }
  return mnemonic;
}

std::optional<Opcode> OpcodeNamed(Generation generation, std::string_view mnemonic) {
  static const std::array<NameMap, frontend::kGenerationCount> names = BuildNames();
  const NameMap& map = names[static_cast<int>(generation)];
  for (const std::string_view name : {mnemonic, StripEncodingSuffix(mnemonic)}) {
    if (const auto found = map.find(name); found != map.end()) return found->second;
  }
  return std::nullopt;
}

namespace {

bool LacksInstruction(const CaseHeader& header, Generation generation) {
  return std::ranges::any_of(header.instructions, [&](const CaseInstruction& instruction) {
    return !OpcodeNamed(generation, instruction.mnemonic);
  });
}

}  // namespace

Result<CaseHeader> ParseCaseHeader(std::string_view line) {
  const size_t close = line.rfind(']');
  if (!line.starts_with('[') || close == std::string_view::npos) {
    return Mistake("a section's header is [ASSEMBLY] GENERATIONS FLAGS");
  }
  CaseHeader header;
  for (const std::string_view text : SplitStatements(line.substr(1, close - 1))) {
    Result<CaseInstruction> instruction = ParseInstruction(text);
    if (!instruction) return instruction.error();
    header.instructions.push_back(std::move(*instruction));
  }
  if (header.instructions.empty()) return Mistake("a section needs an instruction");
  bool is_named = false;  // gfx942
  for (const std::string_view word : SplitWords(line.substr(close + 1))) {
    if (word == "exec-sensitive") {
      header.exec_sensitive = true;
    } else if (word == "exec-ignored") {
      header.exec_ignored = true;
    } else if (word == "sram-ecc") {
      header.sram_ecc = true;
    } else if (const uint8_t bits = GenerationBits(word)) {
      const bool claims_it = (bits & kUpToGfx908) == 0 || !HasOddTuple(header);
      header.generations |= claims_it ? bits : static_cast<uint8_t>(bits & kUpToGfx908);
      is_named = is_named || bits == kGfx942Bit || bits == kGfx90aBits;
    } else {
      return Mistake("neither a generation nor a flag: " + std::string(word));
    }
  }
  if (!is_named && LacksInstruction(header, Generation::kGfx942)) {
    header.generations &= static_cast<uint8_t>(~kGfx942Bit);
  }
  if (header.generations == 0) return Mistake("a section needs at least one generation");
  for (const CaseInstruction& instruction : header.instructions) {
    for (const Generation g : frontend::kGenerations) {
      if (header.Holds(g) && !OpcodeNamed(g, instruction.mnemonic)) {
        return Mistake("no instruction " + instruction.mnemonic + " on " + frontend::TargetName(g));
      }
    }
  }
  return header;
}

}  // namespace gcnjit::isa_tests
