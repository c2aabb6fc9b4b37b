#include "differential/operand_values.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace gcnjit::differential {

std::string OperandValues(const frontend::Instruction& instruction, const runtime::WaveState& wave,
                          int lane) {
  std::string text = fmt::format("exec {:#x}, vcc {:#x}, m0 {:#x}, scc {}; lane {}:", wave.exec(),
                                 wave.vcc(), wave.m0(), wave.scc, lane);
  std::set<std::string> said;
  const auto say = [&](const std::string& name, uint32_t value) {
    if (said.insert(name).second) text += fmt::format(" {} {:#x}", name, value);
  };
  for (const frontend::Operand& operand : {instruction.dst, instruction.src[0], instruction.src[1],
                                           instruction.src[2], instruction.src[3]}) {
    const uint32_t first = operand.index;
    const auto count = static_cast<uint32_t>(std::max(1, RegistersOf(operand.type)));
    for (uint32_t n = first; n < first + count; ++n) {
      if (operand.kind == frontend::OperandKind::kVector && n < runtime::kVectorRegisters) {
        say(frontend::VectorRegisterName(static_cast<int>(n)), wave.vgpr[n][lane]);
      } else if (operand.kind == frontend::OperandKind::kScalar && n < std::size(wave.sgpr)) {
        say(fmt::format("s{}", n), wave.sgpr[n]);
      }
    }
  }
  return text;
}

}  // namespace gcnjit::differential
