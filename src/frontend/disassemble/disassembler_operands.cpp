// Names of registers and spelling of constants.
#include <fmt/format.h>

#include "frontend/disassemble/disassembler_internal.h"
#include "isa/matrix_shape.h"
#include "isa/vector_registers.h"

namespace gcnjit::frontend::disassembler_internal {
namespace {

struct NamedPair {
  uint32_t code;
  const char* pair;
  const char* lo;
  const char* hi;
};

constexpr NamedPair kPairsGfx7[] = {{104, "flat_scratch", "flat_scratch_lo", "flat_scratch_hi"}};
constexpr NamedPair kPairsGfx8[] = {{102, "flat_scratch", "flat_scratch_lo", "flat_scratch_hi"},
                                    {104, "xnack_mask", "xnack_mask_lo", "xnack_mask_hi"}};
constexpr NamedPair kPairsTrap[] = {{108, "tba", "tba_lo", "tba_hi"},
                                    {110, "tma", "tma_lo", "tma_hi"}};
constexpr NamedPair kPairsAll[] = {{106, "vcc", "vcc_lo", "vcc_hi"},
                                   {126, "exec", "exec_lo", "exec_hi"}};

template <size_t N>
const char* FindPair(const NamedPair (&pairs)[N], uint32_t code, int registers) {
  for (const NamedPair& p : pairs) {
    if (code == p.code) return registers == 2 ? p.pair : p.lo;
    if (code == p.code + 1) return p.hi;
  }
  return nullptr;
}

std::string Range(const char* prefix, uint32_t first, int registers) {
  if (registers <= 1) return fmt::format("{}{}", prefix, first);
  return fmt::format("{}[{}:{}]", prefix, first, first + static_cast<uint32_t>(registers) - 1);
}

const char* SpecialName(uint32_t code) {
  switch (code) {
    case kCodeSharedBase: return "src_shared_base";
    case kCodeSharedLimit: return "src_shared_limit";
    case kCodePrivateBase: return "src_private_base";
    case kCodePrivateLimit: return "src_private_limit";
    case kCodePopsExitingWaveId: return "src_pops_exiting_wave_id";
    case kCodeVccz: return "src_vccz";
    case kCodeExecz: return "src_execz";
    case kCodeScc: return "src_scc";
    case kCodeLdsDirect: return "src_lds_direct";
    default: return "?";
  }
}

struct FloatPattern {
  uint32_t f32;
  uint16_t f16;
  const char* name;
};
constexpr FloatPattern kFloatPatterns[] = {
    {0x3f000000, 0x3800, "0.5"},  {0xbf000000, 0xb800, "-0.5"}, {0x3f800000, 0x3c00, "1.0"},
    {0xbf800000, 0xbc00, "-1.0"}, {0x40000000, 0x4000, "2.0"},  {0xc0000000, 0xc000, "-2.0"},
    {0x40800000, 0x4400, "4.0"},  {0xc0800000, 0xc400, "-4.0"}, {0x3e22f983, 0x3118, "0.15915494"},
};
constexpr size_t kInv2Pi = 8;  // the constant of gfx8 and later

// 16-bit integer operands and packed ones do not see the float constants as floats.
bool IsHalfInteger(OperandType type) {
  switch (type) {
    using enum OperandType;
    case B16:
    case I16:
    case U16:
    case P16I: return true;
    default: return false;
  }
}

bool IsInlineInteger(int64_t value) { return value >= -16 && value <= 64; }

std::string InlineConstantText(uint32_t code, OperandType type) {
  if (code <= 192) return fmt::format("{}", code - 128);
  if (code <= 208) return fmt::format("-{}", code - 192);
  const size_t index = code - 240;
  if (IsHalfInteger(type)) return fmt::format("{:#x}", kFloatPatterns[index].f16);
  if (index == kInv2Pi && BitsOf(type) == 64 && !IsPacked32(type)) return "0.15915494309189532";
  return kFloatPatterns[index].name;
}

// LLVM spells a literal like the inline constant of the same value where there is one. A float's
// name stands for all of the literal's bits, of halves, too.
std::string LiteralText(Generation generation, uint32_t literal, OperandType type) {
  const size_t patterns = IsGfx8Plus(generation) ? kInv2Pi + 1 : kInv2Pi;
  if (type == OperandType::LITERAL) return fmt::format("{:#x}", literal);
  switch (BitsOf(type)) {
    case 16: {
      const auto half = static_cast<uint16_t>(literal);
      const auto value = static_cast<int16_t>(half);
      if (IsInlineInteger(value)) return fmt::format("{}", value);
      for (size_t i = 0; i < patterns && type == OperandType::F16; ++i) {
        if (kFloatPatterns[i].f16 == literal) return kFloatPatterns[i].name;
      }
      return fmt::format("{:#x}", half);
    }
    case 64: return literal <= 64 ? fmt::format("{}", literal) : fmt::format("{:#x}", literal);
    default: {
      const auto value = static_cast<int32_t>(literal);
      if (IsInlineInteger(value)) return fmt::format("{}", value);
      const bool halves = type == OperandType::P16F;
      for (size_t i = 0; i < patterns; ++i) {
        const FloatPattern& constant = kFloatPatterns[i];
        if ((halves ? constant.f16 : constant.f32) == literal) return constant.name;
      }
      return fmt::format("{:#x}", literal);
    }
  }
}

// As what LLVM prints a constant: v_ldexp_f16's exponent is 32 bits wide to it, and a literal that
// v_madmk_f16 shares with its constant is so, too; and so are packed integers outside VOP3P.
OperandType PrintedType(const Instruction& in, const Operand& operand) {
  const MatrixShape* shape = MatrixShapeOf(in.opcode);
  if (shape != nullptr)
    return shape->element == MatrixElement::kF64 ? OperandType::F64 : OperandType::F32;
  if (in.opcode == Opcode::V_LDEXP_F16 && &operand == &in.src[1]) return OperandType::I32;
  if (in.opcode == Opcode::V_MADMK_F16 && &operand == &in.src[0]) return OperandType::B32;
  const bool is_packed = operand.type == OperandType::P16I && in.encoding != Encoding::kVop3p;
  return is_packed ? OperandType::B32 : operand.type;
}

std::string ConstantText(Generation generation, const Instruction& in, const Operand& operand) {
  switch (operand.type) {
    using enum OperandType;
    case SIMM16:
    case UIMM16: return fmt::format("{:#x}", operand.value & 0xFFFF);
    default: break;
  }
  const OperandType type = PrintedType(in, operand);
  if (operand.code == kCodeLiteral) return LiteralText(generation, in.literal, type);
  return InlineConstantText(operand.code, type);
}

}  // namespace

std::string ScalarName(Generation generation, uint32_t code, int registers) {
  const char* name = FindPair(kPairsAll, code, registers);
  if (name == nullptr && Has(generation, kFlatScratchAt104)) {
    name = FindPair(kPairsGfx7, code, registers);
  }
  if (name == nullptr && IsGfx8Plus(generation)) name = FindPair(kPairsGfx8, code, registers);
  if (name == nullptr && !IsGfx9(generation)) name = FindPair(kPairsTrap, code, registers);
  if (name != nullptr) return name;
  if (code == kCodeM0) return "m0";
  const uint32_t first_ttmp = IsGfx9(generation) ? 108 : 112;
  if (code >= first_ttmp) return Range("ttmp", code - first_ttmp, registers);
  return Range("s", code, registers);
}

std::string VgprName(uint32_t index, int registers) {
  if (index >= kFirstAccVgpr) return Range("a", index - kFirstAccVgpr, registers);
  return Range("v", index, registers);
}

std::string OperandText(Generation generation, const Instruction& in, const Operand& operand,
                        int registers) {
  if (registers == 0) registers = RegistersOf(operand.type);
  switch (operand.kind) {
    case OperandKind::kNone: return "off";
    case OperandKind::kScalar: return ScalarName(generation, operand.index, registers);
    case OperandKind::kVector: return VgprName(operand.index, registers);
    case OperandKind::kConstant: return ConstantText(generation, in, operand);
    case OperandKind::kSpecial: return SpecialName(operand.index);
  }
  return {};
}

}  // namespace gcnjit::frontend::disassembler_internal
