#include "runtime/interpreter/counted_run.h"

#include "runtime/interpreter/interpreter.h"

namespace gcnjit::runtime {

uint64_t RunWaveCounted(Wave& w, CodeMap& code, uint64_t budget, OpcodeCounts& counts) {
  uint64_t executed = 0;
  const CodePage* page = nullptr;
  w.event = WaveEvent::kNone;
  while (executed < budget && w.event == WaveEvent::kNone) {
    const uint64_t pc = w.state.pc;
    if (page == nullptr || pc - page->begin >= page->bytes) page = code.PageAt(pc);
    if (RunWave(w, code, 1) == 0) break;
    ++executed;
    const CodeSlot& slot = page->slots[(pc - page->begin) / 4];
    if (slot.status != frontend::DecodeStatus::kOk) continue;
    ++counts[static_cast<size_t>(slot.instruction.opcode)];
  }
  return executed;
}

}  // namespace gcnjit::runtime
