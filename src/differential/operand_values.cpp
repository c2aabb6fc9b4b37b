#include "differential/operand_values.h"

#include <fmt/format.h>

namespace gcnjit::differential {

std::string OperandValues(const frontend::Instruction& instruction, const runtime::WaveState& wave,
                          int lane) {
  std::string text = fmt::format("exec {:#x}, vcc {:#x}, m0 {:#x}, scc {}; lane {}:", wave.exec(),
                                 wave.vcc(), wave.m0(), wave.scc, lane);
  for (const frontend::Operand& operand : {instruction.dst, instruction.src[0], instruction.src[1],
                                           instruction.src[2], instruction.src[3]}) {
    if (operand.kind == frontend::OperandKind::kVector) {
      text += fmt::format(" v{} {:#x} v{} {:#x}", operand.index, wave.vgpr[operand.index][lane],
                          (operand.index + 1) % 256, wave.vgpr[(operand.index + 1) % 256][lane]);
    } else if (operand.kind == frontend::OperandKind::kScalar) {
      text += fmt::format(" s{} {:#x}", operand.index, wave.Pair(operand.index & 126));
    }
  }
  return text;
}

}  // namespace gcnjit::differential
