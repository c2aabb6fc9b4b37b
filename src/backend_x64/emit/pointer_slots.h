// Pointers that a loop counts up (plan/loop_pointers.h): each has a slot for each part of a slice
// in which it may be another one.
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "backend_x64/emit/lane_isa.h"
#include "backend_x64/emit/value_memory.h"

namespace gcnjit::backend {

class PointerSlots {
 public:
  PointerSlots(RegionAssembler& region, const Cursor& at, ValueMemory& memory, LaneIsa& isa);

  // Where the address of a load's part is, if that is a pointer that the loop counts up.
  std::optional<x86::Mem> MemoryOf(const ir::Inst& load, int part);

  // ---- Of the loop, in this order
  void Take();
  // Of the slice that begins, from its first lanes in the VGPRs.
  void Load();
  // At the end of an iteration.
  void Count();
  // In the VGPRs, when the slice is done with the loop.
  void Store();
  void Free();

 private:
  int PartOf(const LoopPointer& pointer, int part) const;
  int& SlotOf(const LoopPointer& pointer, int part);
  x86::Mem Memory(const LoopPointer& pointer, int part);
  template <typename F>
  void ForEach(const F& f) const;

  x86::Assembler& a;
  RegionAssembler& region_;
  const Cursor& at_;
  const BlockContext& block_;
  ValueMemory& memory_;
  LaneIsa& isa_;
  std::vector<std::array<int, 4>> slots_;  // by pointer and part
};

}  // namespace gcnjit::backend
