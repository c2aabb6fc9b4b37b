// Builds the ISA table from the rows and, from it, the decoder's number -> row maps; checks at
// compile time that the rows are consistent.
#include "isa/opcode_table.h"

#include <algorithm>

namespace gcnjit::frontend {
namespace {

constexpr uint16_t Bit(Generation g) { return static_cast<uint16_t>(1u << static_cast<int>(g)); }

// The values of the presence column. G906 and what is named after a later generation include the
// generations that come after it.
constexpr uint16_t G6 = Bit(Generation::kGfx6), G7 = Bit(Generation::kGfx7);
constexpr uint16_t G8 = Bit(Generation::kGfx8), G900 = Bit(Generation::kGfx900);
constexpr uint16_t G942 = Bit(Generation::kGfx942), G90A = Bit(Generation::kGfx90a) | G942;
constexpr uint16_t G908 = Bit(Generation::kGfx908) | G90A;
constexpr uint16_t G906 = Bit(Generation::kGfx906) | G908;
constexpr uint16_t G67 = G6 | G7, G9 = G900 | G906, G89 = G8 | G9, G789 = G7 | G89;
constexpr uint16_t G678 = G67 | G8, G6789 = G67 | G89;
// Up to CDNA 1.
constexpr uint16_t G6789C1 = G6789 & ~G90A, G89C1 = G89 & ~G90A;
constexpr uint16_t G9C1 = G9 & ~G90A;
// Up to CDNA 2.
constexpr uint16_t G6789C2 = G6789 & ~G942, G908C2 = G908 & ~G942, G90AC2 = G90A & ~G942;

constexpr OpcodeNumber NONE_{};
constexpr OpcodeNumbers MOVED(OpcodeNumber before, OpcodeNumber on90a, OpcodeNumber on942) {
  return {before, on90a, on942};
}
constexpr OpcodeNumbers MOVED(OpcodeNumber before, OpcodeNumber on90a) {
  return {before, on90a, on90a};
}
// clang-format off
#define GCN_FORMAT(name, format) \
  constexpr OpcodeNumber name(int number) { return {Format::format, static_cast<uint16_t>(number)}; }
GCN_FORMAT(SOP1, kSop1) GCN_FORMAT(SOP2, kSop2) GCN_FORMAT(SOPK, kSopk) GCN_FORMAT(SOPC, kSopc)
GCN_FORMAT(SOPP, kSopp) GCN_FORMAT(SMRD, kSmrd) GCN_FORMAT(SMEM, kSmem) GCN_FORMAT(VOP1, kVop1)
GCN_FORMAT(VOP2, kVop2) GCN_FORMAT(VOPC, kVopc) GCN_FORMAT(VOP3, kVop3) GCN_FORMAT(VOP3P, kVop3p)
GCN_FORMAT(MAI, kMai) GCN_FORMAT(VINTRP, kVintrp) GCN_FORMAT(DS, kDs) GCN_FORMAT(MUBUF, kMubuf) GCN_FORMAT(MTBUF, kMtbuf)
GCN_FORMAT(FLAT, kFlat) GCN_FORMAT(GLOBAL, kGlobal) GCN_FORMAT(SCRATCH, kScratch)
GCN_FORMAT(MIMG, kMimg) GCN_FORMAT(EXP, kExp)
#undef GCN_FORMAT
    // clang-format on

