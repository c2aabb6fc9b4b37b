// Where the values of a block are in memory: VGPRs and SGPRs of the wave's state, temps and slots
// of the frame, constants.
#pragma once

#include <asmjit/x86.h>

#include <cstdint>
#include <vector>

#include "backend_x64/emit/cursor.h"
#include "backend_x64/emit/region_assembler.h"
#include "backend_x64/emit/register_file.h"

namespace gcnjit::backend {

class ValueMemory {
 public:
  // A value's place.
  struct Home {
    int temp = -1;              // vectors: first of the temps, one a component
    int slot = -1;              // scalars and masks
    int vgpr = -1;              // the value is in this VGPR
    bool is_kept = false;       // for fault reports: the slot is not reused within the block
    bool is_for_lanes = false;  // code of lanes reads it, whether or not operations do
    // A pack that came whole with the load of its dwords, a scalar load that was done with another.
    bool is_loaded = false;
    uint16_t stored = 0;        // units that `temp` or `slot` or `vgpr` holds: bit Unit::Index
    uint8_t mask_piece = 0;     // bytes of a mask that were stored together, in each slice
    uint8_t spilled_masks = 0;  // parts of a mask that `temp` holds, as the registers they were in
  };

  ValueMemory(RegionAssembler& region, const Cursor& at);

  Home& operator[](ir::Value v) { return homes_[v.id]; }
  const Home& operator[](ir::Value v) const { return homes_[v.id]; }

  // ---- Places
  x86::Mem Vgpr(int vgpr, int part) const;
  x86::Mem Temp(int temp, int part) const;
  x86::Mem Slot(int slot, int byte_offset = 0) const;
  // The value's own, which it gets if it has none yet.
  int TempOf(ir::Value v);
  int SlotOf(ir::Value v);

  // ---- Values
  bool Has(Unit unit) const;
  // Of vectors that have some.
  x86::Mem Of(Unit unit);
  x86::Mem Mask(ir::Value v, int part);
  // Of a scalar or a constant.
  x86::Mem Scalar(ir::Value v, int byte_offset = 0);
  x86::Mem Scalar32(ir::Value v) { return Sized(Scalar(v), 4); }
  x86::Mem Scalar64(ir::Value v) { return Sized(Scalar(v), 8); }
  // The dword of the part's first lane.
  x86::Mem FirstLane(ir::Value v, int part = 0) {
    return Sized(Of({v, 0, static_cast<uint8_t>(part)}), 4);
  }
  // Lane 0 of a complete lane value; `address` may be used to get there.
  x86::Mem WholeLanes(ir::Value v, const x86::Gp& address);

  // ---- What holds a value
  // The VGPR in the wave's state.
  bool IsInState(ir::Value v, int part) const {
    return homes_[v.id].vgpr >= 0 && Has({v, 0, static_cast<uint8_t>(part)});
  }
  // The wave's state or the code: it needs no place of its own.
  bool IsInPlace(ir::Value v) const;
  // The constant pool, lane by lane (FindConstants).
  bool IsConstant(ir::Value v) const { return is_constant_[v.id] != 0; }
  // Finds values that need not be computed: their lanes are constants, the same for all slices.
  void FindConstants();

  // Frees temps and slots of arguments that nothing reads any more.
  void FreeArguments(const ir::Inst& inst);
  // The slots among them that a later slice of the lane loop needed.
  void FreeExpired();

 private:
  static x86::Mem Sized(x86::Mem memory, uint32_t bytes) {
    memory.setSize(bytes);
    return memory;
  }

  RegionAssembler& region_;
  const Cursor& at_;
  const BlockContext& block_;
  std::vector<Home> homes_;
  std::vector<uint8_t> is_constant_;  // by value id
  std::vector<int> expired_slots_;
};

}  // namespace gcnjit::backend
