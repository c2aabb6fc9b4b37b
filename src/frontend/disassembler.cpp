// Entry points of the disassembler.
#include "frontend/disassembler.h"

#include <fmt/format.h>

#include "frontend/disassembler_internal.h"

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

std::optional<uint64_t> BranchTarget(const Instruction& instruction, uint64_t pc) {
  for (const OperandType type : instruction.row().src) {
    if (type == OperandType::LABEL) {
      return pc + instruction.size + static_cast<uint64_t>(int64_t{instruction.imm} * 4);
    }
  }
  return std::nullopt;
}

}  // namespace gcnjit::frontend
