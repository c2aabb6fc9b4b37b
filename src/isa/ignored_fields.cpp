#include "isa/ignored_fields.h"

#include <algorithm>

namespace gcnjit::frontend {
namespace {

using enum OperandType;

// Packed halves, and bytes, that are floats although the register is untyped: whether OMOD and
// CLAMP act on them where the assembler has no syntax for it is not documented.
bool PacksFloats(const OpcodeRow& row) {
  switch (row.opcode) {
    case Opcode::V_CVT_PKRTZ_F16_F32:
    case Opcode::V_PACK_B32_F16:
    case Opcode::V_CVT_PK_FP8_F32:
    case Opcode::V_CVT_PK_BF8_F32:
    case Opcode::V_CVT_SR_FP8_F32:
    case Opcode::V_CVT_SR_BF8_F32: return true;
    default: return false;
  }
}

// Sums and products that saturate under CLAMP if the manuals' sentence on integers means them all,
// and do not if it means those for which assemblers have a syntax.
bool MayOverflow(const OpcodeRow& row) {
  switch (row.opcode) {
    case Opcode::V_BCNT_U32_B32:
    case Opcode::V_MBCNT_LO_U32_B32:
    case Opcode::V_MBCNT_HI_U32_B32:
    case Opcode::V_MUL_LO_U32:
    case Opcode::V_MUL_LO_U16:
    case Opcode::V_XAD_U32:
    case Opcode::V_ADD3_U32:
    case Opcode::V_LSHL_ADD_U32:
    case Opcode::V_LSHL_ADD_U64:
    case Opcode::V_ADD_LSHL_U32: return true;
    default: return false;
  }
}

bool IgnoresOutputModifier(const OpcodeRow& row) {
  return !TakesOutputModifier(row) && !IsFloat(row.dst) && !PacksFloats(row);
}

// Before gfx8 nothing but floats is clamped; comparisons only signal; what cannot leave the range
// of its type is not changed.
bool IgnoresClamp(const OpcodeRow& row, Generation generation) {
  if (TakesClamp(row, generation) || IsFloat(row.dst) || PacksFloats(row)) return false;
  return !IsGfx8Plus(generation) || row.dst == M64 || !MayOverflow(row);
}

// The destination is a further source, which the third source's fields may belong to.
bool HasSource(const OpcodeRow& row, size_t n) {
  return row.src[n] != NONE || (n == 2 && row.Has(READS_DST));
}

}  // namespace

IgnoredFields::IgnoredFields(Generation generation, const OpcodeRow& row, Encoding encoding)
    : generation_(generation), row_(row), encoding_(encoding) {
  if (row.Has(INTERPOLATION)) return;  // fields of their own, and never executed
  switch (encoding) {
    case Encoding::kSopp:
      if (row.src[0] == NONE) Add(0, 0, 16, "SIMM16");
      break;
    case Encoding::kSmem:
      if (row.src[0] == NONE) Add(0, 17, 1, "IMM");
      break;
    case Encoding::kVop1:
      if (row.dst == NONE) Add(0, 17, 8, "VDST");
      break;
    case Encoding::kVop3a:
    case Encoding::kVop3b: AddVop3(); break;
    case Encoding::kVop3p: AddVop3p(); break;
    case Encoding::kMai:
      // v_accvgpr_read and v_accvgpr_write; of matrices the bit says where C and D are.
      if (row.src[1] == NONE) Add(0, 15, 1, "CLAMP");
      break;
    case Encoding::kSdwa: AddSdwa(); break;
    case Encoding::kDpp:
      if (row.src[1] == NONE) Add(1, 22, 2, "NEG and ABS of SRC1");
      break;
    case Encoding::kDs: AddDs(); break;
    case Encoding::kMubuf:
      if (row.src[0] != NONE) break;
      Add(0, 12, 1, "OFFEN");
      Add(0, 13, 1, "IDXEN");
      if (!IsGfx8Plus(generation)) Add(0, 15, 1, "ADDR64");
      break;
    case Encoding::kFlat:
      if (IsGfx9(generation)) Add(1, 16, 7, "SADDR");
      break;
    default: break;
  }
}

void IgnoredFields::Add(int word, int lo, int bits, const char* name) {
  const EncodedField field = {static_cast<uint8_t>(word), static_cast<uint8_t>(lo),
                              static_cast<uint8_t>(bits), name};
  fields_[count_++] = field;
  masks_[field.word] |= field.Mask();
}

void IgnoredFields::AddOfSource(int word, int lo, size_t n,
                                const std::array<const char*, 3>& names) {
  Add(word, lo + static_cast<int>(n), 1, names[n]);
}

void IgnoredFields::AddVop3() {
  const bool gfx8_plus = IsGfx8Plus(generation_);
  const bool vop3a = encoding_ == Encoding::kVop3a;
  if (row_.dst == NONE) Add(0, 0, 8, "VDST");
  if (IgnoresOutputModifier(row_)) Add(1, 27, 2, "OMOD");
  // VOP3B has no CLAMP before gfx8.
  if ((vop3a || gfx8_plus) && IgnoresClamp(row_, generation_)) {
    Add(0, gfx8_plus ? 15 : 11, 1, "CLAMP");
  }
  for (size_t n = 0; n < row_.src.size(); ++n) {
    if (HasSource(row_, n)) continue;
    static constexpr std::array kSource = {"SRC0", "SRC1", "SRC2"};
    Add(1, static_cast<int>(9 * n), 9, kSource[n]);
    AddOfSource(1, 29, n, {"NEG[0]", "NEG[1]", "NEG[2]"});
    if (vop3a) AddOfSource(0, 8, n, {"ABS[0]", "ABS[1]", "ABS[2]"});
    if (vop3a && IsGfx9(generation_) && HasHalfOperands(row_)) {
      AddOfSource(0, 11, n, {"OP_SEL[0]", "OP_SEL[1]", "OP_SEL[2]"});
    }
  }
}

void IgnoredFields::AddVop3p() {
  for (size_t n = 0; n < row_.src.size(); ++n) {
    if (HasSource(row_, n)) continue;
    static constexpr std::array kSource = {"SRC0", "SRC1", "SRC2"};
    Add(1, static_cast<int>(9 * n), 9, kSource[n]);
    AddOfSource(1, 29, n, {"NEG[0]", "NEG[1]", "NEG[2]"});
    AddOfSource(0, 8, n, {"NEG_HI[0]", "NEG_HI[1]", "NEG_HI[2]"});
    AddOfSource(0, 11, n, {"OP_SEL[0]", "OP_SEL[1]", "OP_SEL[2]"});
  }
}

void IgnoredFields::AddSdwa() {
  const bool gfx9 = IsGfx9(generation_);
  const bool compares = row_.dst == M64;
  // On gfx9 comparisons have a scalar destination in place of these.
  if (!(compares && gfx9) && IgnoresClamp(row_, generation_)) Add(1, 13, 1, "CLAMP");
  if (!compares && gfx9 && !IsFloat(row_.dst) && !PacksFloats(row_)) Add(1, 14, 2, "OMOD");
  if (row_.src[1] != NONE) return;
  Add(1, 24, 6, "SRC1_SEL and modifiers of SRC1");
  if (gfx9) Add(1, 31, 1, "S1");
}

void IgnoredFields::AddDs() {
  if (row_.opcode == Opcode::DS_NOP) Add(0, 0, 16, "OFFSET");
  if (row_.src[0] == NONE) Add(1, 0, 8, "ADDR");
  if (row_.src[1] == NONE) Add(1, 8, 8, "DATA0");
  if (row_.src[2] == NONE) Add(1, 16, 8, "DATA1");
  if (row_.dst == NONE) Add(1, 24, 8, "VDST");
}

}  // namespace gcnjit::frontend
