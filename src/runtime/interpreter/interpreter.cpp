#include "runtime/interpreter/interpreter.h"

#include <algorithm>
#include <atomic>

#include "runtime/interpreter/mxcsr_guard.h"
#include "runtime/interpreter/signalling_nans.h"

namespace gcnjit::runtime {
namespace {

// How many instructions run between two looks at the stop flag.
constexpr uint64_t kStopInterval = 4096;

// Why a slot can't be executed, as a fault.
[[gnu::cold]] void RaiseRefusal(Wave& w, const CodeSlot& slot) {
  switch (slot.status) {
    case frontend::DecodeStatus::kTruncated:
      w.RaiseFault(FaultKind::kInstructionFetch, -1, w.state.pc, 4,
                   "the instruction runs past the end of the code");
      return;
    case frontend::DecodeStatus::kUnknownOpcode:
      w.RaiseFault(FaultKind::kIllegalInstruction, -1, w.state.pc, 4,
                   "these words are no instruction of this generation; was the code object built "
                   "for another target, or did control flow run into data?");
      return;
    case frontend::DecodeStatus::kBadOperand:
      w.RaiseFault(FaultKind::kIllegalInstruction, -1, w.state.pc, 4,
                   "an operand field holds a value that this generation does not define");
      return;
    case frontend::DecodeStatus::kOk: break;
  }
  const char* reason = slot.instruction.row().refusal;
  w.RaiseUnsupported(reason != nullptr ? reason : "the interpreter has no function for this row");
}

[[gnu::cold]] void RaiseRegisterLimit(Wave& w, const CodeSlot& slot) {
  const frontend::VgprCounts& limit = slot.vgpr_limit;
  const bool is_acc = limit.vgprs <= w.state.vgpr_count;
  const int number = is_acc ? limit.acc_vgprs - 1 + frontend::kFirstAccVgpr : limit.vgprs - 1;
  const uint32_t count = is_acc ? w.state.acc_vgpr_count : w.state.vgpr_count;
  w.RaiseFault(FaultKind::kIllegalRegister, -1, 0, 0,
               "uses " + frontend::VectorRegisterName(number) +
                   ", but the kernel descriptor allocates " + std::to_string(count) +
                   (is_acc ? " AccVGPRs" : " VGPRs"));
}

[[gnu::noinline]] void KeepingSignallingNans(Wave& w, const CodeSlot& slot) {
  NanOperands operands;
  ReadNanOperands(w, slot.instruction, operands);
  w.nan_operands = &operands;
  slot.function(w, slot.instruction);
  w.nan_operands = nullptr;
}

inline void Execute(Wave& w, const CodeSlot& slot) {
  w.next_pc = w.state.pc + slot.instruction.size;
  if (slot.function == nullptr) [[unlikely]]
    return RaiseRefusal(w, slot);
  if (!w.state.vgpr_counts().Hold(slot.vgpr_limit)) [[unlikely]]
    return RaiseRegisterLimit(w, slot);
  if (slot.is_vector && (w.state.mode & kModeVskip) != 0) [[unlikely]] {
    w.state.pc = w.next_pc;
    return;
  }
  if (slot.float_class != FloatClass::kUnset) w.UseFloatClass(slot.float_class);
  if (slot.keeps_signalling_nans && (w.state.mode & kModeIeee) == 0) [[unlikely]] {
    KeepingSignallingNans(w, slot);
  } else {
    slot.function(w, slot.instruction);
  }
  if (w.event != WaveEvent::kFault) [[likely]]
    w.state.pc = w.next_pc;
}

}  // namespace

void StepWave(Wave& w, const CodeSlot& slot) { Execute(w, slot); }

uint64_t RunWave(Wave& w, CodeReader& code, uint64_t budget) {
  const MxcsrGuard guard;
  w.float_class = FloatClass::kUnset;
  w.event = WaveEvent::kNone;
  w.state.is_new = false;
  w.state.waits_in = 0;
  const CodePage* page = nullptr;
  uint64_t executed = 0;
  while (executed < budget && w.event == WaveEvent::kNone) {
    if (w.dispatch.stop->load(std::memory_order_relaxed)) {
      w.event = WaveEvent::kStopped;
      break;
    }
    const uint64_t pause = std::min(budget, executed + kStopInterval);
    while (executed < pause && w.event == WaveEvent::kNone) {
      const uint64_t pc = w.state.pc;
      if (page == nullptr || pc - page->begin >= page->bytes) [[unlikely]] {
        page = code.PageAt(pc);
        if (page == nullptr) {
          w.RaiseFault(FaultKind::kInstructionFetch, -1, pc, 4, "PC is outside the code");
          break;
        }
      }
      if ((pc & 3) != 0) [[unlikely]] {
        w.RaiseFault(FaultKind::kInstructionFetch, -1, pc, 4, "PC is not a multiple of 4");
        break;
      }
      Execute(w, page->SlotAt(pc));
      ++executed;
    }
  }
  return executed;
}

}  // namespace gcnjit::runtime
