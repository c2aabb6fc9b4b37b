#include "backend_x64/emit/pointer_slots.h"

namespace gcnjit::backend {

using ir::Inst;
using ir::Value;

PointerSlots::PointerSlots(RegionAssembler& region, const Cursor& at, ValueMemory& memory,
                           LaneIsa& isa)
    : a(region.a), region_(region), at_(at), block_(at.block), memory_(memory), isa_(isa) {}

// The part whose pointer is this part's, too.
int PointerSlots::PartOf(const LoopPointer& pointer, int part) const {
  const bool are_alike = block_.part_bits[pointer.low.id] == block_.part_bits[pointer.high.id];
  return are_alike ? block_.StandInOf(pointer.low, part) : part;
}

int& PointerSlots::SlotOf(const LoopPointer& pointer, int part) {
  const auto n = static_cast<size_t>(&pointer - block_.plan.loop->pointers.data());
  return slots_[n][static_cast<size_t>(PartOf(pointer, part))];
}

x86::Mem PointerSlots::Memory(const LoopPointer& pointer, int part) {
  return memory_.Slot(SlotOf(pointer, part));
}

std::optional<x86::Mem> PointerSlots::MemoryOf(const Inst& load, int part) {
  const LoopPointer* const pointer =
      block_.plan.loop ? block_.plan.loop->PointerWith(load.args[0]) : nullptr;
  if (pointer == nullptr) return std::nullopt;
  return Memory(*pointer, part);
}

template <typename F>
void PointerSlots::ForEach(const F& f) const {
  for (const LoopPointer& pointer : block_.plan.loop->pointers) {
    for (int part = 0; part < at_.parts; ++part) {
      if (PartOf(pointer, part) == part) f(pointer, part);
    }
  }
}

void PointerSlots::Take() {
  slots_.resize(block_.plan.loop->pointers.size());
  ForEach([this](const LoopPointer& pointer, int part) {
    SlotOf(pointer, part) = region_.frame.slots.Take();
  });
}

void PointerSlots::Free() {
  ForEach([this](const LoopPointer& pointer, int part) {
    region_.frame.slots.Free(SlotOf(pointer, part));
  });
}

void PointerSlots::Load() {
  const auto first_lane = [this](Value half, int part) {
    x86::Mem memory = memory_.Vgpr(static_cast<int>(block_.function[half].imm), part);
    memory.setSize(4);
    return memory;
  };
  ForEach([&](const LoopPointer& pointer, int part) {
    a.mov(x86::eax, first_lane(pointer.low, part));
    a.mov(x86::ecx, first_lane(pointer.high, part));
    a.shl(x86::rcx, 32);
    a.or_(x86::rax, x86::rcx);
    a.mov(Memory(pointer, part), x86::rax);
  });
}

void PointerSlots::Count() {
  ForEach([&](const LoopPointer& pointer, int part) {
    x86::Mem memory = Memory(pointer, part);
    memory.setSize(8);
    uint64_t step = 0;
    if (block_.IsConst(pointer.step, &step) && step <= INT32_MAX) {
      a.add(memory, static_cast<int32_t>(step));
      return;
    }
    a.mov(x86::eax, memory_.Scalar32(pointer.step));
    a.add(memory, x86::rax);
  });
}

void PointerSlots::Store() {
  for (const LoopPointer& pointer : block_.plan.loop->pointers) {
    for (const Value half : {pointer.low, pointer.high}) {
      for (int part = 0; part < at_.parts; ++part) {
        x86::Mem from = Memory(pointer, part);
        if (half == pointer.high) from.addOffset(4);
        isa_.Broadcast32(isa_.ScratchVector(), from);
        isa_.StoreVector(memory_.Vgpr(static_cast<int>(block_.function[half].imm), part),
                         isa_.ScratchVector());
      }
    }
  }
}

}  // namespace gcnjit::backend
