// s_getreg and s_setreg, and the instructions that set one bit of MODE. Ids, fields and sizes: Vega
// and GCN3 manuals, "Hardware registers"; LLVM AMDGPU hwreg operand. Code is lifted for one value
// of MODE, so reading it gives a constant and writing it ends the block: what follows is compiled
// for the new value. Registers that tell a wave or its group from others are the interpreter's, as
// are TRAPSTS and what faults.
#include <algorithm>

#include "frontend/lift/lift_scalar.h"
#include "isa/aperture.h"

namespace gcnjit::frontend {
namespace {

enum HwregId : uint32_t {
  kMode = 1,
  kStatus = 2,
  kGprAlloc = 5,
  kIbSts = 7,
  // gfx9
  kShMemBases = 15,
  kTbaLo = 16,
  kTbaHi = 17,
  kTmaLo = 18,
  kTmaHi = 19,
};

// The coded operand: {size - 1 [15:11], offset [10:6], id [5:0]}. A field that reaches past bit 31
// ends there.
struct RegisterField {
  uint32_t id;
  uint32_t offset;
  uint32_t mask;
};
RegisterField FieldOf(const Instruction& i) {
  const auto code = static_cast<uint32_t>(i.imm);
  const uint32_t offset = code >> 6 & 31;
  const uint32_t size = (code >> 11 & 31) + 1;
  return {code & 63, offset, static_cast<uint32_t>(((uint64_t{1} << size) - 1) << offset)};
}

// Bits of MODE that may be set: rounding and denormals, DX10_CLAMP, IEEE, LOD_CLAMPED, VSKIP, CSP;
// GPR_IDX_EN on gfx8-9 and FP16_OVFL on gfx9.
uint32_t SettableModeBits(Generation generation) {
  uint32_t bits = 0xFF | 7u << 8 | kModeVskip | 7u << kModeCspShift;
  if (IsGfx8Plus(generation)) bits |= kModeGprIdxEn;
  if (Has(generation, kFp16Overflow)) bits |= kModeFp16Overflow;
  return bits;
}

constexpr uint32_t kGprIdxEnBit = 27;
constexpr uint32_t kVskipBit = 28;

void SetM0Field(Lifter& l, uint32_t mask, Value value) {
  const Value kept = l.b.And(l.Sgpr(kCodeM0), l.b.U32(~mask));
  l.SetSgpr(kCodeM0, l.b.Or(kept, l.b.And(value, l.b.U32(mask))));
}

constexpr uint32_t kInThreadGroup = 1u << 11;  // of STATUS

// SCC 0, EXECZ 9, VCCZ 10, VALID 16.
Value Status(Lifter& l) {
  const auto flag = [&l](Value u1, uint32_t bit) { return l.b.Shl(l.b.BoolToU32(u1), bit); };
  const auto is_zero = [&l](int code) { return l.b.Compare(Op::kEq, l.Sgpr64(code), l.b.U64(0)); };
  const Value zeros = l.b.Or(flag(is_zero(kCodeExecLo), 9), flag(is_zero(kCodeVccLo), 10));
  return l.b.Or(l.b.Or(l.b.BoolToU32(l.Scc()), zeros), l.b.U32(1u << 16));
}

// Sizes minus one, in units of 4 VGPRs and of 8 (gfx6-7) or 16 (gfx8-9) of the SGPRs, of which each
// wave has all.
uint32_t GprAlloc(const Lifter& l) {
  const uint32_t vgprs = (std::max(l.vgpr_count(), 1u) - 1) / 4;
  return vgprs << 8 | (IsGfx8Plus(l.generation()) ? 112 / 16 - 1 : 104 / 8 - 1) << 24;
}

// `value` where the field is.
Value MovedTo(Lifter& l, const RegisterField& field, Value value) {
  uint64_t known = 0;
  if (l.b.IsConst(value, &known)) {
    return l.b.U32(static_cast<uint32_t>(known) << field.offset & field.mask);
  }
  return l.b.And(l.b.Shl(value, field.offset), l.b.U32(field.mask));
}

void WriteModeField(Lifter& l, const RegisterField& field, Value value) {
  const uint32_t old = l.mode();
  const uint32_t never = ~SettableModeBits(l.generation()) & ~old;
  const Value mode = l.b.Or(MovedTo(l, field, value), l.b.U32(old & ~field.mask));
  uint64_t known = 0;
  if (((l.b.IsConst(mode, &known) ? known : field.mask) & never) != 0) {
    return l.Refuse("may set MODE bits that are not implemented");
  }
  WriteMode(l, mode);
}

void WriteRegister(Lifter& l, const Instruction& i) {
  const RegisterField field = FieldOf(i);
  const Value value = l.Scalar32(i.src[1]);
  if (!l.refusal().empty()) return;
  if (field.id != kMode) return l.Refuse("writes a hardware register other than MODE");
  WriteModeField(l, field, value);
}

}  // namespace

void lift_S_GETREG_B32(Lifter& l, const Instruction& i) {
  const RegisterField field = FieldOf(i);
  Value value;
  switch (field.id) {
    case kMode: value = l.b.U32(l.mode()); break;
    case kStatus:
      if ((field.mask & kInThreadGroup) != 0) return l.Refuse("the size of the work-group");
      value = Status(l);
      break;
    case kIbSts: value = l.b.U32(0); break;
    case kGprAlloc:
      if (Has(l.generation(), kUnifiedVgprs)) return l.Refuse("GPR_ALLOC's layout is not known");
      value = l.b.U32(GprAlloc(l));
      break;
    case kShMemBases:
      if (!IsGfx9(l.generation())) return l.Refuse("not a register of this generation");
      value = l.b.U32(static_cast<uint32_t>(kPrivateAperture >> 48) |
                      static_cast<uint32_t>(kSharedAperture >> 48) << 16);
      break;
    case kTbaLo:
    case kTbaHi:
    case kTmaLo:
    case kTmaHi:
      if (!IsGfx9(l.generation())) return l.Refuse("not a register of this generation");
      value = l.b.U32(0);
      break;
    default: return l.Refuse("a hardware register that only the interpreter knows");
  }
  l.WriteScalar32(i.dst, l.b.Lshr(l.b.And(value, l.b.U32(field.mask)), field.offset));
}

// Vector instructions under GPR_IDX_EN and VSKIP are the interpreter's, but for what comes with
// s_set_gpr_idx_on in one block (indexed_moves.h).

void lift_S_SETVSKIP(Lifter& l, const Instruction& i) {
  const Sources s = Sources32(l, i);
  if (!s.ok) return;
  const Value bit = l.b.And(l.b.Lshr(s.a, s.b), l.b.U32(1));
  WriteMode(l, l.b.Or(l.b.Shl(bit, kVskipBit), l.b.U32(l.mode() & ~(1u << kVskipBit))));
}

// M0[7:0]: the index; M0[15:12]: the operands that it applies to.
void lift_S_SET_GPR_IDX_ON(Lifter& l, const Instruction& i) {
  const Value index = l.Scalar32(i.src[0]);
  if (!l.refusal().empty()) return;
  SetM0Field(l, 0xFF, index);
  SetM0Field(l, 0xF000, l.b.U32(static_cast<uint32_t>(i.imm) << 12));
  WriteMode(l, l.b.U32(l.mode() | 1u << kGprIdxEnBit));
}
void lift_S_SET_GPR_IDX_OFF(Lifter& l, const Instruction&) {
  WriteMode(l, l.b.U32(l.mode() & ~(1u << kGprIdxEnBit)));
}
void lift_S_SET_GPR_IDX_IDX(Lifter& l, const Instruction& i) {
  const Value index = l.Scalar32(i.src[0]);
  if (l.refusal().empty()) SetM0Field(l, 0xFF, index);
}
void lift_S_SET_GPR_IDX_MODE(Lifter& l, const Instruction& i) {
  SetM0Field(l, 0xF000, l.b.U32(static_cast<uint32_t>(i.imm) << 12));
}

void lift_S_SETREG_B32(Lifter& l, const Instruction& i) { WriteRegister(l, i); }
void lift_S_SETREG_IMM32_B32(Lifter& l, const Instruction& i) { WriteRegister(l, i); }

}  // namespace gcnjit::frontend
