// Operands: scalar ones, and what the encodings make of vector sources.
#include "frontend/lift/float_ops.h"
#include "frontend/lift/lifter.h"
#include "frontend/lift/modifiers.h"
#include "isa/aperture.h"

namespace gcnjit::frontend {
namespace {

constexpr uint64_t kApertureLimit = 0xFFFFFFFF;

// VCCZ, EXECZ, SCC, apertures: as a u64 if they have 64 bits, else as a u32.
Value Special(Lifter& l, const Operand& operand) {
  if (operand.kind != OperandKind::kSpecial) {
    l.Refuse("a vector register or no operand where a scalar operand is needed");
    return l.b.U32(0);
  }
  const auto is_zero = [&l](int code) {
    return l.b.BoolToU32(l.b.Compare(Op::kEq, l.Sgpr64(code), l.b.U64(0)));
  };
  switch (operand.index) {
    case kCodeSharedBase: return l.b.U64(kSharedAperture);
    case kCodeSharedLimit: return l.b.U64(kSharedAperture | kApertureLimit);
    case kCodePrivateBase: return l.b.U64(kPrivateAperture);
    case kCodePrivateLimit: return l.b.U64(kPrivateAperture | kApertureLimit);
    case kCodeVccz: return is_zero(kCodeVccLo);
    case kCodeExecz: return is_zero(kCodeExecLo);
    case kCodeScc: return l.b.BoolToU32(l.Scc());
    case kCodeLdsDirect: l.Refuse("lds_direct"); return l.b.U32(0);
    default: l.Refuse("special operand"); return l.b.U32(0);
  }
}

// (v & keep) ^ flip of source n's abs and neg bits; the masks are patterns of v's type.
struct SignChange {
  bool abs;
  bool neg;
  SignChange(const Instruction& i, int n) : abs(BitOf(i.abs, n)), neg(BitOf(i.neg, n)) {}
};
Value ApplySign(ir::Builder& b, Value v, const SignChange& change, FloatType type) {
  if (change.abs) v = Abs(b, type, v);
  return change.neg ? Negate(b, type, v) : v;
}

bool IsVop3(const Instruction& i) {
  return i.encoding == Encoding::kVop3a || i.encoding == Encoding::kVop3b;
}

// Source n as the encoding selects it, before abs and neg.
Value SourceDword(Lifter& l, const Instruction& i, int n) {
  const Operand& operand = i.src[n];
  const bool vector = operand.kind == OperandKind::kVector;
  const Value v = vector ? l.Vgpr(operand.index) : l.Scalar32(operand);
  if (i.encoding == Encoding::kSdwa && n < 2) {
    return SelectSubDword(l.b, v, i.sdwa.src_sel[n], BitOf(i.sdwa.sext, n));
  }
  const bool permuted = i.encoding == Encoding::kDpp && n == 0 && vector;
  return permuted ? PermuteDpp(l, i.dpp, v) : v;
}

}  // namespace

Value Lifter::Scalar32(const Operand& operand) {
  switch (operand.kind) {
    case OperandKind::kScalar: return Sgpr(operand.index);
    case OperandKind::kConstant: return b.U32(static_cast<uint32_t>(operand.value));
    default: break;
  }
  const Value v = Special(*this, operand);
  return b.TypeOf(v) == ir::Type::kU64 ? b.Low(v) : v;
}

Value Lifter::Scalar64(const Operand& operand) {
  switch (operand.kind) {
    case OperandKind::kScalar: return Sgpr64(operand.index);
    case OperandKind::kConstant: return b.U64(operand.value);
    default: break;
  }
  const Value v = Special(*this, operand);
  return b.TypeOf(v) == ir::Type::kU64 ? v : b.Zext(v);
}

void Lifter::WriteScalar32(const Operand& operand, Value v) { SetSgpr(operand.index, v); }
void Lifter::WriteScalar64(const Operand& operand, Value v) { SetSgpr64(operand.index, v); }

// What narrows a mask to EXEC makes no difference there, but hides how the lanes were compared.
Value Lifter::ActiveMask(const Operand& operand) {
  const Value mask = Mask(operand);
  const ir::Inst inst = b.function()[mask];  // a copy: Exec() may move instructions
  if (inst.op != Op::kAnd) return mask;
  const Value exec = Exec();
  if (inst.args[0] == exec) return inst.args[1];
  return inst.args[1] == exec ? inst.args[0] : mask;
}

// VOP3's abs and neg change the sign bit of whatever is read. (VOP3P's are for halves.)
Value Lifter::Src32(const Instruction& i, int n) {
  return IsVop3(i) ? SrcF32(i, n) : SourceDword(*this, i, n);
}

Value Lifter::SrcF32(const Instruction& i, int n) {
  return ApplySign(b, SourceDword(*this, i, n), SignChange(i, n), kF32);
}

// Sources of 16 bits are the low half, or in VOP3 the one that op_sel names (gfx9).
Value Lifter::Src16(const Instruction& i, int n) {
  const Value v = SourceDword(*this, i, n);
  if (i.encoding == Encoding::kVop3a && BitOf(i.op_sel, n)) return b.Lshr(v, 16);
  return LowHalf(b, v);
}

Value Lifter::SrcF16(const Instruction& i, int n) {
  return ApplySign(b, Src16(i, n), SignChange(i, n), kF16);
}

Value Lifter::Src64(const Instruction& i, int n) {
  const Operand& operand = i.src[n];
  const bool vector = operand.kind == OperandKind::kVector;
  const auto dword = [&](int at) {
    const Value v = Vgpr(operand.index + at);
    return i.encoding == Encoding::kDpp && n == 0 ? PermuteDpp(*this, i.dpp, v) : v;
  };
  const Value v = vector ? b.Pack(dword(0), dword(1)) : Scalar64(operand);
  return ApplySign(b, v, SignChange(i, n), kF64);
}

Value Lifter::SrcF64(const Instruction& i, int n) { return Src64(i, n); }

}  // namespace gcnjit::frontend
