#include "backend_x64/emit/single_lane.h"

#include <algorithm>

#include "backend_x64/emit/gpr.h"
#include "backend_x64/plan/stragglers.h"

namespace gcnjit::backend {

using ir::Inst;
using ir::Op;
using ir::Type;
using ir::Value;
namespace Id = x86::Inst;

namespace {

// Does the operation want that argument as a float?
bool TakesFloats(Op op) {
  switch (op) {
    case Op::kFAdd:
    case Op::kFSub:
    case Op::kFMul:
    case Op::kFFma:
    case Op::kFDiv:
    case Op::kFSqrt:
    case Op::kFCmp:
    case Op::kF32ToI32:
    case Op::kF32ToU32: return true;
    default: return false;
  }
}

}  // namespace

SingleLane::SingleLane(x86::Compiler& cc, RegionAssembler& region, const BlockContext& block,
                       const Places& places)
    : cc_(cc),
      region_(region),
      block_(block),
      places_(places),
      values_(block.function.insts.size()),
      is_float_(block.function.insts.size()) {
  for (const Value v : block.source.insts) {
    const Inst& inst = block.function[v];
    if (!TakesFloats(inst.op)) continue;
    for (int n = 0; n < inst.argument_count; ++n) is_float_[inst.args[n].id] = 1;
  }
}

bool SingleLane::IsBit(Value v) const {
  return block_.function[v].type == Type::kU1 || IsLaneMask(block_, v);
}

void SingleLane::SetBit(Value v, const Bit& bit) {
  values_[v.id].bit = bit.known;
  if (!bit.known) values_[v.id].gp = bit.gp;
}

void SingleLane::DefinePointer(Value low, Value high, const x86::Gp& pointer) {
  values_[low.id].of_low = values_[high.id].of_high = pointer;
  values_[low.id].gp = pointer.r32();
}

bool SingleLane::IsIn(Value v, uint32_t register_id) const {
  const Held& held = values_[v.id];
  return (held.gp && held.gp->id() == register_id) || (held.xmm && held.xmm->id() == register_id) ||
         (held.lane_bit && held.lane_bit->id() == register_id) ||
         (held.of_low && held.of_low->id() == register_id);
}

// An integer compare that is done where it is wanted.
bool SingleLane::IsCompare(Value v) const {
  const Inst& inst = block_.function[v];
  return ir::InfoOf(inst.op).Has(ir::Trait::kCompare) && IsBit(v) && !values_[v.id].gp;
}

x86::CondCode SingleLane::FlagsOf(Value mask) {
  if (IsCompare(mask)) return EmitCompare(block_.function[mask]);
  const Inst& inst = block_.function[mask];
  if (inst.op == Op::kNot && IsCompare(inst.args[0]) && !values_[mask.id].gp) {
    return x86::negateCond(EmitCompare(block_.function[inst.args[0]]));
  }
  const x86::Gp bit = BitOf(mask).gp.r32();
  cc_.test(bit, bit);
  return x86::CondCode::kNZ;
}

SingleLane::Bit SingleLane::BitOf(Value mask) {
  const Inst& inst = block_.function[mask];
  Held& held = values_[mask.id];
  if (IsCompare(mask)) {
    const x86::Gp result = New(false);
    cc_.mov(result, 0);
    const x86::CondCode holds = EmitCompare(inst);
    cc_.emit(x86::Inst::setccFromCond(holds), result.r8());
    held.gp = result;
  }
  if (held.bit) return {held.bit, {}};
  if (held.lane_bit) return {std::nullopt, *held.lane_bit};
  if (inst.op == Op::kConst && inst.type == Type::kU1) return {inst.imm != 0, {}};
  if (IsBit(mask)) return {std::nullopt, *held.gp};
  if (inst.op == Op::kConst && (inst.imm == 0 || inst.imm == -1)) return {inst.imm != 0, {}};
  // A scalar with the bits of all lanes.
  const x86::Gp bit = New(true);
  cc_.shrx(bit, Whole(mask), places_.lane);
  cc_.and_(bit.r32(), 1);
  return {std::nullopt, bit.r32()};
}

x86::Gp SingleLane::Whole(Value v) {
  Held& held = values_[v.id];
  if (held.gp) return *held.gp;
  const Inst& inst = block_.function[v];
  const bool wide = ir::Is64(inst.type) && !IsBit(v);
  if (held.of_high) {
    const x86::Gp high = New(true);
    cc_.mov(high, *held.of_high);
    cc_.shr(high, 32);
    return *(held.gp = high.r32());
  }
  if (IsCompare(v)) return BitOf(v).gp;
  const x86::Gp gp = New(wide);
  if (held.bit) {
    cc_.mov(gp, *held.bit ? 1 : 0);
  } else if (held.xmm) {
    wide ? cc_.vmovq(gp, *held.xmm) : cc_.vmovd(gp, *held.xmm);
    held.gp = gp;
  } else {
    cc_.mov(gp, wide ? inst.imm : int64_t{static_cast<uint32_t>(inst.imm)});
  }
  return gp;
}

x86::Xmm SingleLane::Float(Value v) {
  Held& held = values_[v.id];
  if (held.xmm) return *held.xmm;
  const x86::Xmm xmm = cc_.newXmm();
  const Inst& inst = block_.function[v];
  if (inst.op == Op::kConst) {
    IsWide(v) ? cc_.vmovsd(xmm, region_.constants.Broadcast64(static_cast<uint64_t>(inst.imm)))
              : cc_.vmovss(xmm, region_.constants.Broadcast32(static_cast<uint32_t>(inst.imm)));
  } else {
    IsWide(v) ? cc_.vmovq(xmm, Whole(v)) : cc_.vmovd(xmm, Whole(v));
  }
  held.xmm = xmm;
  return xmm;
}

x86::Gp SingleLane::Copy(Value v) {
  const x86::Gp copy = New(IsWide(v) && !IsBit(v));
  cc_.mov(copy, Whole(v));
  return copy;
}

// An immediate, or a register.
asmjit::Operand SingleLane::Right(Value v) {
  const Inst& inst = block_.function[v];
  const bool wide = IsWide(v);
  if (inst.op == Op::kConst && FitsImmediate(static_cast<uint64_t>(inst.imm), wide)) {
    return asmjit::imm(int64_t{static_cast<int32_t>(inst.imm)});
  }
  return Whole(v);
}

void SingleLane::Emit(Value v, uint32_t site) {
  const Inst& inst = block_.function[v];
  if (inst.op == Op::kLoad) return EmitLoad(v, inst, site);
  if (inst.op == Op::kLoadLds) return EmitLoadLds(v, inst);
  if (inst.op == Op::kPart) return Set(v, *values_[inst.args[0].id].dwords[inst.imm]);
  if (inst.op == Op::kSelect) return EmitSelect(v, inst);
  if (inst.op == Op::kBitwise) return EmitTable(v, inst);
  if (ir::InfoOf(inst.op).Has(ir::Trait::kCompare)) return;  // where it is wanted
  if (ir::InfoOf(inst.op).Has(ir::Trait::kBitByBit) && IsBit(v)) return EmitBits(v, inst);
  if (!EmitInteger(v, inst)) EmitFloat(v, inst);
}

void SingleLane::EmitBits(Value v, const Inst& inst) {
  const Bit a = BitOf(inst.args[0]);
  if (inst.op == Op::kNot) {
    if (a.known) return SetBit(v, {!*a.known, {}});
    const x86::Gp result = New(false);
    cc_.mov(result, a.gp.r32());
    cc_.xor_(result, 1);
    return SetBit(v, {std::nullopt, result});
  }
  const Bit b = BitOf(inst.args[1]);
  const auto of = [op = inst.op](bool x, bool y) {
    switch (op) {
      case Op::kAnd: return x && y;
      case Op::kOr: return x || y;
      case Op::kXor: return x != y;
      default: return x && !y;
    }
  };
  const x86::Gp result = New(false);
  if (a.known && b.known) return SetBit(v, {of(*a.known, *b.known), {}});
  if (a.known || b.known) {
    const bool if_clear = a.known ? of(*a.known, false) : of(false, *b.known);
    const bool if_set = a.known ? of(*a.known, true) : of(true, *b.known);
    if (if_clear == if_set) return SetBit(v, {if_set, {}});
    const x86::Gp other = (a.known ? b : a).gp.r32();
    cc_.mov(result, other);
    if (if_clear) cc_.xor_(result, 1);
    return SetBit(v, {std::nullopt, result});
  }
  if (inst.op == Op::kAndNot) {
    cc_.andn(result, b.gp.r32(), a.gp.r32());
  } else {
    cc_.mov(result, a.gp.r32());
    cc_.emit(inst.op == Op::kAnd  ? Id::kIdAnd
             : inst.op == Op::kOr ? Id::kIdOr
                                  : Id::kIdXor,
             result, b.gp.r32());
  }
  SetBit(v, {std::nullopt, result});
}

x86::CondCode SingleLane::EmitCompare(const Inst& inst) {
  const asmjit::Operand right = Right(inst.args[1]);
  cc_.emit(Id::kIdCmp, Whole(inst.args[0]), right);
  switch (inst.op) {
    case Op::kEq: return x86::CondCode::kEqual;
    case Op::kNe: return x86::CondCode::kNotEqual;
    case Op::kLtU: return x86::CondCode::kUnsignedLT;
    case Op::kLeU: return x86::CondCode::kUnsignedLE;
    case Op::kLtS: return x86::CondCode::kSignedLT;
    default: return x86::CondCode::kSignedLE;
  }
}

void SingleLane::EmitSelect(Value v, const Inst& inst) {
  const bool is_bit = IsBit(v);
  const Bit condition = IsCompare(inst.args[0]) ? Bit() : BitOf(inst.args[0]);
  const auto whole = [&](Value of) -> x86::Gp {
    if (!is_bit) return Whole(of);
    const Bit bit = BitOf(of);
    if (!bit.known) return bit.gp.r32();
    const x86::Gp gp = New(false);
    cc_.mov(gp, *bit.known ? 1 : 0);
    return gp;
  };
  if (condition.known) {
    const Value chosen = inst.args[*condition.known ? 1 : 2];
    if (is_bit) return SetBit(v, BitOf(chosen));
    if (IsFloat(v) || values_[chosen.id].xmm) Set(v, Float(chosen));
    if (!values_[v.id].xmm || values_[chosen.id].gp) Set(v, Whole(chosen));
    return;
  }
  const x86::Gp first = whole(inst.args[1]);
  const x86::Gp result = New(ir::Is64(inst.type) && !is_bit);
  cc_.mov(result, whole(inst.args[2]));
  cc_.emit(x86::Inst::cmovccFromCond(FlagsOf(inst.args[0])), result, first);
  is_bit ? SetBit(v, {std::nullopt, result}) : Set(v, result);
}

}  // namespace gcnjit::backend
