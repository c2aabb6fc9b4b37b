// The general-purpose registers of a block's scalars while its code is emitted, and those that
// other code borrows from them.
#pragma once

#include <asmjit/x86.h>

#include <cstdint>
#include <optional>

#include "backend_x64/emit/cursor.h"
#include "backend_x64/emit/gpr.h"
#include "backend_x64/emit/region_assembler.h"
#include "backend_x64/emit/register_file.h"
#include "backend_x64/emit/value_memory.h"

namespace gcnjit::backend {

class ScalarRegisters {
 public:
  ScalarRegisters(RegionAssembler& region, const Cursor& at, ValueMemory& memory);

  // ---- Operands and results; pinned until UnpinAll. May change rax and the flags.
  int Use(ir::Value v);
  int Def(ir::Value v);
  // In that register if it is free.
  int DefAt(ir::Value v, int wanted);
  // In no register if none is free.
  std::optional<int> DefIfFree(ir::Value v) { return file_.TakeFree(Unit::Scalar(v)); }
  void UnpinAll() { file_.UnpinAll(); }

  // ---- Ends of values
  void FreeDying(const ir::Inst& inst);
  void Free(ir::Value v) { file_.Free(Unit::Scalar(v)); }
  // Lane operations read scalars from memory: frees the registers of those that no later stage
  // wants.
  void FreeForLanes();
  // Stores to memory what lanes or later stages read there.
  void Keep(ir::Value v);
  // Stores it whether or not that is so.
  void Store(ir::Value v, int reg);

  std::optional<int> Find(ir::Value v) const { return file_.Find(Unit::Scalar(v)); }
  // Registers that hold a value, a bit each; and which one.
  uint32_t Held() const { return file_.Held(); }
  ir::Value ValueIn(int reg) const { return file_.UnitOf(reg).value; }

  // ---- Registers for the operation being emitted, out-of-line code included, or for all lane
  // operations of a stage. None: there is none to spare.
  std::optional<int> Borrow() { return file_.Reserve(); }
  // That one; false: it is not free.
  bool Borrow(int reg) { return file_.Reserve(reg); }
  void GiveBack(int reg) { file_.Free(reg); }

 private:
  int Take(ir::Value v);
  void Load(int reg, ir::Value v);
  void LoadPieces(int reg, x86::Mem mask, int bytes);

  RegionAssembler& region_;
  const Cursor& at_;
  const BlockContext& block_;
  ValueMemory& memory_;
  RegisterFile file_;
};

}  // namespace gcnjit::backend
