#include "backend_x64/emit/single_lane.h"

namespace gcnjit::backend {

using ir::Inst;
using ir::Op;
using ir::Type;
using ir::Value;
namespace Id = x86::Inst;

void SingleLane::Emit(Value v) {
  const Inst& inst = block_.function[v];
  if (inst.op == Op::kPart) return;  // its load has set it
  if (inst.op == Op::kSelect) return EmitSelect(v, inst);
  if (inst.op == Op::kBitwise) return EmitTable(v, inst);
  if (ir::InfoOf(inst.op).Has(ir::Trait::kCompare)) return;  // where it is wanted
  if (ir::InfoOf(inst.op).Has(ir::Trait::kBitByBit) && values_.IsBit(v)) return EmitBits(v, inst);
  if (!EmitInteger(v, inst)) EmitFloat(v, inst);
}

void SingleLane::EmitBits(Value v, const Inst& inst) {
  const LaneValues::Bit a = values_.BitOf(inst.args[0]);
  if (inst.op == Op::kNot) {
    if (a.known) return values_.SetBit(v, {!*a.known, {}});
    const x86::Gp result = values_.New(false);
    cc_.mov(result, a.gp.r32());
    cc_.xor_(result, 1);
    return values_.SetBit(v, {std::nullopt, result});
  }
  const LaneValues::Bit b = values_.BitOf(inst.args[1]);
  const auto of = [op = inst.op](bool x, bool y) {
    switch (op) {
      case Op::kAnd: return x && y;
      case Op::kOr: return x || y;
      case Op::kXor: return x != y;
      default: return x && !y;
    }
  };
  const x86::Gp result = values_.New(false);
  if (a.known && b.known) return values_.SetBit(v, {of(*a.known, *b.known), {}});
  if (a.known || b.known) {
    const bool if_clear = a.known ? of(*a.known, false) : of(false, *b.known);
    const bool if_set = a.known ? of(*a.known, true) : of(true, *b.known);
    if (if_clear == if_set) return values_.SetBit(v, {if_set, {}});
    const x86::Gp other = (a.known ? b : a).gp.r32();
    cc_.mov(result, other);
    if (if_clear) cc_.xor_(result, 1);
    return values_.SetBit(v, {std::nullopt, result});
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
  values_.SetBit(v, {std::nullopt, result});
}

void SingleLane::EmitSelect(Value v, const Inst& inst) {
  const bool is_bit = values_.IsBit(v);
  const LaneValues::Bit condition =
      values_.IsCompare(inst.args[0]) ? LaneValues::Bit() : values_.BitOf(inst.args[0]);
  const auto whole = [&](Value of) -> x86::Gp {
    if (!is_bit) return values_.Whole(of);
    const LaneValues::Bit bit = values_.BitOf(of);
    if (!bit.known) return bit.gp.r32();
    const x86::Gp gp = values_.New(false);
    cc_.mov(gp, *bit.known ? 1 : 0);
    return gp;
  };
  if (condition.known) {
    const Value chosen = inst.args[*condition.known ? 1 : 2];
    if (is_bit) return values_.SetBit(v, values_.BitOf(chosen));
    if (values_.IsFloat(v) || values_.HasFloat(chosen)) values_.Set(v, values_.Float(chosen));
    if (!values_.HasFloat(v) || values_.HasWhole(chosen)) values_.Set(v, values_.Whole(chosen));
    return;
  }
  const x86::Gp first = whole(inst.args[1]);
  const x86::Gp result = values_.New(ir::Is64(inst.type) && !is_bit);
  cc_.mov(result, whole(inst.args[2]));
  cc_.emit(x86::Inst::cmovccFromCond(values_.FlagsOf(inst.args[0])), result, first);
  is_bit ? values_.SetBit(v, {std::nullopt, result}) : values_.Set(v, result);
}

}  // namespace gcnjit::backend
