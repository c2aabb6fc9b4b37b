#include "backend_x64/emit/pointer_slots.h"

#include <algorithm>

namespace gcnjit::backend {

using ir::Inst;
using ir::Value;

namespace {

// Registers for what becomes of pointers when a slice is done with the loop.
constexpr int kLow = 0;
constexpr int kHigh = 1;
constexpr int kMask = 2;  // where masks are vectors

}  // namespace

PointerSlots::PointerSlots(RegionAssembler& region, const Cursor& at, ValueMemory& memory,
                           LaneIsa& isa)
    : a(region.a), region_(region), at_(at), block_(at.block), memory_(memory), isa_(isa) {}

const LoopPointer* PointerSlots::PointerOf(const Inst& load) const {
  return block_.plan.loop ? block_.plan.loop->PointerWith(load.args[0]) : nullptr;
}

// The part whose slot is this part's, too.
int PointerSlots::PartOf(const LoopPointer& pointer, int part) const {
  if (pointer.of_lanes) return 0;
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
  const LoopPointer* const pointer = PointerOf(load);
  if (pointer == nullptr || pointer->of_lanes) return std::nullopt;
  return Memory(*pointer, part);
}

std::optional<CountedLanes> PointerSlots::LanesOf(const Inst& load, int part) {
  const LoopPointer* const pointer = PointerOf(load);
  if (pointer == nullptr || !pointer->of_lanes) return std::nullopt;
  return CountedLanes{HalfOf(pointer->low, part), HalfOf(pointer->high, part), Memory(*pointer, 0)};
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
    x86::Mem memory = HalfOf(half, part);
    memory.setSize(4);
    return memory;
  };
  ForEach([&](const LoopPointer& pointer, int part) {
    if (pointer.of_lanes) {
      a.mov(Memory(pointer, 0).cloneResized(8), 0);
      return;
    }
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
  const std::vector<LoopPointer>& pointers = block_.plan.loop->pointers;
  const bool some_keep = std::ranges::any_of(
      pointers, [](const LoopPointer& pointer) { return pointer.keeps_low || pointer.keeps_high; });
  for (int part = 0; part < at_.parts; ++part) {
    // No value is in a register any more.
    int mask = -1;
    if (some_keep) {
      mask = block_.MasksAreVectors() ? kMask : isa_.ScratchMask();
      isa_.LoadMask(
          mask, x86::ptr(x86::rbx, x86::r15, 0,
                         region_.options.layout.sgpr + ir::kExec * 4 + part * block_.lanes / 8));
    }
    for (const LoopPointer& pointer : pointers) {
      pointer.of_lanes ? StoreLanes(pointer, part, mask) : StoreAlike(pointer, part);
    }
  }
}

void PointerSlots::StoreAlike(const LoopPointer& pointer, int part) {
  const x86::Mem from = Memory(pointer, part);
  isa_.Broadcast32(kLow, from);
  isa_.Broadcast32(kHigh, from.cloneAdjusted(4));
  StoreHalf(pointer.low, part, kLow, -1);
  StoreHalf(pointer.high, part, kHigh, -1);
}

void PointerSlots::StoreLanes(const LoopPointer& pointer, int part, int mask) {
  isa_.LoadVector(kLow, HalfOf(pointer.low, part));
  isa_.LoadVector(kHigh, HalfOf(pointer.high, part));
  isa_.AddToHalves(kLow, kHigh, Memory(pointer, 0));
  StoreHalf(pointer.low, part, kLow, pointer.keeps_low ? mask : -1);
  StoreHalf(pointer.high, part, kHigh, pointer.keeps_high ? mask : -1);
}

void PointerSlots::StoreHalf(Value half, int part, int reg, int mask) {
  const x86::Mem to = HalfOf(half, part);
  mask < 0 ? isa_.StoreVector(to, reg) : isa_.StoreVectorMasked(to, reg, mask);
}

x86::Mem PointerSlots::HalfOf(Value half, int part) const {
  return memory_.Vgpr(static_cast<int>(block_.function[half].imm), part);
}

}  // namespace gcnjit::backend
