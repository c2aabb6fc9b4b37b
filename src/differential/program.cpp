#include "differential/program.h"

#include <fmt/format.h>

#include <algorithm>

#include "frontend/decode/decoder.h"
#include "frontend/disassemble/disassembler.h"

namespace gcnjit::differential {

int Program::LiveItems() const {
  return static_cast<int>(
      std::count_if(items.begin(), items.end(), [](const Item& item) { return !item.dropped; }));
}

std::vector<uint32_t> Assemble(const Program& program, std::vector<uint32_t>* offsets) {
  std::vector<uint32_t> begin(program.items.size() + 1);
  uint32_t at = 0;
  for (size_t n = 0; n < program.items.size(); ++n) {
    begin[n] = at;
    if (!program.items[n].dropped) at += 4 * static_cast<uint32_t>(program.items[n].size);
  }
  begin[program.items.size()] = at;
  std::vector<uint32_t> words;
  words.reserve(at / 4);
  for (size_t n = 0; n < program.items.size(); ++n) {
    const Item& item = program.items[n];
    if (item.dropped) continue;
    encoding::Words code = item.words;
    const uint32_t target = begin[static_cast<size_t>(item.target)];
    if (item.fixup == Item::Fixup::kBranch) {
      encoding::SetField(code[0], 0, 16, (target - (begin[n] + 4)) / 4);
    } else if (item.fixup == Item::Fixup::kAddress) {
      code[1] = target - begin[static_cast<size_t>(item.origin) + 1];
    }
    words.insert(words.end(), code.begin(), code.begin() + item.size);
  }
  if (offsets != nullptr) *offsets = std::move(begin);
  return words;
}

std::string Listing(const Program& program, uint64_t address) {
  const std::vector<uint32_t> words = Assemble(program);
  std::string text;
  for (size_t at = 0; at < words.size();) {
    const std::span<const uint32_t> rest = std::span(words).subspan(at);
    const uint64_t pc = address + at * 4;
    frontend::Instruction instruction;
    size_t size = 1;
    std::string line = "?";
    if (frontend::Decode(program.processor(), rest, instruction) == frontend::DecodeStatus::kOk) {
      size = instruction.size / 4;
      line = frontend::Disassemble(program.generation, instruction, pc);
    }
    text += fmt::format("  {:#x}  {:08x}", pc, words[at]);
    text += size == 2 ? fmt::format(" {:08x}", words[at + 1]) : "         ";
    text += "  " + line + "\n";
    at += size;
  }
  return text;
}

}  // namespace gcnjit::differential
