#include "runtime/interpreter/counted_run.h"

#include "runtime/interpreter/interpreter.h"

namespace gcnjit::runtime {

uint64_t RunWaveCounted(Wave& w, CodeReader& code, uint64_t budget, OpcodeCounts& counts) {
  uint64_t executed = 0;
  w.event = WaveEvent::kNone;
  while (executed < budget && w.event == WaveEvent::kNone) {
    const uint64_t pc = w.state.pc;
    if (RunWave(w, code, 1) == 0) break;
    ++executed;
    // Where there was an instruction, there is a page.
    const CodeSlot& slot = code.PageAt(pc)->SlotAt(pc);
    if (slot.status != frontend::DecodeStatus::kOk) continue;
    ++counts[static_cast<size_t>(slot.instruction.opcode)];
  }
  return executed;
}

}  // namespace gcnjit::runtime
