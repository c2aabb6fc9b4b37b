// Field positions: GCN3 and Vega ISA manuals, "Microcode formats"; the gfx6-7 SMRD and VOP3
// layouts: Southern Islands and Sea Islands manuals.
#include "differential/instruction_maker.h"

#include <algorithm>

#include "differential/values.h"
#include "frontend/decode/decoder.h"
#include "isa/ignored_fields.h"
#include "isa/matrix_shape.h"
#include "runtime/interpreter/code_map.h"

namespace gcnjit::differential {

using frontend::Format;
using frontend::Generation;
using frontend::IsGfx8Plus;
using frontend::IsGfx9;
using frontend::Operand;
using frontend::OperandKind;
using frontend::OperandType;

namespace {

constexpr int kTries = 8;

bool IsFreeScalar(Generation generation, uint32_t code) {
  if (code >= kPool && code < kPoolEnd) return true;
  if (code >= kWidePool && code < kSavedExecEnd) return true;
  // FLAT_SCRATCH is an address; its place depends on the generation.
  if (code >= kRandom && code < 102) return true;
  if (code >= 102 && code <= 105) return !(IsGfx8Plus(generation) ? code <= 103 : code >= 104);
  return code >= frontend::kCodeVccLo && code < 128;
}

bool IsFreeDestination(Generation generation, const VgprPlan& plan, const Operand& operand,
                       uint32_t extra) {
  const auto registers = static_cast<uint32_t>(std::max(1, RegistersOf(operand.type)));
  if (operand.kind == OperandKind::kVector) {
    // What is above the pool in VGPRs is none of AccVGPRs' business.
    return frontend::IsAccVgpr(operand.index) || operand.index + registers + extra <= plan.pool();
  }
  if (operand.kind != OperandKind::kScalar) return true;
  for (uint32_t n = 0; n < registers; ++n) {
    if (!IsFreeScalar(generation, operand.index + n)) return false;
  }
  return true;
}

}  // namespace

bool WritesOnlyFreeRegisters(Generation generation, const VgprPlan& plan,
                             const frontend::Instruction& i) {
  const bool swaps = i.opcode == frontend::Opcode::V_SWAP_B32;
  return IsFreeDestination(generation, plan, i.dst, i.tfe ? 1 : 0) &&
         IsFreeDestination(generation, plan, i.sdst, 0) &&
         (!swaps || IsFreeDestination(generation, plan, i.src[0], 0));
}

std::vector<Form> FormsOf(Generation generation, const frontend::OpcodeRow& row) {
  std::vector<Form> forms = {Form::kHome};
  if (Vop3NumberOf(row, generation) >= 0) forms.push_back(Form::kVop3);
  if (!IsGfx8Plus(generation)) return forms;
  if (row.Has(frontend::SDWA)) forms.push_back(Form::kSdwa);
  if (HasDpp(row, generation)) forms.push_back(Form::kDpp);
  return forms;
}

std::optional<Item> InstructionMaker::Make(const OpcodeRow& row, Form form,
                                           std::initializer_list<Field> fields) {
  const frontend::OpcodeNumber home = row.On(generation_);
  if (home.format == Format::kNone || row.refusal != nullptr) return std::nullopt;
  const bool vop3 = form == Form::kVop3;
  const Format format = vop3 ? Format::kVop3 : home.format;
  const int number = vop3 ? Vop3NumberOf(row, generation_) : home.number;
  if (number < 0) return std::nullopt;
  for (int n = 0; n < kTries; ++n) {
    words_ = {encoding::SkeletonOf(generation_, format, static_cast<uint32_t>(number)).bits, 0};
    Fill(row, format, form);
    if (random_.Percent(20)) FillIgnored(row);
    for (const Field& field : fields) Set(field.word, field.lo, field.bits, field.value);
    Item item;
    item.words = words_;
    if (IsUsable(row, item)) return item;
  }
  return std::nullopt;
}

bool InstructionMaker::IsUsable(const OpcodeRow& row, Item& item) const {
  const runtime::CodeSlot slot = runtime::DecodeSlot(generation_, item.words);
  if (slot.status != frontend::DecodeStatus::kOk || slot.instruction.opcode != row.opcode) {
    return false;
  }
  item.size = slot.instruction.size / 4;
  const auto count = static_cast<uint16_t>(plan_.count);
  return frontend::VgprCounts{count, count}.Hold(slot.vgpr_limit) &&
         WritesOnlyFreeRegisters(generation_, plan_, slot.instruction);
}

void InstructionMaker::Fill(const OpcodeRow& row, Format format, Form form) {
  if (form == Form::kSdwa) return FillSdwa(row, format);
  if (form == Form::kDpp) return FillDpp(row, format);
  switch (format) {
    case Format::kSop1:
    case Format::kSop2:
    case Format::kSopk:
    case Format::kSopc: return FillScalar(row, format);
    case Format::kSmrd: return FillSmrd(row);
    case Format::kSmem: return FillSmem(row);
    case Format::kVop1:
    case Format::kVop2:
    case Format::kVopc: return FillVector(row, format);
    case Format::kVop3: return FillVop3(row);
    case Format::kVop3p: return FillVop3p(row);
    case Format::kMai: return FillMai(row);
    case Format::kDs: return FillDs(row);
    case Format::kMubuf:
    case Format::kMtbuf: return FillBuffer(row, format);
    case Format::kFlat:
    case Format::kGlobal:
    case Format::kScratch: return FillFlat(row, format);
    case Format::kMimg: return FillMimg(row);
    case Format::kSopp:  // s_nop and the like: the caller sets the immediate
    case Format::kVintrp:
    case Format::kExp:
    case Format::kNone: return;
  }
}

// ---- Operands

uint32_t InstructionMaker::ScalarDestination(int registers) {
  const auto size = static_cast<uint32_t>(std::max(1, registers));
  const uint32_t align = std::min(size, 4u);
  if (size > 4) return kWidePool;
  const uint32_t at = random_.Below(100);
  const auto from = [&](uint32_t first, uint32_t end) {
    return first + random_.Below((end - first) / align) * align;
  };
  if (size <= 2 && at < 10) return frontend::kCodeVccLo + (size == 1 ? random_.Bits(1) : 0);
  if (size <= 2 && at < 12) return frontend::kCodeExecLo + (size == 1 ? random_.Bits(1) : 0);
  if (size == 1 && at < 14) return frontend::kCodeM0;
  if (at < 16) return from(112, 124);  // TTMPs
  if (at < 26) return from(kWidePool, kWidePoolEnd);
  if (at < 28) return from(kRandom, 100);
  return from(kPool, kPoolEnd);
}

uint32_t InstructionMaker::ScalarSource(OperandType type, bool allow_literal) {
  const auto registers = static_cast<uint32_t>(std::max(1, RegistersOf(type)));
  const uint32_t align = std::min(registers, 4u);
  if (registers > 2) return (kPool + random_.Below(kPoolEnd - kPool)) / align * align;
  const uint32_t at = random_.Below(100);
  if (at < 50) return (kPool + random_.Below(kPoolEnd - kPool)) / align * align;
  if (at < 55) return random_.Below(100) / align * align;
  if (at < 63) return frontend::kCodeVccLo + (registers == 1 ? random_.Bits(1) : 0);
  if (at < 68) return frontend::kCodeExecLo + (registers == 1 ? random_.Bits(1) : 0);
  if (at < 70) return registers == 1 ? uint32_t{frontend::kCodeM0} : 112u;
  if (at < 73) return random_.Between(frontend::kCodeVccz, frontend::kCodeScc);
  if (at < 74) return random_.Between(frontend::kCodeSharedBase, frontend::kCodePrivateLimit);
  if (at < 86) return random_.Between(128, 208);
  if (at < 94) return random_.Between(240, 248);
  if (!allow_literal) return 128;
  words_[1] = RandomValue(random_, RandomKind(random_));
  return frontend::kCodeLiteral;
}

uint32_t InstructionMaker::Vgpr(int registers) {
  const uint32_t end = plan_.pool() - static_cast<uint32_t>(std::max(1, registers)) + 1;
  const uint32_t first = random_.Below(random_.Percent(80) ? std::min(end, 10u) : end);
  return first & ~(registers > 1 ? odd_ : 0);
}

uint32_t InstructionMaker::VectorSource(OperandType type, bool allow_literal) {
  if (type == OperandType::M64) return ScalarDestination(2);
  if (type == OperandType::S32) return ScalarSource(type, false);
  const bool wide = RegistersOf(type) > 2;  // such scalar sources have no meaning
  if (wide) return frontend::kCodeFirstVgpr + Vgpr(RegistersOf(type));
  if (random_.Percent(3)) return frontend::kCodeFirstVgpr + plan_.random_offset();
  if (random_.Percent(72)) return frontend::kCodeFirstVgpr + Vgpr(RegistersOf(type));
  return ScalarSource(type, allow_literal);
}

uint32_t InstructionMaker::VectorDestination(const OpcodeRow& row) {
  if (row.dst == OperandType::M64) return ScalarDestination(2);
  if (row.dst == OperandType::S32) return ScalarDestination(1);
  return Vgpr(RegistersOf(row.dst));
}

uint32_t InstructionMaker::SignedSources(const OpcodeRow& row, bool vop3) const {
  uint32_t sources = 0;
  for (size_t n = 0; n < row.src.size(); ++n) {
    if (row.src[n] == OperandType::NONE) continue;
    const bool takes = TakesFloatModifiers(row, n) || (vop3 && TakesIntegerSignModifiers(row, n));
    if (takes) sources |= 1u << n;
  }
  return sources;
}

// Random bits where hardware does not look.
void InstructionMaker::FillIgnored(const OpcodeRow& row) {
  frontend::Instruction made;
  if (Decode(generation_, words_, made) != frontend::DecodeStatus::kOk) return;
  for (const frontend::EncodedField& field :
       frontend::IgnoredFields(generation_, row, made.encoding)) {
    if (random_.Percent(40)) Set(field.word, field.lo, field.bits, random_.Word());
  }
}

// ---- Scalar formats

void InstructionMaker::FillScalar(const OpcodeRow& row, Format format) {
  if (format == Format::kSopk) {
    const uint32_t immediate = random_.Percent(50) ? random_.Below(64) - 16 : random_.Bits(16);
    Set(0, 0, 16, immediate);
    words_[1] = RandomValue(random_, RandomKind(random_));
    const bool writes = row.dst != OperandType::NONE;
    const OperandType type = writes ? row.dst : row.src[0];
    Set(0, 16, 7, writes ? ScalarDestination(RegistersOf(type)) : random_.Between(kPool, 15));
    return;
  }
  if (row.dst != OperandType::NONE) Set(0, 16, 7, ScalarDestination(RegistersOf(row.dst)));
  if (row.src[0] != OperandType::NONE) Set(0, 0, 8, ScalarSource(row.src[0], true));
  if (format != Format::kSop1) Set(0, 8, 8, ScalarSource(row.src[1], true));
}

// ---- Vector formats

void InstructionMaker::FillVector(const OpcodeRow& row, Format format) {
  words_[1] = RandomValue(random_, RandomKind(random_));  // the mandatory literal, if any
  if (format != Format::kVopc && row.dst != OperandType::NONE) {
    Set(0, 17, 8, VectorDestination(row));
  }
  if (row.src[0] != OperandType::NONE) {
    const bool literal = format != Format::kVop2 || row.src[1] != OperandType::LITERAL;
    Set(0, 0, 9, VectorSource(row.src[0], literal));
  }
  if (format == Format::kVop1) return;
  const OperandType second =
      row.src[1] == OperandType::LITERAL ? row.src[2] : row.src[1];  // madmk's VGPR is src2
  Set(0, 9, 8,
      second == OperandType::S32 ? ScalarSource(second, false) : Vgpr(RegistersOf(second)));
}

void InstructionMaker::FillSdwa(const OpcodeRow& row, Format format) {
  const bool gfx9 = IsGfx9(generation_);
  const bool is_compare = format == Format::kVopc;
  const bool two_sources = format != Format::kVop1;
  Set(0, 0, 9, frontend::kCodeSdwa);
  if (!is_compare) {
    Set(0, 17, 8, Vgpr(RegistersOf(row.dst)));
    Set(1, 8, 3, random_.Below(7));
    Set(1, 11, 2, random_.Below(3));
    if (gfx9 && IsFloat(row.dst)) Set(1, 14, 2, SomeBits(20, 3));
  } else if (gfx9 && random_.Percent(60)) {
    Set(1, 15, 1, 1);
    Set(1, 8, 7, ScalarDestination(2));
  }
  if (!(is_compare && gfx9) && TakesClamp(row, generation_)) Set(1, 13, 1, SomeBits(30, 1));
  const uint32_t floats = SignedSources(row, false);
  for (int n = 0; n < (two_sources ? 2 : 1); ++n) {
    const int at = 16 + 8 * n;
    Set(1, at, 3, random_.Below(7));
    const bool is_float = IsFloat(row.src[static_cast<size_t>(n)]);
    if ((floats >> n & 1) != 0 && (is_float || random_.Percent(40))) {
      Set(1, at + 4, 2, SomeBits(40, 3));
      if (!is_float) Set(1, at, 3, 6);  // the sign of a whole dword
    } else {
      Set(1, at + 3, 1, SomeBits(40, 1));
    }
    uint32_t source = frontend::kCodeFirstVgpr + Vgpr(1);
    if (gfx9 && random_.Percent(15)) {
      source = ScalarSource(row.src[static_cast<size_t>(n)], false);
      Set(1, at + 7, 1, 1);
    }
    n == 0 ? Set(1, 0, 8, source) : Set(0, 9, 8, source);
  }
}

void InstructionMaker::FillDpp(const OpcodeRow& row, Format format) {
  Set(0, 0, 9, frontend::kCodeDpp);
  if (format != Format::kVopc) Set(0, 17, 8, Vgpr(RegistersOf(row.dst)));
  if (format != Format::kVop1) Set(0, 9, 8, Vgpr(RegistersOf(row.src[1])));
  Set(1, 0, 8, Vgpr(RegistersOf(row.src[0])));
  constexpr uint32_t kOthers[] = {0x130, 0x134, 0x138, 0x13C, 0x140, 0x141, 0x142, 0x143};
  uint32_t control = 0;
  switch (random_.Below(3)) {
    case 0: control = random_.Bits(8); break;
    case 1: control = 0x100 | random_.Below(3) << 4 | random_.Between(1, 15); break;
    default: control = random_.Pick(kOthers); break;
  }
  const bool broadcasts = Has(generation_, frontend::kDppNewBroadcast) && random_.Percent(15);
  if (broadcasts || IsWideDpp(row)) control = 0x150 | random_.Bits(4);
  Set(1, 8, 9, control);
  Set(1, 19, 1, random_.Bits(1));
  const uint32_t floats = SignedSources(row, false);
  for (int n = 0; n < 2; ++n) {
    if ((floats >> n & 1) != 0) Set(1, 20 + 2 * n, 2, SomeBits(40, 3));
  }
  Set(1, 24, 4, random_.Percent(60) ? 0xF : random_.Bits(4));
  Set(1, 28, 4, random_.Percent(60) ? 0xF : random_.Bits(4));
}

void InstructionMaker::FillVop3(const OpcodeRow& row) {
  if (row.dst != OperandType::NONE) Set(0, 0, 8, VectorDestination(row));
  const uint32_t floats = SignedSources(row, true);
  for (int n = 0; n < 3; ++n) {
    const OperandType type = row.src[static_cast<size_t>(n)];
    if (type != OperandType::NONE) Set(1, 9 * n, 9, VectorSource(type, false));
  }
  if (row.Has(frontend::CARRY_OUT)) {
    Set(0, 8, 7, ScalarDestination(2));
  } else {
    Set(0, 8, 3, SomeBits(25, floats));
  }
  const bool clamp =
      TakesClamp(row, generation_) && (IsGfx8Plus(generation_) || !row.Has(frontend::CARRY_OUT));
  if (clamp) Set(0, IsGfx8Plus(generation_) ? 15 : 11, 1, SomeBits(30, 1));
  if (IsGfx9(generation_) && row.Has(frontend::OP_SEL)) {
    uint32_t sources = 8;  // the destination
    for (int n = 0; n < 3; ++n) {
      if (row.src[static_cast<size_t>(n)] != OperandType::NONE) sources |= 1u << n;
    }
    Set(0, 11, 4, SomeBits(50, sources));
  }
  if (TakesOutputModifier(row)) Set(1, 27, 2, SomeBits(25, 3));
  Set(1, 29, 3, SomeBits(30, floats));
}

void InstructionMaker::FillVop3p(const OpcodeRow& row) {
  Set(0, 0, 8, Vgpr(RegistersOf(row.dst)));
  uint32_t sources = 0;
  uint32_t constants = 0;  // of pairs: their high dwords are refused
  for (int n = 0; n < 3; ++n) {
    const OperandType type = row.src[static_cast<size_t>(n)];
    if (type == OperandType::NONE) continue;
    sources |= 1u << n;
    const uint32_t source = VectorSource(type, false);
    if (frontend::IsPacked32(type) && source >= 128 && source < frontend::kCodeFirstVgpr)
      constants |= 1u << n;
    Set(1, 9 * n, 9, source);
  }
  const uint32_t floats = SignedSources(row, false);
  Set(0, 8, 3, SomeBits(30, floats));
  Set(0, 11, 3, SomeBits(50, sources & ~constants));
  const uint32_t high = (random_.Percent(50) ? 7u : random_.Bits(3)) & ~constants;
  Set(0, 14, 1, high >> 2);
  Set(1, 27, 2, high);
  Set(0, 15, 1, SomeBits(25, 1));
  Set(1, 29, 3, SomeBits(30, floats));
}

namespace {

bool IsFloat64Matrix(const frontend::OpcodeRow& row) {
  return frontend::MatrixShapeOf(row.opcode)->element == frontend::MatrixElement::kF64;
}

}  // namespace

void InstructionMaker::FillMai(const OpcodeRow& row) {
  const auto acc = [&](OperandType type) {
    const auto registers = static_cast<uint32_t>(RegistersOf(type));
    const uint32_t first = random_.Below(std::max(plan_.count, registers) - registers + 1);
    return first & ~(registers > 1 ? odd_ : 0);
  };
  constexpr uint32_t kVgpr0 = frontend::kCodeFirstVgpr;
  if (row.opcode == frontend::Opcode::V_ACCVGPR_READ_B32) {
    Set(0, 0, 8, Vgpr(1));
    Set(1, 0, 9, kVgpr0 + acc(row.src[0]));
    return;
  }
  if (row.opcode == frontend::Opcode::V_ACCVGPR_WRITE_B32) {
    Set(0, 0, 8, acc(row.dst));
    Set(1, 0, 9, VectorSource(row.src[0], false));
    return;
  }
  const bool is_unified = Has(generation_, frontend::kUnifiedVgprs);
  const bool fits = static_cast<uint32_t>(RegistersOf(row.dst)) <= plan_.pool();
  const bool to_acc = !(is_unified && fits && random_.Percent(50));
  const auto result = [&](OperandType type) {
    return to_acc ? acc(type) : Vgpr(RegistersOf(type));
  };
  const uint32_t destination = result(row.dst);
  Set(0, 0, 8, destination);
  if (is_unified) Set(0, 15, 1, to_acc ? 1 : 0);
  for (int n = 0; n < 2; ++n) {
    const OperandType type = row.src[static_cast<size_t>(n)];
    const bool is_acc = random_.Percent(30);
    Set(1, 9 * n, 9, kVgpr0 + (is_acc ? acc(type) : Vgpr(RegistersOf(type))));
    Set(1, 27 + n, 1, is_acc ? 1 : 0);
  }
  Set(1, 18, 9, kVgpr0 + (random_.Percent(60) ? destination : result(row.src[2])));
  if (is_unified && random_.Percent(30))
    Set(1, 18, 9, random_.Pick({128u, 130u, 193u, 242u, 247u}));
  if (IsFloat64Matrix(row) && Has(generation_, frontend::kGfx942Isa))
    return Set(1, 29, 3, SomeBits(40, 7));
  const uint32_t cbsz = SomeBits(30, 7);
  Set(0, 8, 3, cbsz);
  Set(0, 11, 4, random_.Bits(4) & ((1u << cbsz) - 1));
  Set(1, 29, 3, SomeBits(40, 7));
}

}  // namespace gcnjit::differential
