// Float operations and conversions of one lane. MXCSR has their environment.
#include "backend_x64/emit/single_lane.h"

namespace gcnjit::backend {

using ir::Inst;
using ir::Op;
using ir::Value;
namespace Id = x86::Inst;

void SingleLane::EmitFloat(Value v, const Inst& inst) {
  // A compare's arguments are as wide as they are, its result is a bit.
  const bool wide = values_.IsWide(inst.op == Op::kFCmp ? inst.args[0] : v);
  const auto binary = [&](uint32_t single, uint32_t twice) {
    const x86::Xmm result = cc_.newXmm();
    cc_.emit(wide ? twice : single, result, values_.Float(inst.args[0]),
             values_.Float(inst.args[1]));
    values_.Set(v, result);
  };
  switch (inst.op) {
    case Op::kFAdd: return binary(Id::kIdVaddss, Id::kIdVaddsd);
    case Op::kFSub: return binary(Id::kIdVsubss, Id::kIdVsubsd);
    case Op::kFMul: return binary(Id::kIdVmulss, Id::kIdVmulsd);
    case Op::kFDiv: return binary(Id::kIdVdivss, Id::kIdVdivsd);
    case Op::kFSqrt: {
      const x86::Xmm result = cc_.newXmm(), x = values_.Float(inst.args[0]);
      cc_.emit(wide ? Id::kIdVsqrtsd : Id::kIdVsqrtss, result, x, x);
      return values_.Set(v, result);
    }
    case Op::kFFma: {
      // This form looks at NaNs in the order a, b, c, as those of all lanes do.
      const x86::Xmm a = values_.Float(inst.args[0]), b = values_.Float(inst.args[1]),
                     c = values_.Float(inst.args[2]);
      const x86::Xmm result = cc_.newXmm();
      cc_.vmovaps(result, c);
      cc_.emit(wide ? Id::kIdVfmadd231sd : Id::kIdVfmadd231ss, result, a, b);
      return values_.Set(v, result);
    }
    case Op::kFCmp: {
      const x86::Xmm mask = cc_.newXmm();
      const x86::Gp result = values_.New(false);
      cc_.emit(wide ? Id::kIdVcmpsd : Id::kIdVcmpss, mask, values_.Float(inst.args[0]),
               values_.Float(inst.args[1]), asmjit::imm(inst.imm));
      cc_.vmovd(result, mask);
      cc_.and_(result, 1);
      return values_.SetBit(v, {std::nullopt, result});
    }
    case Op::kI32ToF32:
    case Op::kU32ToF32: {
      const x86::Gp x = values_.Whole(inst.args[0]);
      const x86::Xmm zero = cc_.newXmm(), result = cc_.newXmm();
      cc_.vxorps(zero, zero, zero);
      if (inst.op == Op::kI32ToF32) {
        cc_.vcvtsi2ss(result, zero, x.r32());
      } else {
        const x86::Gp whole = values_.New(true);
        cc_.mov(whole.r32(), x.r32());
        cc_.vcvtsi2ss(result, zero, whole);
      }
      return values_.Set(v, result);
    }
    case Op::kF32ToI32:
    case Op::kF32ToU32: return EmitToInteger(v, inst);
    default: return region_.Fail("an operation has no code for one lane");
  }
}

// By way of 64 bits, to which all that is not too large has been cut off.
void SingleLane::EmitToInteger(Value v, const Inst& inst) {
  const bool is_signed = inst.op == Op::kF32ToI32;
  const x86::Xmm x = values_.Float(inst.args[0]), y = cc_.newXmm(), limit = cc_.newXmm();
  const x86::Gp result = values_.New(true), bound = values_.New(true), zero = values_.New(true);
  cc_.vmovss(limit, region_.constants.Broadcast32(is_signed ? 0x4F000000 : 0x4F800000));
  cc_.vminss(y, limit, x);  // a NaN stays
  cc_.vcvttss2si(result, y);
  cc_.mov(bound, is_signed ? 0x7FFFFFFFll : 0xFFFFFFFFll);
  cc_.cmp(result, bound);
  cc_.cmovg(result, bound);
  cc_.mov(bound, is_signed ? -0x80000000ll : 0ll);
  cc_.cmp(result, bound);
  cc_.cmovl(result, bound);
  cc_.mov(zero, 0);
  cc_.vucomiss(x, x);
  cc_.cmovp(result, zero);
  values_.Set(v, result.r32());
}

}  // namespace gcnjit::backend
