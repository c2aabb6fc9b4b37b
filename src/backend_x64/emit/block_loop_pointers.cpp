// Pointers that a loop counts up (loop_pointers.h): each has a slot for each part of a slice in
// which it may be another one.
#include "backend_x64/emit/block.h"

namespace gcnjit::backend {

using ir::Inst;
using ir::Value;

// The part whose pointer is this part's, too.
int BlockEmitter::PartOfPointer(const LoopPointer& pointer, int part) const {
  const bool are_alike = part_bits_[pointer.low.id] == part_bits_[pointer.high.id];
  return are_alike ? StandInOf(pointer.low, part) : part;
}

int& BlockEmitter::PointerSlot(const LoopPointer& pointer, int part) {
  const auto n = static_cast<size_t>(&pointer - plan_.loop->pointers.data());
  return pointer_slots_[n][static_cast<size_t>(PartOfPointer(pointer, part))];
}

x86::Mem BlockEmitter::PointerMemory(const LoopPointer& pointer, int part) {
  return SlotMemory(PointerSlot(pointer, part));
}

std::optional<x86::Mem> BlockEmitter::PointerMemoryOf(const Inst& load, int part) {
  const LoopPointer* const pointer = plan_.loop ? plan_.loop->PointerWith(load.args[0]) : nullptr;
  if (pointer == nullptr) return std::nullopt;
  return PointerMemory(*pointer, part);
}

template <typename F>
void BlockEmitter::ForEachPointer(const F& f) const {
  for (const LoopPointer& pointer : plan_.loop->pointers) {
    for (int part = 0; part < parts_; ++part) {
      if (PartOfPointer(pointer, part) == part) f(pointer, part);
    }
  }
}

void BlockEmitter::TakePointerSlots() {
  pointer_slots_.resize(plan_.loop->pointers.size());
  ForEachPointer([this](const LoopPointer& pointer, int part) {
    PointerSlot(pointer, part) = shared_.slots.Take();
  });
}

void BlockEmitter::FreePointerSlots() {
  ForEachPointer([this](const LoopPointer& pointer, int part) {
    shared_.slots.Free(PointerSlot(pointer, part));
  });
}

// Of the slice that begins, from its first lanes in the VGPRs.
void BlockEmitter::LoadPointers() {
  const auto first_lane = [this](Value half, int part) {
    x86::Mem memory = VgprMemory(static_cast<int>(function_[half].imm), part);
    memory.setSize(4);
    return memory;
  };
  ForEachPointer([&](const LoopPointer& pointer, int part) {
    a.mov(x86::eax, first_lane(pointer.low, part));
    a.mov(x86::ecx, first_lane(pointer.high, part));
    a.shl(x86::rcx, 32);
    a.or_(x86::rax, x86::rcx);
    a.mov(PointerMemory(pointer, part), x86::rax);
  });
}

// At the end of an iteration.
void BlockEmitter::CountPointers() {
  ForEachPointer([&](const LoopPointer& pointer, int part) {
    x86::Mem memory = PointerMemory(pointer, part);
    memory.setSize(8);
    uint64_t step = 0;
    if (IsConst(pointer.step, &step) && step <= INT32_MAX) {
      a.add(memory, static_cast<int32_t>(step));
      return;
    }
    x86::Mem from = ScalarMemory(pointer.step);
    from.setSize(4);
    a.mov(x86::eax, from);
    a.add(memory, x86::rax);
  });
}

// In the VGPRs, when the slice is done with the loop.
void BlockEmitter::StorePointers() {
  for (const LoopPointer& pointer : plan_.loop->pointers) {
    for (const Value half : {pointer.low, pointer.high}) {
      for (int part = 0; part < parts_; ++part) {
        x86::Mem from = PointerMemory(pointer, part);
        if (half == pointer.high) from.addOffset(4);
        Broadcast32(ScratchVector(), from);
        StoreVector(VgprMemory(static_cast<int>(function_[half].imm), part), ScratchVector());
      }
    }
  }
}

}  // namespace gcnjit::backend
