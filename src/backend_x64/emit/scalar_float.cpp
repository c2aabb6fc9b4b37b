#include "backend_x64/emit/scalar_float.h"

#include "backend_x64/emit/gpr.h"

namespace gcnjit::backend {

using ir::Inst;
using ir::Op;
using ir::Value;
namespace Id = x86::Inst;

namespace {

// The first register that only EVEX forms of instructions can name.
constexpr uint32_t kFirstOfEvex = 16;

}  // namespace

x86::Xmm ScalarFloat::Scratch(int n) const {
  return x86::xmm(static_cast<uint32_t>(b_.isa.ScratchVector() + n));
}

x86::Mem ScalarFloat::Constant(uint64_t bits, bool wide) {
  return wide ? b_.region.constants.Broadcast64(bits)
              : b_.region.constants.Broadcast32(static_cast<uint32_t>(bits));
}

asmjit::Operand ScalarFloat::Source(int n, Value v) {
  uint64_t constant = 0;
  if (b_.block.IsConst(v, &constant)) return Constant(constant, IsWide(v));
  return Load(n, v);
}

x86::Xmm ScalarFloat::Load(int n, Value v) {
  const x86::Xmm to = Scratch(n);
  const bool wide = IsWide(v);
  uint64_t constant = 0;
  if (b_.block.IsConst(v, &constant)) {
    a.emit(wide ? Id::kIdVmovsd : Id::kIdVmovss, to, Constant(constant, wide));
  } else {
    a.emit(wide ? Id::kIdVmovq : Id::kIdVmovd, to, Gp(b_.scalars.Use(v), wide));
  }
  return to;
}

void ScalarFloat::Finish(Value v, const Inst& inst, const x86::Xmm& result) {
  const bool wide = ir::Is64(inst.type);
  b_.scalars.FreeDying(inst);
  a.emit(wide ? Id::kIdVmovq : Id::kIdVmovd, Gp(b_.scalars.Def(v), wide), result);
}

// It is in eax.
void ScalarFloat::FinishInteger(Value v, const Inst& inst) {
  b_.scalars.FreeDying(inst);
  a.mov(Gp(b_.scalars.Def(v), false), x86::eax);
}

bool ScalarFloat::Emit(Value v, const Inst& inst) {
  const auto in_environment = [&](auto emit, auto... ids) {
    b_.environment.Set(inst.env());
    (this->*emit)(v, inst, ids...);
    b_.environment.Restore();
    return true;
  };
  using Self = ScalarFloat;
  switch (inst.op) {
    case Op::kFAdd: return in_environment(&Self::EmitBinary, Id::kIdVaddss, Id::kIdVaddsd);
    case Op::kFSub: return in_environment(&Self::EmitBinary, Id::kIdVsubss, Id::kIdVsubsd);
    case Op::kFMul: return in_environment(&Self::EmitBinary, Id::kIdVmulss, Id::kIdVmulsd);
    case Op::kFDiv: return in_environment(&Self::EmitBinary, Id::kIdVdivss, Id::kIdVdivsd);
    case Op::kFSqrt: return in_environment(&Self::EmitUnary, Id::kIdVsqrtss, Id::kIdVsqrtsd);
    case Op::kF32ToF64: return in_environment(&Self::EmitUnary, Id::kIdVcvtss2sd, Id::kIdVcvtss2sd);
    case Op::kF64ToF32: return in_environment(&Self::EmitUnary, Id::kIdVcvtsd2ss, Id::kIdVcvtsd2ss);
    case Op::kFFma: return in_environment(&Self::EmitFma);
    case Op::kFRound: return in_environment(&Self::EmitRound);
    case Op::kFCmp: return in_environment(&Self::EmitCompare);
    case Op::kI32ToF32:
    case Op::kU32ToF32:
    case Op::kI32ToF64:
    case Op::kU32ToF64: return in_environment(&Self::EmitFromInteger);
    case Op::kF32ToI32:
    case Op::kF32ToU32:
    case Op::kF64ToI32:
    case Op::kF64ToU32: return in_environment(&Self::EmitToInteger);
    default: return false;
  }
}

void ScalarFloat::EmitBinary(Value v, const Inst& inst, uint32_t single, uint32_t twice) {
  const x86::Xmm x = Load(0, inst.args[0]);
  a.emit(ir::Is64(inst.type) ? twice : single, x, x, Source(1, inst.args[1]));
  Finish(v, inst, x);
}

void ScalarFloat::EmitUnary(Value v, const Inst& inst, uint32_t single, uint32_t twice) {
  const x86::Xmm x = Load(0, inst.args[0]);
  a.emit(ir::Is64(inst.type) ? twice : single, x, x, x);
  Finish(v, inst, x);
}

// This form looks at NaNs in the order a, b, c, as those of all lanes do.
void ScalarFloat::EmitFma(Value v, const Inst& inst) {
  const x86::Xmm sum = Load(0, inst.args[2]);
  const x86::Xmm x = Load(1, inst.args[0]);
  a.emit(ir::Is64(inst.type) ? Id::kIdVfmadd231sd : Id::kIdVfmadd231ss, sum, x,
         Source(2, inst.args[1]));
  Finish(v, inst, sum);
}

void ScalarFloat::EmitRound(Value v, const Inst& inst) {
  const bool wide = ir::Is64(inst.type);
  const x86::Xmm x = Load(0, inst.args[0]);
  const bool is_evex = x.id() >= kFirstOfEvex;
  const uint32_t single = is_evex ? Id::kIdVrndscaless : Id::kIdVroundss;
  const uint32_t twice = is_evex ? Id::kIdVrndscalesd : Id::kIdVroundsd;
  a.emit(wide ? twice : single, x, x, x, asmjit::imm(8 | (inst.imm & 3)));
  Finish(v, inst, x);
}

void ScalarFloat::EmitCompare(Value v, const Inst& inst) {
  const bool wide = IsWide(inst.args[0]);
  const x86::Xmm x = Load(0, inst.args[0]);
  const asmjit::Operand y = Source(1, inst.args[1]);
  const uint32_t id = wide ? Id::kIdVcmpsd : Id::kIdVcmpss;
  const auto predicate = asmjit::imm(inst.imm & 31);
  if (x.id() >= kFirstOfEvex) {
    const x86::KReg mask = x86::k(static_cast<uint32_t>(b_.isa.ScratchMask()));
    a.emit(id, mask, x, y, predicate);
    a.kmovw(x86::eax, mask);
  } else {
    a.emit(id, x, x, y, predicate);
    a.vmovd(x86::eax, x);
  }
  a.and_(x86::eax, 1);
  FinishInteger(v, inst);
}

void ScalarFloat::EmitFromInteger(Value v, const Inst& inst) {
  const bool is_signed = inst.op == Op::kI32ToF32 || inst.op == Op::kI32ToF64;
  const x86::Xmm result = Scratch(0);
  const int x = b_.scalars.Use(inst.args[0]);
  is_signed ? a.movsxd(x86::rax, Gp(x, false)) : a.mov(x86::eax, Gp(x, false));
  a.emit(ir::Is64(inst.type) ? Id::kIdVcvtsi2sd : Id::kIdVcvtsi2ss, result, result, x86::rax);
  Finish(v, inst, result);
}

// By way of 64 bits, to which all that is not too large has been cut off. What cannot be converted
// gives their least number: of what is left here, NaNs and what is too small.
void ScalarFloat::EmitToInteger(Value v, const Inst& inst) {
  const bool is_signed = inst.op == Op::kF32ToI32 || inst.op == Op::kF64ToI32;
  const bool wide = IsWide(inst.args[0]);
  const x86::Xmm x = Load(0, inst.args[0]);
  const x86::Xmm cut = Scratch(1);
  // 2^31 or 2^32.
  const uint64_t limit = wide        ? (is_signed ? 0x41E0000000000000 : 0x41F0000000000000)
                         : is_signed ? 0x4F000000
                                     : 0x4F800000;
  a.emit(wide ? Id::kIdVmovsd : Id::kIdVmovss, cut, Constant(limit, wide));
  a.emit(wide ? Id::kIdVminsd : Id::kIdVminss, cut, cut, x);  // a NaN stays
  a.emit(wide ? Id::kIdVcvttsd2si : Id::kIdVcvttss2si, x86::rax, cut);
  const auto bound = [this](int64_t number, uint32_t move_if) {
    a.mov(x86::rcx, number);
    a.cmp(x86::rax, x86::rcx);
    a.emit(move_if, x86::rax, x86::rcx);
  };
  bound(is_signed ? INT32_MAX : int64_t{UINT32_MAX}, Id::kIdCmovg);
  bound(is_signed ? INT32_MIN : 0, Id::kIdCmovl);
  if (is_signed) {
    a.mov(x86::ecx, 0);
    a.emit(wide ? Id::kIdVucomisd : Id::kIdVucomiss, x, x);
    a.cmovp(x86::eax, x86::ecx);
  }
  FinishInteger(v, inst);
}

}  // namespace gcnjit::backend
