// Locked instructions of lanes that have one address: of a run of them, one after the other, what
// they add is added up first. A result is what was in memory and what lanes of the run before it
// have added.
#include "backend_x64/emit/lane_atomic.h"

namespace gcnjit::backend {

namespace x86 = asmjit::x86;
using ir::AtomicOp;

namespace {

// AccessTransfer::scratch.
enum RunSlot : int { kRunBase, kRunOffset, kLanesAfter, kLanesOfRun };

// Of the lane in rax: an element of an array of AccessBlock.
x86::Mem LaneElement(size_t array) {
  return x86::dword_ptr(x86::r12, x86::rax, 2,
                        static_cast<int32_t>(offsetof(RegionContext, transfer.access) + array));
}
x86::Mem LaneOffset() { return LaneElement(offsetof(AccessBlock, low)); }
x86::Mem LaneData(int n) {
  return LaneElement(offsetof(AccessBlock, data) +
                     static_cast<size_t>(n) * sizeof(AccessBlock::data[0]));
}

}  // namespace

bool LaneAtomic::AddsUpLanes() const {
  if (memory_ != Memory::kGuest || !MemoryInstruction()) return false;
  return !returns_ || op_ == AtomicOp::kAdd || op_ == AtomicOp::kSub;
}

// rdx has the sum of the run's lanes so far. A lane's prefix waits where its result will be.
void LaneAtomic::EmitRunsOfLanes() {
  const asmjit::Label run = a_.newLabel();
  const asmjit::Label lane = a_.newLabel();
  const asmjit::Label run_end = a_.newLabel();
  const asmjit::Label end = a_.newLabel();
  a_.mov(ScratchOf(kRunBase, 8), x86::rax);
  a_.mov(ScratchOf(kLanesAfter, 4), x86::edx);
  a_.test(x86::edx, x86::edx);
  a_.jz(end);
  a_.bind(run);
  if (returns_) a_.mov(ScratchOf(kLanesOfRun, 4), x86::edx);
  a_.tzcnt(x86::eax, x86::edx);
  a_.mov(x86::ecx, LaneOffset());
  a_.mov(ScratchOf(kRunOffset, 4), x86::ecx);
  if (returns_) {
    a_.xor_(x86::ecx, x86::ecx);
    StoreResult(x86::rcx);
  }
  LoadOperand(x86::rdx);
  a_.bind(lane);
  a_.blsr(x86::eax, ScratchOf(kLanesAfter, 4));
  a_.mov(ScratchOf(kLanesAfter, 4), x86::eax);
  a_.jz(run_end);
  a_.tzcnt(x86::eax, x86::eax);
  a_.mov(x86::ecx, LaneOffset());
  a_.cmp(x86::ecx, ScratchOf(kRunOffset, 4));
  a_.jne(run_end);
  if (returns_) {
    a_.mov(x86::rcx, x86::rdx);
    StoreResult(x86::rcx);
  }
  LoadOperand(x86::rcx);
  // What is subtracted is added up, too.
  const bool adds = op_ == AtomicOp::kAdd || op_ == AtomicOp::kSub;
  a_.emit(adds ? uint32_t{x86::Inst::kIdAdd} : *MemoryInstruction(), Sized(x86::rdx),
          Sized(x86::rcx));
  a_.jmp(lane);
  a_.bind(run_end);
  a_.mov(x86::ecx, ScratchOf(kRunOffset, 4));
  a_.add(x86::rcx, ScratchOf(kRunBase, 8));
  EmitRunInMemory(x86::ptr(x86::rcx, 0, bits_ / 8));
  a_.mov(x86::edx, ScratchOf(kLanesAfter, 4));
  a_.test(x86::edx, x86::edx);
  a_.jnz(run);
  a_.bind(end);
}

// Of the lane in eax, which it changes.
void LaneAtomic::LoadOperand(const Gp& to) {
  if (bits_ == 32) {
    a_.mov(to.r32(), LaneData(0));
    return;
  }
  a_.mov(to.r32(), LaneData(1));
  a_.shl(to, 32);
  a_.mov(x86::eax, LaneData(0));
  a_.or_(to, x86::rax);
}

// Of the lane in eax. Changes the value.
void LaneAtomic::StoreResult(const Gp& value) {
  a_.mov(LaneData(kResult), value.r32());
  if (bits_ == 32) return;
  a_.shr(value, 32);
  a_.mov(LaneData(kResult + 1), value.r32());
}

// The sum in rdx.
void LaneAtomic::EmitRunInMemory(const Mem& memory) {
  const Gp sum = Sized(x86::rdx);
  if (!returns_) {
    a_.lock();
    a_.emit(*MemoryInstruction(), memory, sum);
    return;
  }
  if (op_ == AtomicOp::kSub) a_.neg(sum);
  a_.lock().xadd(memory, sum);
  EmitResultsOfRun();
}

// rdx: what was in memory.
void LaneAtomic::EmitResultsOfRun() {
  const asmjit::Label lane = a_.newLabel();
  a_.mov(x86::ecx, ScratchOf(kLanesAfter, 4));
  a_.xor_(ScratchOf(kLanesOfRun, 4), x86::ecx);
  a_.bind(lane);
  a_.tzcnt(x86::eax, ScratchOf(kLanesOfRun, 4));
  a_.mov(x86::ecx, LaneData(kResult));
  if (bits_ == 64) {
    const Mem high = LaneData(kResult + 1);
    a_.mov(x86::eax, high);
    a_.shl(x86::rax, 32);
    a_.or_(x86::rcx, x86::rax);
    a_.tzcnt(x86::eax, ScratchOf(kLanesOfRun, 4));
  }
  if (op_ == AtomicOp::kSub) a_.neg(Sized(x86::rcx));
  a_.add(Sized(x86::rcx), Sized(x86::rdx));
  StoreResult(x86::rcx);
  a_.blsr(x86::ecx, ScratchOf(kLanesOfRun, 4));
  a_.mov(ScratchOf(kLanesOfRun, 4), x86::ecx);
  a_.jnz(lane);
}

}  // namespace gcnjit::backend
