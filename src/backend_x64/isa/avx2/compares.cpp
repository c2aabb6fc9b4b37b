// Compares, and logic of lane masks.
#include "backend_x64/isa/avx2/integer.h"

namespace gcnjit::backend::avx2 {

using ir::Inst;
using ir::Op;
using ir::Type;
using ir::Value;
namespace Id = x86::Inst;

// Of 32 bits: as minimum or maximum, which there is for unsigned numbers, and equality. False: it
// would take one more to negate the result.
bool IntegerCode::EmitUnsignedCompare(Value v, const Inst& inst, int part) {
  Value x = inst.args[0];
  Value y = inst.args[1];
  uint64_t constant = 0;
  const bool is_less = inst.op == Op::kLtU;
  // x <= y is min(x, y) == x, which takes x twice, or max(x, y) == y.
  const bool takes_first = IsConst(y, &constant);
  if (is_less && !takes_first && !IsConst(x, &constant)) return false;
  const auto edge = static_cast<uint32_t>(constant);
  // Beyond the numbers: nothing is less.
  if (is_less && edge == (takes_first ? 0 : ~0u)) return false;
  if (!takes_first) std::swap(x, y);
  const int twice = Use(x, part);
  const asmjit::Operand other =
      is_less ? asmjit::Operand(All32(takes_first ? edge - 1 : edge + 1)) : Source(y, part);
  a.emit(takes_first ? Id::kIdVpminud : Id::kIdVpmaxud, Y(kT0), Y(twice), other);
  FreeDying(inst, part);
  a.vpcmpeqd(Y(DefMask(v, part)), Y(kT0), Y(twice));
  return true;
}

// There are equal and signed greater; the others are made of these.
bool IntegerCode::EmitCompare(Value v, const Inst& inst, int part) {
  bool equal = false;
  bool negate = false;   // of the instruction's result
  bool reverse = false;  // second operand greater than first
  bool is_unsigned = false;
  switch (inst.op) {
    case Op::kEq: equal = true; break;
    case Op::kNe: equal = negate = true; break;
    case Op::kLtU: reverse = is_unsigned = true; break;
    case Op::kLeU: negate = is_unsigned = true; break;
    case Op::kLtS: reverse = true; break;
    case Op::kLeS: negate = true; break;
    default: return false;
  }
  const bool wide = ir::Is64(InstOf(inst.args[0]).type);
  if (is_unsigned && !wide && EmitUnsignedCompare(v, inst, part)) return true;
  const uint32_t id = equal ? (wide ? Id::kIdVpcmpeqq : Id::kIdVpcmpeqd)
                            : (wide ? Id::kIdVpcmpgtq : Id::kIdVpcmpgtd);
  const Value first = inst.args[reverse ? 1 : 0];
  const Value second = inst.args[reverse ? 0 : 1];
  for (int c = 0; c < (wide ? 2 : 1); ++c) {
    const int t = c == 0 ? kT0 : kT1;
    const int x = Use(first, part, c);
    if (is_unsigned) {
      const int y = Use(second, part, c);
      const x86::Mem sign = wide ? All64(uint64_t{1} << 63) : All32(1u << 31);
      a.vpxor(Y(t), Y(x), sign);
      a.vpxor(Y(kT2), Y(y), sign);
      a.emit(id, Y(t), Y(t), Y(kT2));
    } else {
      const asmjit::Operand y = Source(second, part, c);
      if (!wide && !negate) {
        FreeDying(inst, part);
        a.emit(id, Y(DefMask(v, part)), Y(x), y);
        return true;
      }
      a.emit(id, Y(t), Y(x), y);
    }
  }
  if (wide) JoinMasks(kT0, kT1);
  FreeDying(inst, part);
  const int d = DefMask(v, part);
  if (negate) {
    a.vpxor(Y(d), Y(kT0), All32(~0u));
  } else {
    a.vmovaps(Y(d), Y(kT0));
  }
  return true;
}

bool IntegerCode::EmitMaskLogic(Value v, const Inst& inst, int part) {
  if (inst.type != Type::kU64) return false;
  uint32_t id = 0;
  switch (inst.op) {
    case Op::kAnd: id = Id::kIdVpand; break;
    case Op::kOr: id = Id::kIdVpor; break;
    case Op::kXor: id = Id::kIdVpxor; break;
    case Op::kAndNot: id = Id::kIdVpandn; break;
    case Op::kNot: {
      const int x = UseMask(inst.args[0], part);
      FreeDying(inst, part);
      a.vpxor(Y(DefMask(v, part)), Y(x), All32(~0u));
      return true;
    }
    default: return false;
  }
  const bool swap = inst.op == Op::kAndNot;  // the host inverts the first operand
  const int x = UseMask(inst.args[swap ? 1 : 0], part);
  const int y = UseMask(inst.args[swap ? 0 : 1], part);
  FreeDying(inst, part);
  a.emit(id, Y(DefMask(v, part)), Y(x), Y(y));
  return true;
}

}  // namespace gcnjit::backend::avx2
