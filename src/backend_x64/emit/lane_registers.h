// The registers of a block's lane values and lane masks while its code is emitted. A value that no
// register is left for goes to memory, and comes back when it is used.
#pragma once

#include <asmjit/x86.h>

#include <cstdint>
#include <optional>
#include <vector>

#include "backend_x64/emit/cursor.h"
#include "backend_x64/emit/lane_isa.h"
#include "backend_x64/emit/region_assembler.h"
#include "backend_x64/emit/register_file.h"
#include "backend_x64/emit/value_memory.h"

namespace gcnjit::backend {

class LaneRegisters {
 public:
  LaneRegisters(RegionAssembler& region, const Cursor& at, ValueMemory& memory, LaneIsa& isa);

  // ---- Operands. Their registers are pinned until UnpinAll.
  // Register that holds a part of a lane value; scalars are broadcast. `component`: of a v64, or of
  // u64 used as lanes (0 and 1 alike).
  int Use(ir::Value v, int part, int component = 0);
  // The part of a lane mask.
  int UseMask(ir::Value v, int part);
  // The part of a lane value where it is in memory only and this stage has no further use for it,
  // so that no register needs to hold it.
  std::optional<x86::Mem> MemoryOperand(ir::Value v, int part, int component);
  // Is a scalar in a register for lanes already, or worth putting there for later uses?
  bool IsHeldOrWantedAgain(ir::Value v) const {
    return vectors_.Holds(Unit::Broadcast(v)) || at_.IsUsedInStage(v);
  }
  void UnpinAll();

  // ---- Results, pinned likewise.
  int Def(ir::Value v, int part, int component = 0);
  int DefMask(ir::Value v, int part);
  // The register of v, which dies here, becomes the result's.
  int TakeOver(ir::Value v, int part, ir::Value result, int component = 0);
  // A register for a unit that has none, whatever it will hold.
  int Take(Unit unit);

  // ---- Ends of values
  // Is this the last use of the part of v, so that its register may be overwritten?
  bool Dies(ir::Value v, int part) const;
  // Gives up the registers of arguments that this part is the last to use: a result may take them.
  void FreeDying(const ir::Inst& inst, int part);
  void FreePart(ir::Value v, int part);
  void Clear();

  // ---- Memory
  // Puts a part that has just been computed where later readers look for it; one that stands for
  // others, for each of them.
  void StoreHome(ir::Value v, int part);
  // The block's read of a VGPR; no value: it has none.
  ir::Value ReaderOf(int vgpr) const { return vgpr_values_[static_cast<size_t>(vgpr)]; }
  void Reload(Unit unit, int reg);

  // The register that holds a unit.
  std::optional<int> Find(Unit unit) const { return FileOf(unit).Find(unit); }
  void Pin(Unit unit, int reg) { FileOf(unit).Pin(reg); }

 private:
  RegisterFile& FileOf(Unit unit) {
    return unit.component == Unit::kMask && !block_.MasksAreVectors() ? masks_ : vectors_;
  }
  const RegisterFile& FileOf(Unit unit) const {
    return const_cast<LaneRegisters*>(this)->FileOf(unit);
  }
  int Loaded(Unit unit);
  // Puts a unit where whoever wants it looks for it.
  void Store(Unit unit, int reg);
  // Puts it where Reload finds it.
  void Spill(Unit unit, int reg);
  void StoreMaskHome(ir::Value v, int part);

  RegionAssembler& region_;
  const Cursor& at_;
  const BlockContext& block_;
  ValueMemory& memory_;
  LaneIsa& isa_;
  RegisterFile vectors_;
  RegisterFile masks_;
  std::vector<ir::Value> vgpr_values_;  // the get_vgpr of each VGPR
  std::vector<int16_t> set_of_;         // VGPR that a value is written back to, -1: none
};

}  // namespace gcnjit::backend
