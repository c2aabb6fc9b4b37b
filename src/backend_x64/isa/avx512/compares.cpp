// Compares, and logic of lane masks.
#include "backend_x64/isa/avx512/integer.h"

namespace gcnjit::backend::avx512 {

using ir::Inst;
using ir::Op;
using ir::Type;
using ir::Value;
namespace Id = x86::Inst;

namespace {
struct Comparison {
  uint32_t narrow = 0;  // the instruction for 32-bit lanes
  uint32_t wide = 0;
  int predicate = 0;  // predicate ^ 4 is its opposite
};
Comparison ComparisonOf(const Inst& inst) {
  switch (inst.op) {
    case Op::kEq: return {Id::kIdVpcmpud, Id::kIdVpcmpuq, 0};
    case Op::kNe: return {Id::kIdVpcmpud, Id::kIdVpcmpuq, 4};
    case Op::kLtU: return {Id::kIdVpcmpud, Id::kIdVpcmpuq, 1};
    case Op::kLeU: return {Id::kIdVpcmpud, Id::kIdVpcmpuq, 2};
    case Op::kLtS: return {Id::kIdVpcmpd, Id::kIdVpcmpq, 1};
    case Op::kLeS: return {Id::kIdVpcmpd, Id::kIdVpcmpq, 2};
    case Op::kFCmp: return {Id::kIdVcmpps, Id::kIdVcmppd, static_cast<int>(inst.imm & 31)};
    default: return {};
  }
}
}  // namespace

bool IntegerCode::EmitCompare(Value v, const Inst& inst, int part) {
  const Comparison comparison = ComparisonOf(inst);
  if (comparison.wide == 0) return false;
  if (inst.op == Op::kFCmp) SetEnv(inst.env());
  if (!ir::Is64(InstOf(inst.args[0]).type) && !ir::Is64(InstOf(inst.args[1]).type)) {
    EmitNarrowCompare(v, inst, inst, /*mask=*/-1, part);
    return true;
  }
  for (int c = 0; c < 2; ++c) {
    const int x = Use(inst.args[0], part, c);
    const int y = Use(inst.args[1], part, c);
    a.emit(comparison.wide, K(c == 0 ? kM0 : kM1), Z(x), Z(y), asmjit::imm(comparison.predicate));
  }
  a.kunpckbw(K(DefMask(v, part)), K(kM1), K(kM0));
  return true;
}

// `inst` is the compare itself, or the `and` or `andnot` of the mask and the compare.
void IntegerCode::EmitNarrowCompare(Value v, const Inst& inst, const Inst& compare, int mask,
                                    int part) {
  const Comparison comparison = ComparisonOf(compare);
  const int x = Use(compare.args[0], part);
  const asmjit::Operand y = Source(compare.args[1], part);
  FreeDying(inst, part);
  FreeDying(compare, part);
  const int to = DefMask(v, part);
  const int opposite = inst.op == Op::kAndNot ? 4 : 0;
  Under(a, mask).emit(comparison.narrow, K(to), Z(x), y,
                      asmjit::imm(comparison.predicate ^ opposite));
}

bool IntegerCode::EmitMaskLogic(Value v, const Inst& inst, int part) {
  if (inst.type != Type::kU64) return false;
  if (const Value fused = FusedCompare(inst)) {
    const Inst& compare = InstOf(fused);
    if (compare.op == Op::kFCmp) SetEnv(compare.env());
    const int mask = UseMask(inst.args[inst.args[0] == fused ? 1 : 0], part);
    EmitNarrowCompare(v, inst, compare, mask, part);
    return true;
  }
  uint32_t id = 0;
  switch (inst.op) {
    case Op::kAnd: id = Id::kIdKandw; break;
    case Op::kOr: id = Id::kIdKorw; break;
    case Op::kXor: id = Id::kIdKxorw; break;
    case Op::kAndNot: {
      const int x = UseMask(inst.args[0], part);
      const int y = UseMask(inst.args[1], part);
      FreeDying(inst, part);
      a.kandnw(K(DefMask(v, part)), K(y), K(x));
      return true;
    }
    case Op::kNot: {
      const int x = UseMask(inst.args[0], part);
      FreeDying(inst, part);
      a.knotw(K(DefMask(v, part)), K(x));
      return true;
    }
    default: return false;
  }
  const int x = UseMask(inst.args[0], part);
  const int y = UseMask(inst.args[1], part);
  FreeDying(inst, part);
  a.emit(id, K(DefMask(v, part)), K(x), K(y));
  return true;
}

}  // namespace gcnjit::backend::avx512
