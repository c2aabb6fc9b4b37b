// Pointers that a loop counts up (plan/loop_pointers.h): each has a slot for each part of a slice
// in which it may be another one; those of lanes, one for what has been added to them.
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "backend_x64/emit/lane_isa.h"
#include "backend_x64/emit/part_access.h"
#include "backend_x64/emit/value_memory.h"

namespace gcnjit::backend {

class PointerSlots {
 public:
  PointerSlots(RegionAssembler& region, const Cursor& at, ValueMemory& memory, LaneIsa& isa);

  // Where the address of a load's part is, if that is a pointer that the loop counts up.
  std::optional<x86::Mem> MemoryOf(const ir::Inst& load, int part);
  // Where the addresses of its lanes are, if these are.
  std::optional<CountedLanes> LanesOf(const ir::Inst& load, int part);

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
  // Of the load's address; nullptr: it is none.
  const LoopPointer* PointerOf(const ir::Inst& load) const;
  int PartOf(const LoopPointer& pointer, int part) const;
  int& SlotOf(const LoopPointer& pointer, int part);
  x86::Mem Memory(const LoopPointer& pointer, int part);
  template <typename F>
  void ForEach(const F& f) const;
  x86::Mem HalfOf(ir::Value half, int part) const;  // in the VGPR
  // A half's lanes, from a register. `mask`: of the lanes that do not keep theirs; -1: of all.
  void StoreHalf(ir::Value half, int part, int reg, int mask);
  void StoreAlike(const LoopPointer& pointer, int part);
  void StoreLanes(const LoopPointer& pointer, int part, int mask);

  x86::Assembler& a;
  RegionAssembler& region_;
  const Cursor& at_;
  const BlockContext& block_;
  ValueMemory& memory_;
  LaneIsa& isa_;
  std::vector<std::array<int, 4>> slots_;  // by pointer and part
};

}  // namespace gcnjit::backend
