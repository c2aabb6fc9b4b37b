// Operand fields: which codes a generation defines, and what inline constants and literals mean to
// the operand's type.
//
// Codes: GCN3 and Vega ISA manuals, "Scalar operands"; SGPR counts: LLVM AMDGPUUsage (104 SGPRs on
// gfx6-7, 102 on gfx8-9); FLAT_SCRATCH at 104 on gfx7 and 102 on gfx8-9; trap registers (TBA, TMA,
// TTMP) take 108-123 everywhere, gfx9 has TTMP0-15 there.
#include <bit>

#include "frontend/decode/decoder_internal.h"
#include "isa/ignored_fields.h"

namespace gcnjit::frontend::decoder_internal {
namespace {

constexpr uint32_t kFirstInlineInteger = 128;  // 0; 129..192 are 1..64, 193..208 are -1..-16
constexpr uint32_t kLastInlinePositive = 192;
constexpr uint32_t kLastInlineInteger = 208;
constexpr uint32_t kFirstInlineFloat = 240;
constexpr uint32_t kInlineInv2Pi = 248;  // gfx8 and later

struct InlineFloat {
  uint16_t f16;
  uint32_t f32;
  uint64_t f64;
};
// 0.5, -0.5, 1, -1, 2, -2, 4, -4, 1/(2*pi) as the manuals give them.
constexpr InlineFloat kInlineFloats[] = {
    {0x3800, 0x3f000000, 0x3fe0000000000000}, {0xb800, 0xbf000000, 0xbfe0000000000000},
    {0x3c00, 0x3f800000, 0x3ff0000000000000}, {0xbc00, 0xbf800000, 0xbff0000000000000},
    {0x4000, 0x40000000, 0x4000000000000000}, {0xc000, 0xc0000000, 0xc000000000000000},
    {0x4400, 0x40800000, 0x4010000000000000}, {0xc400, 0xc0800000, 0xc010000000000000},
    {0x3118, 0x3e22f983, 0x3fc45f306dc9c882},
};

// A literal is 32 bits: low half for 16-bit types; high dword of a double; zero-extended for
// unsigned and untyped 64-bit operands, sign-extended for signed ones (GCN3 manual 6.2.1.1).
uint64_t LiteralValue(uint32_t literal, OperandType type) {
  switch (type) {
    using enum OperandType;
    case B16:
    case I16:
    case U16:
    case F16: return literal & 0xFFFF;
    case F64: return static_cast<uint64_t>(literal) << 32;
    case I64: return static_cast<uint64_t>(static_cast<int64_t>(static_cast<int32_t>(literal)));
    default: return literal;
  }
}

// SGPR tuples are aligned to their size, up to 4. The manuals leave misaligned ones undefined, so
// they are refused (LLVM's disassembler rounds down and warns).
int AlignmentOf(int registers) { return registers >= 4 ? 4 : registers >= 2 ? 2 : 1; }

}  // namespace

uint64_t InlineConstant(uint32_t code, OperandType type) {
  const int bits = BitsOf(type);
  if (code <= kLastInlineInteger) {
    const int64_t value = code <= kLastInlinePositive
                              ? static_cast<int64_t>(code) - kFirstInlineInteger
                              : static_cast<int64_t>(kLastInlinePositive) - code;
    const auto pattern = static_cast<uint64_t>(value);
    if (bits == 64 && !IsPacked32(type)) return pattern;
    return bits == 16 ? pattern & 0xFFFF : pattern & 0xFFFFFFFF;
  }
  const InlineFloat& constant = kInlineFloats[code - kFirstInlineFloat];
  switch (type) {
    using enum OperandType;
    case F16:
    case P16F: return constant.f16;
    // Integer 16-bit operands see the low half of the f32 pattern (LLVM bug 46302).
    case B16:
    case I16:
    case U16: return constant.f32 & 0xFFFF;
    default: return bits == 64 && !IsPacked32(type) ? constant.f64 : constant.f32;
  }
}

Operand ImplicitVcc() {
  return {OperandKind::kScalar, OperandType::M64, kCodeVccLo, kCodeVccLo, 0};
}

const OpcodeRow* Decoding::SetOpcode(Format format, uint32_t number, Encoding encoding) {
  const OpcodeRow* row = FindOpcode(generation_, format, static_cast<int>(number));
  if (row == nullptr) return nullptr;
  out_.opcode = row->opcode;
  const bool vop3b = encoding == Encoding::kVop3a && row->Has(CARRY_OUT);
  SetEncoding(*row, vop3b ? Encoding::kVop3b : encoding);
  return row;
}

void Decoding::SetEncoding(const OpcodeRow& row, Encoding encoding) {
  out_.encoding = encoding;
  const IgnoredFields ignored(generation_, row, encoding);
  ignored_[0] = ignored.Mask(0);
  ignored_[1] = ignored.Mask(1);
}

bool Decoding::ScalarCodeIsDefined(uint32_t code, int registers) const {
  struct Range {
    uint32_t first;
    uint32_t last;
  };
  // A tuple must lie in one range: SGPRs, FLAT_SCRATCH, XNACK_MASK, VCC, TBA, TMA, TTMPs, M0, EXEC.
  // clang-format off
  static constexpr Range kGfx6[] = {{0, 103}, {106, 107}, {108, 109}, {110, 111}, {112, 123},
                                    {124, 124}, {126, 127}};
  static constexpr Range kGfx7[] = {{0, 103}, {104, 105}, {106, 107}, {108, 109}, {110, 111},
                                    {112, 123}, {124, 124}, {126, 127}};
  static constexpr Range kGfx8[] = {{0, 101}, {102, 103}, {104, 105}, {106, 107}, {108, 109},
                                    {110, 111}, {112, 123}, {124, 124}, {126, 127}};
  static constexpr Range kGfx9[] = {{0, 101}, {102, 103}, {104, 105}, {106, 107}, {108, 123},
                                    {124, 124}, {126, 127}};
  // clang-format on
  std::span<const Range> ranges = kGfx6;
  if (Has(generation_, kFlatScratchAt104)) ranges = kGfx7;
  if (IsGfx8Plus(generation_)) ranges = kGfx8;
  if (IsGfx9(generation_)) ranges = kGfx9;
  if (code % static_cast<uint32_t>(AlignmentOf(registers)) != 0) return false;
  for (const Range& range : ranges) {
    if (code >= range.first && code <= range.last) {
      return code + static_cast<uint32_t>(registers) - 1 <= range.last;
    }
  }
  return false;
}

bool Decoding::ScalarRegister(uint32_t code, OperandType type, Operand& operand) {
  const int registers = RegistersOf(type);
  if (code > 127 || !ScalarCodeIsDefined(code, registers == 0 ? 1 : registers)) return false;
  operand = {OperandKind::kScalar, type, static_cast<uint16_t>(code), static_cast<uint16_t>(code),
             0};
  return true;
}

bool Decoding::Vgpr(uint32_t index, OperandType type, Operand& operand, int registers) {
  if (registers == 0) registers = RegistersOf(type);
  if (index + static_cast<uint32_t>(registers) > kMaxVgprs) return false;
  if (registers > 1 && index % 2 != 0 && Has(generation_, kEvenVgprTuples)) return false;
  operand = {OperandKind::kVector, type, static_cast<uint16_t>(index),
             static_cast<uint16_t>(kCodeFirstVgpr + index), 0};
  return true;
}

bool Decoding::AccVgpr(uint32_t index, OperandType type, Operand& operand, int registers) {
  if (!Vgpr(index, type, operand, registers)) return false;
  operand.index = static_cast<uint16_t>(operand.index + kFirstAccVgpr);
  return true;
}

bool Decoding::ReadLiteral(uint32_t& value) {
  if (!HasWord1()) {
    truncated_ = true;
    return false;
  }
  out_.size = 8;
  out_.literal = words_[1];
  value = words_[1];
  return true;
}

bool Decoding::MandatoryLiteral(OperandType type, Operand& operand) {
  uint32_t literal = 0;
  if (!ReadLiteral(literal)) return false;
  operand = {OperandKind::kConstant, OperandType::LITERAL, 0, kCodeLiteral,
             LiteralValue(literal, type)};
  return true;
}

bool Decoding::Source(uint32_t code, OperandType type, unsigned forms, Operand& operand) {
  if (code >= kCodeFirstVgpr) {
    return (forms & kAllowVgpr) != 0 && Vgpr(code - kCodeFirstVgpr, type, operand);
  }
  if (code < kFirstInlineInteger) return ScalarRegister(code, type, operand);
  operand = {OperandKind::kConstant, type, 0, static_cast<uint16_t>(code), 0};
  const uint32_t last_float = IsGfx8Plus(generation_) ? kInlineInv2Pi : kInlineInv2Pi - 1;
  if (code <= kLastInlineInteger || (code >= kFirstInlineFloat && code <= last_float)) {
    // Tuples wider than 64 bits (buffer resources) cannot be constants.
    if (BitsOf(type) > 64) return false;
    operand.value = InlineConstant(code, type);
    return true;
  }
  if (code == kCodeLiteral) {
    uint32_t literal = 0;
    if ((forms & kAllowLiteral) == 0 || !ReadLiteral(literal)) return false;
    operand.value = LiteralValue(literal, type);
    return true;
  }
  operand.kind = OperandKind::kSpecial;
  operand.index = static_cast<uint16_t>(code);
  switch (code) {
    case kCodeSharedBase:
    case kCodeSharedLimit:
    case kCodePrivateBase:
    case kCodePrivateLimit:
    case kCodePopsExitingWaveId: return IsGfx9(generation_);
    case kCodeVccz:
    case kCodeExecz:
    case kCodeScc: return true;
    case kCodeLdsDirect:
      return (forms & kAllowLdsDirect) != 0 && BitsOf(type) <= 32 &&
             !Has(generation_, kNoLdsDirect);
    default: return false;
  }
}

}  // namespace gcnjit::frontend::decoder_internal
