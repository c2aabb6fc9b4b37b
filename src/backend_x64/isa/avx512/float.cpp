// Floating-point operations and conversions. MXCSR has the operation's environment.
#include "backend_x64/isa/avx512/float.h"

namespace gcnjit::backend::avx512 {

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
      a.emit(wide ? Id::kIdVfmadd213pd : Id::kIdVfmadd213ps, Z(d), Z(factor), addend);
      continue;
    }
    if (!is_sum_free && dies(x)) {
      const int addend = Use(z, part, c);
      const asmjit::Operand other = Source(y, part, c);
      TakeOver(x, part, v, c);
      a.emit(wide ? Id::kIdVfmadd132pd : Id::kIdVfmadd132ps, Z(factor), Z(addend), other);
      continue;
    }
    const asmjit::Operand other = Source(y, part, c);
    const asmjit::Operand addend = Source(z, part, c);
    int d = 0;
    if (is_sum_free) {
      d = TakeOver(z, part, v, c);
    } else {
      d = Def(v, part, c);
      if (!addend.isMem() || !addend.as<x86::Mem>().hasBroadcast()) {
        a.emit(Id::kIdVmovups, Z(d), addend);
      } else if (wide) {
        b_.isa.Broadcast64(d, ScalarMemory(z));
      } else {
        b_.isa.Broadcast32(d, ScalarMemory(z));
      }
    }
    a.emit(wide ? Id::kIdVfmadd231pd : Id::kIdVfmadd231ps, Z(d), Z(factor), other);
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
    case Op::kFRound: SetEnv(inst.env()); break;
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
        a.emit(wide ? Id::kIdVsqrtpd : Id::kIdVsqrtps, Z(Def(v, part, c)), Z(x));
      }
      return true;
    case Op::kFRound:
      for (int c = 0; c < (wide ? 2 : 1); ++c) {
        const int x = Use(inst.args[0], part, c);
        a.emit(wide ? Id::kIdVrndscalepd : Id::kIdVrndscaleps, Z(Def(v, part, c)), Z(x),
               asmjit::imm(8 | (inst.imm & 3)));
      }
      return true;
    default: break;
  }
  return false;
}

bool FloatCode::EmitConversion(Value v, const Inst& inst, int part) {
  switch (inst.op) {
    case Op::kI32ToF32:
    case Op::kU32ToF32:
    case Op::kF32ToI32:
    case Op::kF32ToU32:
    case Op::kI32ToF64:
    case Op::kU32ToF64:
    case Op::kF64ToI32:
    case Op::kF64ToU32:
    case Op::kF32ToF64:
    case Op::kF64ToF32:
    case Op::kF16ToF32:
    case Op::kF32ToF16: SetEnv(inst.env()); break;
    default: return false;
  }
  const Value source = inst.args[0];
  const int x = Use(source, part);
  switch (inst.op) {
    case Op::kI32ToF32:
    case Op::kU32ToF32:
      FreeDying(inst, part);
      a.emit(inst.op == Op::kI32ToF32 ? Id::kIdVcvtdq2ps : Id::kIdVcvtudq2ps, Z(Def(v, part)),
             Z(x));
      return true;
    case Op::kF32ToI32: {
      // The host gives 0x80000000 for all that it cannot convert.
      a.vcmpps(K(kM0), Z(x), Constant32(0x4F000000)._1to16(), 13);  // >= 2^31
      a.vcmpps(K(kM1), Z(x), Z(x), 7);                              // no NaN
      FreeDying(inst, part);
      const int d = Def(v, part);
      a.k(K(kM1)).z().vcvttps2dq(Z(d), Z(x));
      a.k(K(kM0)).vpbroadcastd(Z(d), Constant32(0x7FFFFFFF));
      return true;
    }
    case Op::kF32ToU32: {
      a.vpxord(Z(kT0), Z(kT0), Z(kT0));
      a.vmaxps(Z(kT0), Z(x), Z(kT0));  // negative numbers and NaN become 0
      FreeDying(inst, part);
      a.vcvttps2udq(Z(Def(v, part)), Z(kT0));  // gives ~0 for what is too large
      return true;
    }
    case Op::kI32ToF64:
    case Op::kU32ToF64:
    case Op::kF32ToF64: {
      const uint32_t id = inst.op == Op::kI32ToF64   ? Id::kIdVcvtdq2pd
                          : inst.op == Op::kU32ToF64 ? Id::kIdVcvtudq2pd
                                                     : Id::kIdVcvtps2pd;
      a.emit(id, Z(Def(v, part, 0)), Y(x));
      a.vextracti64x4(Y(kT0), Z(x), 1);
      a.emit(id, Z(Def(v, part, 1)), Y(kT0));
      return true;
    }
    case Op::kF64ToF32: {
      const int y = Use(source, part, 1);
      a.vcvtpd2ps(Y(kT0), Z(x));
      a.vcvtpd2ps(Y(kT1), Z(y));
      FreeDying(inst, part);
      a.vinserti64x4(Z(Def(v, part)), Z(kT0), Y(kT1), 1);
      return true;
    }
    case Op::kF64ToI32:
    case Op::kF64ToU32: {
      const bool is_signed = inst.op == Op::kF64ToI32;
      for (int c = 0; c < 2; ++c) {
        const int y = Use(source, part, c);
        const int t = c == 0 ? kT0 : kT1;
        if (is_signed) {
          a.vcmppd(K(kM0), Z(y), Constant64(0x41E0000000000000)._1to8(), 13);  // >= 2^31
          a.vcmppd(K(kM1), Z(y), Z(y), 7);
          a.k(K(kM1)).z().vcvttpd2dq(Y(t), Z(y));
          a.k(K(kM0)).vpbroadcastd(Y(t), Constant32(0x7FFFFFFF));
        } else {
          a.vpxord(Z(kT2), Z(kT2), Z(kT2));
          a.vmaxpd(Z(kT2), Z(y), Z(kT2));
          a.vcvttpd2udq(Y(t), Z(kT2));
        }
      }
      FreeDying(inst, part);
      a.vinserti64x4(Z(Def(v, part)), Z(kT0), Y(kT1), 1);
      return true;
    }
    case Op::kF16ToF32:
      a.vpmovdw(Y(kT0), Z(x));
      FreeDying(inst, part);
      a.vcvtph2ps(Z(Def(v, part)), Y(kT0));
      return true;
    default: {
      constexpr int kRounding[4] = {0, 2, 1, 3};  // MODE counts +inf before -inf
      a.vcvtps2ph(Y(kT0), Z(x), kRounding[inst.imm & 3]);
      FreeDying(inst, part);
      a.vpmovzxwd(Z(Def(v, part)), Y(kT0));
      return true;
    }
  }
}

}  // namespace gcnjit::backend::avx512
