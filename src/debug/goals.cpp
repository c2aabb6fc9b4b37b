#include "debug/goals.h"

#include <memory>

namespace gcnjit::debug {

using frontend::Opcode;
using Status = GroupSchedule::Status;

namespace {

uint64_t PcOf(const Machine& machine, const WaveName& wave) {
  return machine.Find(wave.group)->registers(wave.wave).pc;
}
uint64_t LastPcOf(const Machine& machine, const WaveName& wave) {
  return machine.Find(wave.group)->progress.last_pc[wave.wave];
}

// What instructions a wave comes to.
class OpcodeReader {
 public:
  explicit OpcodeReader(runtime::CodeMap& code)
      : reader_(std::make_shared<runtime::CodeReader>(code)) {}
  // kCount: none.
  Opcode At(uint64_t pc) const {
    const runtime::CodePage* page = reader_->PageAt(pc);
    if (page == nullptr || (pc & 3) != 0) return Opcode::kCount;
    const runtime::CodeSlot& slot = page->SlotAt(pc);
    return slot.status == frontend::DecodeStatus::kOk ? slot.instruction.opcode : Opcode::kCount;
  }

 private:
  std::shared_ptr<runtime::CodeReader> reader_;
};

// How deep in calls that are not inlined a wave is, from where it is made.
class CallDepth {
 public:
  explicit CallDepth(runtime::CodeMap& code) : opcodes_(code) {}
  // The wave has executed the instruction at `pc`.
  void Executed(uint64_t pc) {
    const Opcode opcode = opcodes_.At(pc);
    if (opcode == Opcode::S_SWAPPC_B64 || opcode == Opcode::S_CALL_B64) ++depth_;
    if (opcode == Opcode::S_SETPC_B64) --depth_;
  }
  int depth() const { return depth_; }

 private:
  OpcodeReader opcodes_;
  int depth_ = 0;
};

}  // namespace

bool IsGone(const Machine& machine, const WaveName& wave) {
  const WorkGroup* group = machine.Find(wave.group);
  return group == nullptr || group->progress.schedule.status(wave.wave) == Status::kEnded;
}

WaveName WaveBefore(const Machine& machine, const WaveName& wave) {
  const WorkGroup* group = machine.Find(wave.group);
  const bool has_begun = group != nullptr && group->progress.last_pc[wave.wave] != 0;
  return has_begun || machine.step() == 0 ? wave : machine.last();
}

Goal NoGoal() {
  return [](const Machine&) { return false; };
}

Goal AfterInstruction(const WaveName& wave) {
  return [wave](const Machine& machine) { return machine.last() == wave; };
}

Goal BeforeInstruction(const WaveName& wave) {
  return [wave](const Machine& machine) { return machine.next() == wave; };
}

Goal AtEnd(const WaveName& wave) {
  return [wave](const Machine& machine) { return machine.last() == wave && IsGone(machine, wave); };
}

Goal AtTurn() {
  return [](const Machine& machine) {
    return machine.step() == 0 || machine.next() != machine.last();
  };
}

Goal AtOtherLine(const Machine& machine, CodeLines& lines, const WaveName& wave) {
  const uint64_t from = PcOf(machine, wave);
  return [=, &lines](const Machine& m) {
    if (m.next() != wave) return m.last() == wave && IsGone(m, wave);
    const uint64_t pc = PcOf(m, wave);
    return lines.HasLine(pc) && !lines.IsSameLine(pc, from);
  };
}

Goal AtNextLine(const Machine& machine, CodeLines& lines, const WaveName& wave) {
  const uint64_t from = PcOf(machine, wave);
  const size_t depth = lines.At(from).size();
  CallDepth calls(machine.code());
  return [=, &lines](const Machine& m) mutable {
    if (m.last() == wave && IsGone(m, wave)) return true;
    if (m.last() == wave) calls.Executed(LastPcOf(m, wave));
    if (m.next() != wave || calls.depth() > 0) return false;
    const uint64_t pc = PcOf(m, wave);
    const bool is_inlined = calls.depth() == 0 && lines.At(pc).size() > depth;
    return lines.HasLine(pc) && !is_inlined && !lines.IsSameLine(pc, from);
  };
}

Goal AtCaller(const Machine& machine, CodeLines& lines, const WaveName& wave) {
  const size_t depth = lines.At(PcOf(machine, wave)).size();
  CallDepth calls(machine.code());
  return [=, &lines](const Machine& m) mutable {
    if (m.last() == wave && IsGone(m, wave)) return true;
    if (m.last() == wave) calls.Executed(LastPcOf(m, wave));
    if (m.next() != wave || calls.depth() > 0) return false;
    const uint64_t pc = PcOf(m, wave);
    return calls.depth() < 0 || (lines.HasLine(pc) && lines.At(pc).size() < depth);
  };
}

Goal AtBeginOfLine(CodeLines& lines, const WaveName& wave) {
  return [wave, &lines](const Machine& m) {
    if (m.next() != wave) return false;
    const uint64_t pc = PcOf(m, wave);
    const uint64_t last = LastPcOf(m, wave);
    return lines.HasLine(pc) && (last == 0 || !lines.IsSameLine(pc, last));
  };
}

Goal PastBarrier(const Machine& machine, const WaveName& wave) {
  const OpcodeReader opcodes(machine.code());
  return [=](const Machine& m) {
    if (m.next() != wave) return m.last() == wave && IsGone(m, wave);
    return opcodes.At(LastPcOf(m, wave)) == Opcode::S_BARRIER;
  };
}

}  // namespace gcnjit::debug
