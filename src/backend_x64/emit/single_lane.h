// The operations of a block for one lane, as scalar code: values are virtual registers of asmjit's
// compiler.
#pragma once

#include <asmjit/x86.h>

#include <array>
#include <optional>
#include <vector>

#include "backend_x64/emit/region_assembler.h"
#include "backend_x64/plan/block_context.h"

namespace gcnjit::backend {

class SingleLane {
 public:
  // What the code finds in registers.
  struct Places {
    x86::Gp context;  // RegionContext
    x86::Gp windows;  // RegionTables::windows
    x86::Gp lane;     // its number in the wave
    asmjit::Label
        miss;  // to go to with an access that is not in its window; no value is wanted there
  };
  // Code that may be interrupted (fault_table.h).
  struct Load {
    asmjit::Label begin, end;
    uint32_t site = 0;
  };

  SingleLane(x86::Compiler& cc, RegionAssembler& region, const BlockContext& block,
             const Places& places);

  // ---- A read of a register has its value, or is known to be a mask's bit that is set.
  void Define(ir::Value v, const x86::Gp& gp) { values_[v.id].gp = gp; }
  void Define(ir::Value v, const x86::Xmm& xmm) { values_[v.id].xmm = xmm; }
  void DefineAsSet(ir::Value mask) { values_[mask.id].bit = true; }
  // The reads of an address's halves have it in one register.
  void DefinePointer(ir::Value low, ir::Value high, const x86::Gp& pointer);
  void DefineBit(ir::Value mask, const x86::Gp& gp) { values_[mask.id].lane_bit = gp; }
  // Is it a bit that is known when code is compiled? Is it in that register?
  bool IsKnown(ir::Value mask) const { return values_[mask.id].bit.has_value(); }
  bool IsIn(ir::Value v, uint32_t register_id) const;
  // Is a value wanted as a float above all?
  bool IsFloat(ir::Value v) const { return is_float_[v.id] != 0; }
  // Is it in a register for floats already?
  bool HasFloat(ir::Value v) const { return values_[v.id].xmm.has_value(); }

  // ---- Operations, in order. `site`: of a load.
  void Emit(ir::Value v, uint32_t site);

  // ---- Values: a u1 is 0 or 1. Of a lane mask the lane's bit.
  x86::Gp Whole(ir::Value v);
  x86::Xmm Float(ir::Value v);
  // Known when code is compiled, or in a register.
  struct Bit {
    std::optional<bool> known;
    x86::Gp gp;
  };
  Bit BitOf(ir::Value mask);
  // The flags of a bit that is not known, and which of them say that it is set.
  x86::CondCode FlagsOf(ir::Value mask);

  const std::vector<Load>& loads() const { return loads_; }

 private:
  struct Held {
    std::optional<x86::Gp> gp;
    std::optional<x86::Xmm> xmm;
    std::optional<bool> bit;          // of a mask, known
    std::optional<x86::Gp> lane_bit;  // of one that a register of the wave has
    std::optional<x86::Gp> of_low;    // whose low half it is
    std::optional<x86::Gp> of_high;
    std::array<std::optional<x86::Gp>, 4> dwords;  // of a load of several
  };

  bool IsWide(ir::Value v) const { return ir::Is64(block_.function[v].type); }
  bool IsBit(ir::Value v) const;
  x86::Gp New(bool wide) { return wide ? cc_.newUInt64() : cc_.newUInt32(); }
  x86::Gp Copy(ir::Value v);
  void Set(ir::Value v, const x86::Gp& gp) { values_[v.id].gp = gp; }
  void Set(ir::Value v, const x86::Xmm& xmm) { values_[v.id].xmm = xmm; }
  void SetBit(ir::Value v, const Bit& bit);
  asmjit::Operand Right(ir::Value v);

  void EmitBits(ir::Value v, const ir::Inst& inst);
  void EmitTable(ir::Value v, const ir::Inst& inst);
  x86::Gp OfTwo(int table, ir::Value b, ir::Value c);
  void EmitBinary(ir::Value v, const ir::Inst& inst, uint32_t id);
  void EmitShift(ir::Value v, const ir::Inst& inst);
  void EmitProduct(ir::Value v, const ir::Inst& inst);
  void EmitMinMax(ir::Value v, const ir::Inst& inst, x86::CondCode keeps_second);
  x86::CondCode EmitCompare(const ir::Inst& inst);
  bool IsCompare(ir::Value v) const;
  void EmitSelect(ir::Value v, const ir::Inst& inst);
  bool EmitInteger(ir::Value v, const ir::Inst& inst);
  void EmitFloat(ir::Value v, const ir::Inst& inst);
  void EmitToInteger(ir::Value v, const ir::Inst& inst);
  void EmitLoad(ir::Value v, const ir::Inst& inst, uint32_t site);
  void EmitLoadLds(ir::Value v, const ir::Inst& inst);
  x86::Gp AddressOf(const ir::Inst& inst);
  void EmitMove(ir::Value v, const ir::MemoryAccess& access, const x86::Gp& address);

  x86::Compiler& cc_;
  RegionAssembler& region_;
  const BlockContext& block_;
  const Places places_;
  std::vector<Held> values_;       // by value id
  std::vector<uint8_t> is_float_;  // likewise
  std::vector<Load> loads_;
};

}  // namespace gcnjit::backend
