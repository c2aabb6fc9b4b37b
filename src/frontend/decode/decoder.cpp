// Finds the format of a machine word and hands it to the format's decoder.
//
// Format prefixes: GCN3 and Vega ISA manuals, chapter "Microcode Formats"; gfx6-7 differ in SMRD
// (five prefix bits), VINTRP and EXP.
#include "frontend/decode/decoder.h"

#include "frontend/decode/decoder_internal.h"

namespace gcnjit::frontend {
namespace {

using namespace decoder_internal;

struct FormatDecoder {
  DecodeStatus (*decode)(Decoding&);
  int words;  // without a literal
};

constexpr FormatDecoder kNoFormat = {nullptr, 1};

FormatDecoder ScalarFormat(uint32_t word) {
  switch (Bits(word, 23, 9)) {
    case 0x17D: return {DecodeSop1, 1};
    case 0x17E: return {DecodeSopc, 1};
    case 0x17F: return {DecodeSopp, 1};
    default: break;
  }
  return Bits(word, 28, 4) == 0xB ? FormatDecoder{DecodeSopk, 1} : FormatDecoder{DecodeSop2, 1};
}

FormatDecoder VectorFormat(uint32_t word) {
  switch (Bits(word, 25, 7)) {
    case 0x3E: return {DecodeVopc, 1};
    case 0x3F: return {DecodeVop1, 1};
    default: return {DecodeVop2, 1};
  }
}

FormatDecoder FormatOf(Generation g, uint32_t word) {
  if (!Bit(word, 31)) return VectorFormat(word);
  if (!Bit(word, 30)) return ScalarFormat(word);
  const bool gfx8_plus = IsGfx8Plus(g);
  switch (Bits(word, 26, 6)) {
    case 0x30: return gfx8_plus ? FormatDecoder{DecodeSmem, 2} : FormatDecoder{DecodeSmrd, 1};
    case 0x31: return gfx8_plus ? FormatDecoder{DecodeExp, 2} : FormatDecoder{DecodeSmrd, 1};
    case 0x32: return gfx8_plus ? kNoFormat : FormatDecoder{DecodeVintrp, 1};
    case 0x34:
      // VOP3P is carved out of VOP3's highest opcodes.
      if (IsGfx9(g) && Bits(word, 23, 3) == 7) return {DecodeVop3p, 2};
      return {DecodeVop3, 2};
    case 0x35: return gfx8_plus ? FormatDecoder{DecodeVintrp, 1} : kNoFormat;
    case 0x36: return {DecodeDs, 2};
    case 0x37: return Has(g, kHasFlat) ? FormatDecoder{DecodeFlat, 2} : kNoFormat;
    case 0x38: return {DecodeMubuf, 2};
    case 0x3A: return {DecodeMtbuf, 2};
    case 0x3C: return {DecodeMimg, 2};
    case 0x3E: return gfx8_plus ? kNoFormat : FormatDecoder{DecodeExp, 2};
    default: return kNoFormat;
  }
}

// D16 loads. gfx8's have a register for each value.
bool MayLoadHalf(Generation g, const Instruction& i) {
  return IsGfx9(g) && i.row().Has(LOAD) &&
         (i.d16 || i.row().names.find("_d16") != std::string_view::npos);
}

}  // namespace

DecodeStatus Decode(const Processor& processor, std::span<const uint32_t> words, Instruction& out) {
  const Generation generation = processor.generation;
  if (words.empty()) return DecodeStatus::kTruncated;
  const FormatDecoder format = FormatOf(generation, words[0]);
  if (format.decode == nullptr) return DecodeStatus::kUnknownOpcode;
  if (words.size() < static_cast<size_t>(format.words)) return DecodeStatus::kTruncated;
  out = Instruction{};
  out.size = static_cast<uint8_t>(4 * format.words);
  Decoding decoding(generation, words, out);
  const DecodeStatus status = format.decode(decoding);
  if (decoding.truncated()) return DecodeStatus::kTruncated;
  if (status == DecodeStatus::kOk && processor.sram_ecc) {
    out.zeroes_half = MayLoadHalf(generation, out);
  }
  return status;
}

}  // namespace gcnjit::frontend
