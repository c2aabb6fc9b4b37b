// DS, MUBUF, MTBUF, FLAT, GLOBAL, SCRATCH, MIMG and EXP as text.
#include <fmt/format.h>

#include "frontend/disassemble/disassembler_internal.h"
#include "isa/image_operands.h"
#include "isa/vector_registers.h"

namespace gcnjit::frontend::disassembler_internal {
namespace {

using enum OperandType;

bool HasTwoOffsets(const OpcodeRow& row) {
  const std::string_view id = row.id;
  return id.find("READ2") != id.npos || id.find("WRITE2") != id.npos ||
         id.find("WRXCHG2") != id.npos;
}

void CacheBits(Generation generation, const Instruction& in, Text& text) {
  const bool scopes = Has(generation, kGfx942Isa);
  text.ModifierIf(in.glc, scopes ? "sc0" : "glc");
  text.ModifierIf(in.slc, scopes ? "nt" : "slc");
  text.ModifierIf(in.scc, scopes ? "sc1" : "scc");
}

std::string DsText(Generation generation, const Instruction& in) {
  const OpcodeRow& row = in.row();
  Text text{std::string(row.Name(generation))};
  if (row.dst != NONE) text.Operand(OperandText(generation, in, in.dst));
  for (size_t i = 0; i < row.src.size(); ++i) {
    if (row.src[i] != NONE) text.Operand(OperandText(generation, in, in.src[i]));
  }
  if (HasTwoOffsets(row)) {
    if (in.offset0 != 0) text.Modifier(fmt::format("offset0:{}", in.offset0));
    if (in.offset1 != 0) text.Modifier(fmt::format("offset1:{}", in.offset1));
  } else if (row.opcode == Opcode::DS_SWIZZLE_B32) {
    if (in.offset != 0) {
      text.Modifier("offset:" + SwizzleText(static_cast<uint32_t>(in.offset)));
    }
  } else if (in.offset != 0) {
    text.Modifier(fmt::format("offset:{}", in.offset));
  }
  text.ModifierIf(in.gds, "gds");
  return text.Take();
}

std::string BufferText(Generation generation, const Instruction& in) {
  const OpcodeRow& row = in.row();
  Text text{std::string(row.Name(generation))};
  if (row.src[0] == NONE) {
    text.ModifierIf(in.glc && Has(generation, kGfx942Isa), "sc0");
    text.ModifierIf(in.scc && Has(generation, kGfx942Isa), "sc1");
    return text.Take();
  }
  const Operand& data = row.src[1] != NONE ? in.src[1] : in.dst;
  if (data.kind != OperandKind::kNone) {
    text.Operand(OperandText(generation, in, data));
  }
  const int address_registers = in.addr64 ? 2 : (in.offen ? 1 : 0) + (in.idxen ? 1 : 0);
  const bool stores_lds = row.opcode == Opcode::BUFFER_STORE_LDS_DWORD;
  if (!stores_lds) text.Operand(OperandText(generation, in, in.src[0], address_registers));
  text.Operand(OperandText(generation, in, in.src[2]));
  text.Operand(OperandText(generation, in, in.src[3]));
  if (in.encoding == Encoding::kMtbuf) {
    const std::string format = BufferFormatText(generation, in.dfmt, in.nfmt);
    text.ModifierIf(!format.empty(), format);
  }
  text.ModifierIf(in.idxen, "idxen");
  text.ModifierIf(in.offen, "offen");
  text.ModifierIf(in.addr64, "addr64");
  if (in.offset != 0) text.Modifier(fmt::format("offset:{}", in.offset));
  text.ModifierIf(stores_lds, "lds");
  CacheBits(generation, in, text);
  text.ModifierIf(in.tfe && !in.lds && !row.Has(ATOMIC), "tfe");
  text.ModifierIf(in.lds && !stores_lds, "lds");
  return text.Take();
}

std::string FlatText(Generation generation, const Instruction& in) {
  const OpcodeRow& row = in.row();
  Text text{std::string(row.Name(generation))};
  if (in.dst.kind != OperandKind::kNone) {
    text.Operand(OperandText(generation, in, in.dst));
  }
  text.Operand(OperandText(generation, in, in.src[0]));
  if (row.src[1] != NONE) text.Operand(OperandText(generation, in, in.src[1]));
  if (in.encoding != Encoding::kFlat) text.Operand(OperandText(generation, in, in.src[2]));
  if (in.offset != 0) text.Modifier(fmt::format("offset:{}", in.offset));
  CacheBits(generation, in, text);
  text.ModifierIf(in.lds && row.dst != NONE, "lds");
  return text.Take();
}

// How many registers LLVM prints: where it has no form of the right size, it falls back.
int PrintedImageRegisters(const ImageForm& form, Generation generation, const Instruction& in,
                          const Operand& data) {
  const bool gathers = form.kind == ImageKind::kGather;
  const int pair = form.has_pair ? 2 : 1;
  const int fallback = gathers ? 4 : pair;
  int registers = ImageDataRegisters(form, in, generation) + (in.tfe ? 1 : 0);
  if (gathers && in.tfe && in.d16 && IsGfx9(generation)) registers = 4;
  if (form.kind == ImageKind::kAtomic && registers != 2 * pair) registers = pair;
  return data.index + registers > kMaxVgprs ? fallback : registers;
}

std::string ImageText(Generation generation, const Instruction& in) {
  const OpcodeRow& row = in.row();
  const ImageForm form = ImageFormOf(row);
  const Operand& data = in.dst.kind != OperandKind::kNone ? in.dst : in.src[1];
  Text text{std::string(row.Name(generation))};
  text.Operand(
      OperandText(generation, in, data, PrintedImageRegisters(form, generation, in, data)));
  text.Operand(OperandText(generation, in, in.src[0], LeastImageAddressRegisters(form)));
  text.Operand(OperandText(generation, in, in.src[2]));
  if (form.HasSampler()) text.Operand(OperandText(generation, in, in.src[3]));
  if (in.imm != 0) text.Modifier(fmt::format("dmask:{:#x}", in.imm));
  text.ModifierIf(in.unorm, "unorm");
  text.ModifierIf(in.glc, "glc");
  text.ModifierIf(in.slc, "slc");
  text.ModifierIf(in.r128, IsGfx9(generation) ? "a16" : "r128");
  text.ModifierIf(in.tfe, "tfe");
  text.ModifierIf(in.lwe, "lwe");
  text.ModifierIf(in.da, "da");
  text.ModifierIf(in.d16, "d16");
  return text.Take();
}

std::string ExportText(Generation generation, const Instruction& in) {
  std::string text = "exp " + ExportTargetText(static_cast<uint32_t>(in.imm));
  for (uint32_t i = 0; i < 4; ++i) {
    // Compressed exports hold two channels a register.
    const uint32_t source = in.compressed ? i / 2 : i;
    const bool enabled = (in.enable >> i & 1) != 0;
    text += i == 0 ? " " : ", ";
    text += enabled ? OperandText(generation, in, in.src[source]) : "off";
  }
  if (in.done) text += " done";
  if (in.compressed) text += " compr";
  if (in.valid_mask) text += " vm";
  return text;
}

}  // namespace

std::string MemoryText(Generation generation, const Instruction& in) {
  switch (in.encoding) {
    case Encoding::kDs: return DsText(generation, in);
    case Encoding::kMubuf:
    case Encoding::kMtbuf: return BufferText(generation, in);
    case Encoding::kFlat:
    case Encoding::kGlobal:
    case Encoding::kScratch: return FlatText(generation, in);
    case Encoding::kMimg: return ImageText(generation, in);
    default: return ExportText(generation, in);
  }
}

}  // namespace gcnjit::frontend::disassembler_internal
