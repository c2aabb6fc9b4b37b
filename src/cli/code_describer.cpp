#include "cli/code_describer.h"

#include "frontend/disassemble/disassembler.h"

namespace gcnjit::cli {

CodeDescriber::CodeDescriber(const runtime::LoadedProgram& program)
    : names_(program), code_(program.processor(), program.code_ranges()) {}

std::string CodeDescriber::InstructionAt(uint64_t pc) const {
  const runtime::CodeSlot slot = code_.SlotAt(pc);
  return slot.status == frontend::DecodeStatus::kOk
             ? frontend::Disassemble(code_.generation(), slot.instruction, pc)
             : "not decodable";
}

}  // namespace gcnjit::cli
