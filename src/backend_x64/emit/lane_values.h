// Values of one lane, in virtual registers of asmjit's compiler. A u1 is 0 or 1; of a lane mask
// there is the lane's bit.
#pragma once

#include <asmjit/x86.h>

#include <optional>
#include <vector>

#include "backend_x64/emit/region_assembler.h"
#include "backend_x64/plan/block_context.h"

namespace gcnjit::backend {

class LaneValues {
 public:
  // Known when code is compiled, or in a register.
  struct Bit {
    std::optional<bool> known = {};
    x86::Gp gp = {};
  };

  // `lane`: has its number in the wave.
  LaneValues(x86::Compiler& cc, ConstantPool& constants, const BlockContext& block,
             const x86::Gp& lane);

  // ---- What has been computed, or read from a register of the wave.
  void Set(ir::Value v, const x86::Gp& gp) { values_[v.id].gp = gp; }
  void Set(ir::Value v, const x86::Xmm& xmm) { values_[v.id].xmm = xmm; }
  void SetBit(ir::Value v, const Bit& bit);
  // The lane's bit of a mask that is an SGPR pair.
  void SetBitOfPair(ir::Value read, const x86::Gp& gp) { values_[read.id].bit_of_pair = gp; }
  // The reads of an address's halves have it in one register.
  void SetPointer(ir::Value low, ir::Value high, const x86::Gp& pointer);

  // ---- In registers, to which values are moved at need: before code goes two ways.
  x86::Gp Whole(ir::Value v);
  x86::Xmm Float(ir::Value v);
  Bit BitOf(ir::Value mask);
  // The flags of a bit that is not known, and which of them say that it is set.
  x86::CondCode FlagsOf(ir::Value mask);
  // An immediate, or a register.
  asmjit::Operand Right(ir::Value v);
  x86::Gp Copy(ir::Value v);
  x86::Gp New(bool wide) { return wide ? cc_.newUInt64() : cc_.newUInt32(); }
  // The address whose halves the values are.
  std::optional<x86::Gp> PointerOf(ir::Value low, ir::Value high) const;

  // ---- What is known of them
  bool IsWide(ir::Value v) const { return ir::Is64(block_.function[v].type); }
  bool IsBit(ir::Value v) const;
  // An integer compare, which is done where it is wanted.
  bool IsCompare(ir::Value v) const;
  bool IsKnown(ir::Value mask) const { return values_[mask.id].bit.has_value(); }
  bool IsIn(ir::Value v, uint32_t register_id) const;
  // Is it wanted as a float above all? Is it in a register for floats already?
  bool IsFloat(ir::Value v) const { return is_float_[v.id] != 0; }
  bool HasFloat(ir::Value v) const { return values_[v.id].xmm.has_value(); }
  bool HasWhole(ir::Value v) const { return values_[v.id].gp.has_value(); }

 private:
  struct Held {
    std::optional<x86::Gp> gp;
    std::optional<x86::Xmm> xmm;
    std::optional<bool> bit;
    std::optional<x86::Gp> bit_of_pair;
    std::optional<x86::Gp> of_low;  // whose low half it is
    std::optional<x86::Gp> of_high;
  };

  x86::CondCode EmitCompare(const ir::Inst& inst);

  x86::Compiler& cc_;
  ConstantPool& constants_;
  const BlockContext& block_;
  const x86::Gp lane_;
  std::vector<Held> values_;       // by value id
  std::vector<uint8_t> is_float_;  // likewise
};

}  // namespace gcnjit::backend
