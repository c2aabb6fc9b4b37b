// VOP3P: two f16 operations a lane, and multiply-add of mixed f32 and f16 operands.
#include <array>

#include "frontend/lift/min_max.h"
#include "frontend/lift/signalling_nans.h"

namespace gcnjit::frontend {
namespace {

// ---- Packed. op_sel chooses the halves that make the low result (part 0), op_sel_hi those that
// make the high one; neg and neg_hi likewise.

Value ReadPart(Lifter& l, const Instruction& i, int n, int part) {
  ir::Builder& b = l.b;
  const bool is_destination = n == 2 && i.row().Has(READS_DST);
  const Value dword = is_destination ? l.Dst32(i) : l.Src32(i, n);
  // Other encodings have no choice.
  const bool selects = i.encoding == Encoding::kVop3p;
  const bool from_high = selects ? BitOf(part == 0 ? i.op_sel : i.op_sel_hi, n) : part == 1;
  const Value half = from_high ? b.Lshr(dword, 16) : LowHalf(b, dword);
  return BitOf(part == 0 ? i.neg : i.neg_hi, n) ? b.Xor(half, b.U32(0x8000)) : half;
}
Value ReadWidePart(Lifter& l, const Instruction& i, int n, int part) {
  return WidenHalf(l.b, ReadPart(l, i, n, part), FlushesF64Inputs(l));
}

// parts[n]: a half, whose upper 16 bits are 0.
void WriteParts(Lifter& l, const Instruction& i, const Value (&parts)[2]) {
  const auto clamped = [&](Value half) { return i.clamp ? ClampF16(l, half) : half; };
  const Value low = clamped(parts[0]);
  l.Write32(i, l.b.Or(low, l.b.Shl(clamped(parts[1]), 16)));
}

// f(part) gives an f32 of so many sources.
template <int kSources, typename F>
void Packed(Lifter& l, const Instruction& i, F f) {
  Value parts[2];
  for (int part = 0; part < 2; ++part) {
    std::array<Value, kSources> operands;
    for (int n = 0; n < kSources; ++n) operands[static_cast<size_t>(n)] = ReadPart(l, i, n, part);
    const Value half = NarrowToF16(l, f(part), HalfNarrowingOf(l));
    parts[part] = KeepSignallingNans(l, kF16, half, operands);
  }
  WriteParts(l, i, parts);
}

void PackedArithmetic(Lifter& l, const Instruction& i, Op op) {
  Packed<2>(l, i, [&](int part) {
    const Value x = ReadWidePart(l, i, 0, part);
    return l.b.Float(op, l.EnvF64(), 32, {x, ReadWidePart(l, i, 1, part)});
  });
}

void PackedMinMax(Lifter& l, const Instruction& i, MinMax::Wanted wanted) {
  MinMax choose(l, kF16);
  Value parts[2];
  for (int part = 0; part < 2; ++part) {
    const Value x = ReadPart(l, i, 0, part);
    const Value y = SameSources(i) ? x : ReadPart(l, i, 1, part);
    parts[part] = choose.Finish(choose.Of(wanted, x, y));
  }
  WriteParts(l, i, parts);
}

// ---- Mixed: v_mad_mix is v_mad_f32 with f16 operands, all denormals flushed; v_fma_mix is
// v_fma_f32. f16 results are rounded to f32 first.

enum class MixedKind : uint8_t { kMad, kFma };

// src[n] as f32: the register, or with op_sel_hi the half that op_sel names.
Value ReadMixed(Lifter& l, const Instruction& i, int n, bool flush_halves) {
  ir::Builder& b = l.b;
  Value v = l.Src32(i, n);
  if (BitOf(i.op_sel_hi, n)) {
    v = WidenHalf(b, BitOf(i.op_sel, n) ? b.Lshr(v, 16) : v, flush_halves);
  }
  if (BitOf(i.abs, n)) v = Abs(b, kF32, v);
  return BitOf(i.neg, n) ? Negate(b, kF32, v) : v;
}

Value MixedSum(Lifter& l, const Instruction& i, MixedKind kind) {
  ir::Builder& b = l.b;
  const bool flush = kind == MixedKind::kMad || FlushesF64Inputs(l);
  const Value x = ReadMixed(l, i, 0, flush);
  const Value y = ReadMixed(l, i, 1, flush);
  const Value z = ReadMixed(l, i, 2, flush);
  if (kind == MixedKind::kFma) return b.Float(Op::kFFma, l.EnvF32(), 32, {x, y, z});
  const FloatEnv env = l.EnvF32Flush();
  return b.Float(Op::kFAdd, env, 32, {b.Float(Op::kFMul, env, 32, {x, y}), z});
}

// Into the low or the high half of the destination; the other one stays.
void MixHalf(Lifter& l, const Instruction& i, MixedKind kind, bool high) {
  HalfNarrowing narrowing = HalfNarrowingOf(l);
  if (kind == MixedKind::kMad) narrowing.flush_denormals = true;
  Instruction to = i;
  to.encoding = Encoding::kVop3a;  // the one whose op_sel[3] chooses the destination's half
  to.op_sel = high ? 8 : 0;
  l.WriteF16(to, NarrowToF16(l, MixedSum(l, i, kind), narrowing), true);
}

}  // namespace

void lift_V_PK_ADD_F16(Lifter& l, const Instruction& i) { PackedArithmetic(l, i, Op::kFAdd); }
void lift_V_PK_MUL_F16(Lifter& l, const Instruction& i) { PackedArithmetic(l, i, Op::kFMul); }
void lift_V_PK_FMA_F16(Lifter& l, const Instruction& i) {
  Packed<3>(l, i, [&](int part) {
    const Value x = ReadWidePart(l, i, 0, part);
    const Value y = ReadWidePart(l, i, 1, part);
    return FusedHalf(l, x, y, ReadWidePart(l, i, 2, part));
  });
}
void lift_V_PK_FMAC_F16(Lifter& l, const Instruction& i) { lift_V_PK_FMA_F16(l, i); }
void lift_V_PK_MIN_F16(Lifter& l, const Instruction& i) {
  PackedMinMax(l, i, MinMax::Wanted::kMin);
}
void lift_V_PK_MAX_F16(Lifter& l, const Instruction& i) {
  PackedMinMax(l, i, MinMax::Wanted::kMax);
}

void lift_V_MAD_MIX_F32(Lifter& l, const Instruction& i) {
  l.WriteF32(i, MixedSum(l, i, MixedKind::kMad));
}
void lift_V_MAD_MIXLO_F16(Lifter& l, const Instruction& i) {
  MixHalf(l, i, MixedKind::kMad, false);
}
void lift_V_MAD_MIXHI_F16(Lifter& l, const Instruction& i) { MixHalf(l, i, MixedKind::kMad, true); }
void lift_V_FMA_MIX_F32(Lifter& l, const Instruction& i) {
  l.WriteF32(i, MixedSum(l, i, MixedKind::kFma));
}
void lift_V_FMA_MIXLO_F16(Lifter& l, const Instruction& i) {
  MixHalf(l, i, MixedKind::kFma, false);
}
void lift_V_FMA_MIXHI_F16(Lifter& l, const Instruction& i) { MixHalf(l, i, MixedKind::kFma, true); }

// The addend + low product + high product, each sum rounded (the products are exact). Denormals of
// either width never count.
void lift_V_DOT2_F32_F16(Lifter& l, const Instruction& i) {
  ir::Builder& b = l.b;
  const Value addend = i.row().Has(READS_DST) ? l.Dst32(i) : l.SrcF32(i, 2);
  const FloatEnv env = l.EnvF32Flush();
  const auto product = [&](int part) {
    const Value x = WidenHalf(b, ReadPart(l, i, 0, part), true);
    const Value y = WidenHalf(b, ReadPart(l, i, 1, part), true);
    return b.Float(Op::kFMul, env, 32, {x, y});
  };
  const Value first = b.Float(Op::kFAdd, env, 32, {addend, product(0)});
  l.WriteF32(i, b.Float(Op::kFAdd, env, 32, {first, product(1)}));
}

void lift_V_DOT2C_F32_F16(Lifter& l, const Instruction& i) { lift_V_DOT2_F32_F16(l, i); }

}  // namespace gcnjit::frontend
