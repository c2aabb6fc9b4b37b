// Floating-point operations and conversions. MXCSR has the operation's environment.
#include "backend_x64/isa/avx2/float.h"

namespace gcnjit::backend::avx2 {

using ir::Inst;
using ir::Op;
using ir::Type;
using ir::Value;
namespace Id = x86::Inst;

// a * b + c. A NaN result is that of a, then b, then c: the host looks at the two factors in an
// order that depends on the form: 231 and 132 as they stand, 213 the second register first (Intel
// SDM, volume 1, "FMA instruction numeric behaviour"). Each form overwrites its first operand and
// may have its last one in memory.
void FloatCode::EmitFma(Value v, const Inst& inst, int part) {
  const bool wide = inst.type == Type::kV64;
  const auto dies = [&](Value x) {
    int uses = 0;
    for (int n = 0; n < 3; ++n) uses += inst.args[n] == x;
    return IsLaneValue(x) && uses == 1 && Dies(x, part);
  };
  const Value x = inst.args[0];
  const Value y = inst.args[1];
  const Value z = inst.args[2];
  for (int c = 0; c < (wide ? 2 : 1); ++c) {
    const int factor = Use(x, part, c);
    const bool is_sum_free = dies(z) && !MemoryOperand(z, part, c);
    if (!is_sum_free && dies(y)) {
      const int d = Use(y, part, c);
      const asmjit::Operand addend = Source(z, part, c);
      TakeOver(y, part, v, c);
      a.emit(wide ? Id::kIdVfmadd213pd : Id::kIdVfmadd213ps, Y(d), Y(factor), addend);
      continue;
    }
    if (!is_sum_free && dies(x)) {
      const int addend = Use(z, part, c);
      const asmjit::Operand other = Source(y, part, c);
      TakeOver(x, part, v, c);
      a.emit(wide ? Id::kIdVfmadd132pd : Id::kIdVfmadd132ps, Y(factor), Y(addend), other);
      continue;
    }
    const asmjit::Operand other = Source(y, part, c);
    const asmjit::Operand addend = Source(z, part, c);
    int d = 0;
    if (is_sum_free) {
      d = TakeOver(z, part, v, c);
    } else {
      d = Def(v, part, c);
      a.emit(Id::kIdVmovups, Y(d), addend);
    }
    a.emit(wide ? Id::kIdVfmadd231pd : Id::kIdVfmadd231ps, Y(d), Y(factor), other);
  }
}

bool FloatCode::EmitFloat(Value v, const Inst& inst, int part) {
  switch (inst.op) {
    case Op::kFAdd:
    case Op::kFSub:
    case Op::kFMul:
    case Op::kFDiv:
    case Op::kFFma:
    case Op::kFSqrt:
    case Op::kFRound:
    case Op::kFCmp: SetEnv(inst.env()); break;
    default: return false;
  }
  const bool wide = inst.type == Type::kV64;
  switch (inst.op) {
    case Op::kFAdd: Binary(v, inst, part, Id::kIdVaddps, Id::kIdVaddpd); return true;
    case Op::kFSub: Binary(v, inst, part, Id::kIdVsubps, Id::kIdVsubpd); return true;
    case Op::kFMul: Binary(v, inst, part, Id::kIdVmulps, Id::kIdVmulpd); return true;
    case Op::kFDiv: Binary(v, inst, part, Id::kIdVdivps, Id::kIdVdivpd); return true;
    case Op::kFFma: EmitFma(v, inst, part); return true;
    case Op::kFSqrt:
      for (int c = 0; c < (wide ? 2 : 1); ++c) {
        const int x = Use(inst.args[0], part, c);
        a.emit(wide ? Id::kIdVsqrtpd : Id::kIdVsqrtps, Y(Def(v, part, c)), Y(x));
      }
      return true;
    case Op::kFRound:
      for (int c = 0; c < (wide ? 2 : 1); ++c) {
        const int x = Use(inst.args[0], part, c);
        a.emit(wide ? Id::kIdVroundpd : Id::kIdVroundps, Y(Def(v, part, c)), Y(x),
               asmjit::imm(8 | (inst.imm & 3)));
      }
      return true;
    default: break;
  }
  // Compare.
  const auto predicate = asmjit::imm(inst.imm & 31);
  if (!ir::Is64(InstOf(inst.args[0]).type)) {
    const int x = Use(inst.args[0], part);
    const asmjit::Operand y = Source(inst.args[1], part);
    FreeDying(inst, part);
    a.emit(Id::kIdVcmpps, Y(DefMask(v, part)), Y(x), y, predicate);
    return true;
  }
  for (int c = 0; c < 2; ++c) {
    const int x = Use(inst.args[0], part, c);
    const asmjit::Operand y = Source(inst.args[1], part, c);
    a.emit(Id::kIdVcmppd, Y(c == 0 ? kT0 : kT1), Y(x), y, predicate);
  }
  JoinMasks(kT0, kT1);
  FreeDying(inst, part);
  a.vmovaps(Y(DefMask(v, part)), Y(kT0));
  return true;
}

bool FloatCode::EmitFromInteger(Value v, const Inst& inst, int part) {
  switch (inst.op) {
    case Op::kI32ToF32: {
      SetEnv(inst.env());
      const int x = Use(inst.args[0], part);
      FreeDying(inst, part);
      a.vcvtdq2ps(Y(Def(v, part)), Y(x));
      return true;
    }
    case Op::kU32ToF32: {
      // Both halves are exact, so that their sum is rounded once. (0 + 0 is +0 however it is
      // rounded.)
      SetEnv(inst.env());
      const int x = Use(inst.args[0], part);
      a.vpsrld(Y(kT0), Y(x), 16);
      a.vpand(Y(kT1), Y(x), All32(0xFFFF));
      FreeDying(inst, part);
      const int d = Def(v, part);
      a.vcvtdq2ps(Y(d), Y(kT0));
      a.vcvtdq2ps(Y(kT1), Y(kT1));
      a.vfmadd132ps(Y(d), Y(kT1), All32(0x47800000));  // 65536
      return true;
    }
    case Op::kI32ToF64: {
      a.vpermq(Y(kT0), Y(Use(inst.args[0], part)), kSwapMiddle);
      a.vcvtdq2pd(Y(Def(v, part, 0)), X(kT0));
      a.vextracti128(X(kT0), Y(kT0), 1);
      a.vcvtdq2pd(Y(Def(v, part, 1)), X(kT0));
      return true;
    }
    case Op::kU32ToF64: {
      // 2^52 + x has x as its last bits.
      constexpr uint64_t kTwo52 = 0x4330000000000000;
      const int x = Use(inst.args[0], part);
      a.vmovdqa(Y(kT0), All32(kTwo52 >> 32));
      for (int c = 0; c < 2; ++c) {
        const int d = Def(v, part, c);
        Unpack(c, d, x, kT0);
        a.vsubpd(Y(d), Y(d), All64(kTwo52));
        a.vandpd(Y(d), Y(d), All64(~(uint64_t{1} << 63)));  // rounded downward, 0 would be -0
      }
      return true;
    }
    default: return false;
  }
}

bool FloatCode::EmitToInteger(Value v, const Inst& inst, int part) {
  // The host gives 0x80000000 for all that it cannot convert.
  switch (inst.op) {
    case Op::kF32ToI32: {
      const int x = Use(inst.args[0], part);
      a.vmovaps(Y(kT0), All32(0x4F000000));
      a.vcmpps(Y(kT0), Y(kT0), Y(x), 2);  // 2^31 <= x
      a.vcmpps(Y(kT1), Y(x), Y(x), 7);    // no NaN
      a.vcvttps2dq(Y(kT2), Y(x));
      a.vpxor(Y(kT2), Y(kT2), Y(kT0));
      FreeDying(inst, part);
      a.vpand(Y(Def(v, part)), Y(kT2), Y(kT1));
      return true;
    }
    case Op::kF32ToU32: {
      const int x = Use(inst.args[0], part);
      a.vpxor(Y(kT0), Y(kT0), Y(kT0));
      a.vmaxps(Y(kT0), Y(x), Y(kT0));  // negative numbers and NaN become 0
      FreeDying(inst, part);
      const int d = Def(v, part);
      // From 2^31 on: x - 2^31, which is exact, and bit 31 set.
      a.vcvttps2dq(Y(kT1), Y(kT0));
      a.vsubps(Y(kT2), Y(kT0), All32(0x4F000000));
      a.vcvttps2dq(Y(kT2), Y(kT2));
      a.vpsrad(Y(d), Y(kT1), 31);
      a.vpand(Y(kT2), Y(kT2), Y(d));
      a.vpor(Y(kT1), Y(kT1), Y(kT2));
      a.vmovaps(Y(d), All32(0x4F800000));
      a.vcmpps(Y(d), Y(d), Y(kT0), 2);  // 2^32 <= x
      a.vpor(Y(d), Y(d), Y(kT1));
      return true;
    }
    case Op::kF64ToI32:
    case Op::kF64ToU32: {
      for (int c = 0; c < 2; ++c) {
        const int x = Use(inst.args[0], part, c);
        const int t = c == 0 ? kT0 : kT1;
        if (inst.op == Op::kF64ToI32) {
          a.vcmppd(Y(t), Y(x), Y(x), 7);
          a.vandpd(Y(t), Y(t), Y(x));                       // NaN becomes 0
          a.vminpd(Y(t), Y(t), All64(0x41DFFFFFFFC00000));  // 2^31 - 1
        } else {
          a.vpxor(Y(t), Y(t), Y(t));
          a.vmaxpd(Y(t), Y(x), Y(t));                       // negative numbers and NaN become 0
          a.vminpd(Y(t), Y(t), All64(0x41EFFFFFFFE00000));  // 2^32 - 1
          a.vroundpd(Y(t), Y(t), 8 | 3);
          a.vsubpd(Y(t), Y(t), All64(0x41E0000000000000));  // 2^31: exact
        }
        a.vcvttpd2dq(X(t), Y(t));
      }
      FreeDying(inst, part);
      const int d = Def(v, part);
      a.vinserti128(Y(kT0), Y(kT0), X(kT1), 1);
      a.vpermq(Y(d), Y(kT0), kSwapMiddle);
      if (inst.op == Op::kF64ToU32) a.vpxor(Y(d), Y(d), All32(1u << 31));
      return true;
    }
    default: return false;
  }
}

// Between float formats.
bool FloatCode::EmitResize(Value v, const Inst& inst, int part) {
  switch (inst.op) {
    case Op::kF32ToF64:
    case Op::kF64ToF32:
    case Op::kF16ToF32:
    case Op::kF32ToF16: SetEnv(inst.env()); break;
    default: return false;
  }
  const int x = Use(inst.args[0], part);
  switch (inst.op) {
    case Op::kF32ToF64:
      a.vpermq(Y(kT0), Y(x), kSwapMiddle);
      a.vcvtps2pd(Y(Def(v, part, 0)), X(kT0));
      a.vextracti128(X(kT0), Y(kT0), 1);
      a.vcvtps2pd(Y(Def(v, part, 1)), X(kT0));
      return true;
    case Op::kF64ToF32: {
      const int y = Use(inst.args[0], part, 1);
      a.vcvtpd2ps(X(kT0), Y(x));
      a.vcvtpd2ps(X(kT1), Y(y));
      a.vinserti128(Y(kT0), Y(kT0), X(kT1), 1);
      FreeDying(inst, part);
      a.vpermq(Y(Def(v, part)), Y(kT0), kSwapMiddle);
      return true;
    }
    case Op::kF16ToF32: {
      // The low words of each half's dwords together, then those of both halves.
      ConstantPool::Vector words;
      for (uint32_t n = 0; n < words.size(); ++n) words[n] = n % 2 == 0 ? 0x05040100 : 0x0D0C0908;
      a.vpshufb(Y(kT0), Y(x), b_.region.constants.Whole(words));
      a.vpermq(Y(kT0), Y(kT0), kSwapMiddle);
      FreeDying(inst, part);
      a.vcvtph2ps(Y(Def(v, part)), X(kT0));
      return true;
    }
    default: {
      constexpr int kRounding[4] = {0, 2, 1, 3};  // MODE counts +inf before -inf
      a.vcvtps2ph(X(kT0), Y(x), kRounding[inst.imm & 3]);
      FreeDying(inst, part);
      a.vpmovzxwd(Y(Def(v, part)), X(kT0));
      return true;
    }
  }
}

}  // namespace gcnjit::backend::avx2