    constexpr const char* OK = nullptr;
constexpr const char* NO(const char* reason) { return reason; }

using enum OperandType;

constexpr OpcodeRow kRows[] = {
#define GCN_ROW(id, on67, on89, presence, names, dst, src0, src1, src2, flags, status) \
  {Opcode::id, #id, on67, on89, presence, names, dst, {src0, src1, src2}, flags, status},
#include "isa/all_rows.def"
#undef GCN_ROW
};

constexpr int kFormatCount = static_cast<int>(Format::kExp) + 1;
constexpr int kMaxNumber = 1024;  // VOP3 has 10 opcode bits, the widest

constexpr int ComputeVop3Number(const OpcodeRow& row, Generation g) {
  const OpcodeNumber n = row.On(g);
  if (row.Has(NO_VOP3)) return -1;
  switch (n.format) {
    case Format::kVopc: return n.number;
    case Format::kVop2: return n.number + 0x100;
    case Format::kVop1: return n.number + (IsGfx8Plus(g) ? 0x140 : 0x180);
    default: return -1;
  }
}

// Rows by (generation, format, number); kUnused where there is none. FLAT, GLOBAL and SCRATCH have
// 7 opcode bits, MUBUF 7, DS 8, SMEM 8: all under kMaxNumber.
constexpr uint16_t kUnused = 0xFFFF;
using NumberMap = std::array<uint16_t, kMaxNumber>;

struct DecodeMaps {
  std::array<std::array<NumberMap, kFormatCount>, kGenerationCount> maps;
};

// Does not compile if two rows claim one number of a format on a generation.
consteval DecodeMaps BuildMaps() {
  DecodeMaps result{};
  for (auto& generation : result.maps) {
    for (auto& map : generation) map.fill(kUnused);
  }
  for (int i = 0; i < kOpcodeCount; ++i) {
    for (Generation g : kGenerations) {
      const OpcodeRow& row = kRows[i];
      const auto claim = [&](Format format, int number) {
        uint16_t& slot = result.maps[static_cast<int>(g)][static_cast<int>(format)][number];
        if (slot != kUnused) throw "two rows claim one opcode number";
        slot = static_cast<uint16_t>(i);
      };
      const OpcodeNumber n = row.On(g);
      if (n.format == Format::kNone) continue;
      claim(n.format, n.number);
      if (const int vop3 = ComputeVop3Number(row, g); vop3 >= 0) claim(Format::kVop3, vop3);
    }
  }
  return result;
}

constexpr DecodeMaps kMaps = BuildMaps();

constexpr bool RowsAreConsistent() {
  for (const OpcodeRow& row : kRows) {
    if (row.presence == 0 || row.names.empty()) return false;
    const bool has67 = row.on67.format != Format::kNone;
    const bool has89 = row.on89.before.format != Format::kNone;
    if (has67 != ((row.presence & G67) != 0) || has89 != ((row.presence & G89) != 0)) return false;
  }
  return true;
}
static_assert(RowsAreConsistent(), "a row's presence and its opcode numbers disagree");
static_assert(std::size(kRows) == kOpcodeCount);

}  // namespace

const OpcodeRow& RowOf(Opcode opcode) { return kRows[static_cast<int>(opcode)]; }

std::string_view OpcodeRow::Name(Generation g) const {
  const size_t first = names.find('|');
  if (first == std::string_view::npos) return names;
  const size_t second = names.find('|', first + 1);
  if (!IsGfx8Plus(g)) return names.substr(0, first);
  if (!IsGfx9(g)) return names.substr(first + 1, second - first - 1);
  const size_t third = names.find('|', second + 1);
  if (third == std::string_view::npos) return names.substr(second + 1);
  if (!frontend::Has(g, kGfx942Isa)) return names.substr(second + 1, third - second - 1);
  return names.substr(third + 1);
}

bool TakesFloatModifiers(const OpcodeRow& row, size_t source) {
  // Of packed halves only VOP3P says which of them.
  if (row.src[source] == OperandType::P16F) return row.on89.before.format == Format::kVop3p;
  return IsFloat(row.src[source]) || (row.Has(FLOAT_MODS) && source < 2);
}

namespace {

// Conversions of f32 to 8-bit floats: whether CLAMP acts on them is not documented.
bool ConvertsToBytes(const OpcodeRow& row) {
  switch (row.opcode) {
    case Opcode::V_CVT_PK_FP8_F32:
    case Opcode::V_CVT_PK_BF8_F32:
    case Opcode::V_CVT_SR_FP8_F32:
    case Opcode::V_CVT_SR_BF8_F32: return true;
    default: return false;
  }
}

}  // namespace

bool TakesClamp(const OpcodeRow& row, Generation generation) {
  if (ConvertsToBytes(row)) return false;
  // Before gfx8 only floats can be clamped.
  if (!IsGfx8Plus(generation)) return IsFloat(row.dst);
  if (row.Has(CLAMP_INT)) return true;
  // Comparing with a class mask has no clamp, comparing floats has (it only signals).
  if (row.dst == OperandType::M64) return IsFloat(row.src[1]);
  return IsFloat(row.dst) || IsFloat(row.src[0]);
}

bool TakesOutputModifier(const OpcodeRow& row) {
  if (row.Has(OMOD_ANY)) return true;
  // The f16 interpolations have none.
  if (row.Has(INTERPOLATION) && row.dst == OperandType::F16) return false;
  return IsFloat(row.dst) && !row.Has(OP_SEL);
}

bool IsWideDpp(const OpcodeRow& row) { return BitsOf(row.dst) == 64 || BitsOf(row.src[0]) == 64; }

bool HasDpp(const OpcodeRow& row, Generation generation) {
  if (row.Has(DPP)) return true;
  const Format home = row.On(generation).format;
  return Has(generation, kDppNewBroadcast) && IsWideDpp(row) &&
         (home == Format::kVop1 || home == Format::kVop2);
}

bool HasHalfOperands(const OpcodeRow& row) {
  if (row.Has(OP_SEL) || BitsOf(row.dst) == 16) return true;
  using enum OperandType;
  return std::any_of(row.src.begin(), row.src.end(),
                     [](OperandType t) { return BitsOf(t) == 16 || t == P16F || t == P16I; });
}

bool TakesIntegerSignModifiers(const OpcodeRow& row, size_t source) {
  using enum OperandType;
  const OperandType type = row.src[source];
  if (IsFloat(type) || type == M64 || type == P16I || row.Has(CROSS_LANE) || row.Has(INTERPOLATION))
    return false;
  return BitsOf(type) == 32 || BitsOf(type) == 64;
}

bool KeepsSignallingNans(const OpcodeRow& row) {
  using enum OperandType;
  switch (row.opcode) {
    using enum Opcode;
    case V_CVT_F16_F32:
    case V_MIN_F32:
    case V_MAX_F32:
    case V_MIN_LEGACY_F32:
    case V_MAX_LEGACY_F32:
    case V_MIN3_F32:
    case V_MAX3_F32:
    case V_MED3_F32:
    case V_MIN_F64:
    case V_MAX_F64:
    case V_MIN_F16:
    case V_MAX_F16:
    case V_MIN3_F16:
    case V_MAX3_F16:
    case V_MED3_F16:
    case V_PK_MIN_F16:
    case V_PK_MAX_F16: return false;
    default: break;
  }
  const OperandType first = row.src[0];
  if (row.Has(INTERPOLATION)) return false;
  if (row.dst == P16F || row.dst == P32F) return first == row.dst;
  const bool is_float = row.dst == F16 || row.dst == F32 || row.dst == F64;
  return is_float && (first == F16 || first == F32 || first == F64);
}

bool PrefersLastNan(const OpcodeRow& row) {
  switch (row.opcode) {
    using enum Opcode;
    case V_SUBREV_F32:
    case V_SUBREV_F16:
    case V_DIV_FIXUP_F32:
    case V_DIV_FIXUP_F64:
    case V_DIV_FIXUP_F16:
    case V_DIV_FIXUP_LEGACY_F16: return true;
    default: return false;
  }
}

int Vop3NumberOf(const OpcodeRow& row, Generation generation) {
  return ComputeVop3Number(row, generation);
}

const OpcodeRow* FindOpcode(Generation generation, Format format, int number) {
  if (number < 0 || number >= kMaxNumber) return nullptr;
  const uint16_t index = kMaps.maps[static_cast<int>(generation)][static_cast<int>(format)][number];
  return index == kUnused ? nullptr : &kRows[index];
}

}  // namespace gcnjit::frontend
