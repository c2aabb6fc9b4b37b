// Entry points of the disassembler.
#include "frontend/disassemble/disassembler.h"

#include <fmt/format.h>

#include "frontend/disassemble/disassembler_internal.h"
#include "isa/ignored_fields.h"

namespace gcnjit::frontend {

std::string Disassemble(Generation generation, const Instruction& instruction) {
  using namespace disassembler_internal;
  switch (instruction.encoding) {
    using enum Encoding;
    case kSop1:
    case kSop2:
    case kSopk:
    case kSopc:
    case kSopp:
    case kSmrd:
    case kSmem: return ScalarText(generation, instruction);
    case kVop1:
    case kVop2:
    case kVopc:
    case kVop3a:
    case kVop3b:
    case kVop3p:
    case kMai:
    case kSdwa:
    case kDpp:
    case kVintrp: return VectorText(generation, instruction);
    case kDs:
    case kMubuf:
    case kMtbuf:
    case kFlat:
    case kGlobal:
    case kScratch:
    case kMimg:
    case kExp: return MemoryText(generation, instruction);
  }
  return {};
}

std::string Disassemble(Generation generation, const Instruction& instruction, uint64_t pc) {
  std::string text = Disassemble(generation, instruction);
  if (const auto target = BranchTarget(instruction, pc)) text += fmt::format(" // {:#x}", *target);
  return text;
}

bool ChangesIntegerSigns(const Instruction& instruction) {
  if (instruction.encoding != Encoding::kVop3a && instruction.encoding != Encoding::kVop3b) {
    return false;
  }
  const OpcodeRow& row = instruction.row();
  for (size_t n = 0; n < row.src.size(); ++n) {
    const bool changes = ((instruction.neg | instruction.abs) >> n & 1) != 0;
    // v_interp_* number their sources otherwise, and have floats only.
    if (changes && !row.Has(INTERPOLATION) && !TakesFloatModifiers(row, n)) return true;
  }
  return false;
}

std::string DisassembleWords(Generation generation, std::span<const uint32_t> words,
                             const Instruction& instruction, uint64_t pc) {
  std::string ignored;
  for (const EncodedField& field :
       IgnoredFields(generation, instruction.row(), instruction.encoding)) {
    if ((words[field.word] & field.Mask()) == 0) continue;
    ignored += fmt::format("{}{}", ignored.empty() ? "ignores " : ", ", field.name);
  }
  const bool changes_signs = ChangesIntegerSigns(instruction);
  std::string text = Disassemble(generation, instruction, pc);
  if (ignored.empty() && !changes_signs) return text;
  if (changes_signs) {
    if (!ignored.empty()) ignored += "; ";
    ignored += "- and || change the sign bit";
  }
  const std::string second = instruction.size > 4 ? fmt::format(", {:#010x}", words[1]) : "";
  return fmt::format(".long {:#010x}{} // {} ({})", words[0], second, text, ignored);
}

std::optional<uint64_t> BranchTarget(const Instruction& instruction, uint64_t pc) {
  for (const OperandType type : instruction.row().src) {
    if (type == OperandType::LABEL) {
      return pc + instruction.size + static_cast<uint64_t>(int64_t{instruction.imm} * 4);
    }
  }
  return std::nullopt;
}

}  // namespace gcnjit::frontend
