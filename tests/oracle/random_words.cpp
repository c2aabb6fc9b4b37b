#include "random_words.h"

#include "frontend/isa/opcode_table.h"

namespace gcnjit::oracle {
namespace {

using frontend::Format;
using frontend::Generation;
using frontend::IsGfx8Plus;
using frontend::OpcodeNumber;
using frontend::OpcodeRow;

uint32_t Bits(std::mt19937_64& random, int count) {
  return static_cast<uint32_t>(random() >> (64 - count));
}

bool Chance(std::mt19937_64& random, int percent) {
  return random() % 100 < static_cast<uint64_t>(percent);
}

// Random bits of which most are zero as often as not: fields that must be zero come up as zero.
uint32_t SparseBits(std::mt19937_64& random) {
  switch (random() % 4) {
    case 0: return Bits(random, 32);
    case 1: return Bits(random, 32) & Bits(random, 32);
    case 2: return Bits(random, 32) & Bits(random, 32) & Bits(random, 32);
    default: return Bits(random, 32) & ~(0xFFu << (8 * (random() % 4)));
  }
}

// A 9-bit source code: registers, constants and specials about equally often.
uint32_t SourceCode(std::mt19937_64& random) {
  switch (random() % 5) {
    case 0: return 256 + Bits(random, 8);
    case 1: return Bits(random, 7);
    case 2: return 128 + static_cast<uint32_t>(random() % 81);
    case 3: return 235 + static_cast<uint32_t>(random() % 21);
    default: return 256 + Bits(random, 5);
  }
}

uint32_t SdwaWord(std::mt19937_64& random) {
  uint32_t word = SparseBits(random);
  if (Chance(random, 80)) word &= 0x3F3FFFFF;  // VGPR sources mostly
  if (Chance(random, 60)) word &= ~0x30303800u | Bits(random, 32);
  // llvm-mc dies of the reserved select 7, and finding out costs many runs: a few will do.
  for (const int select : {8, 16, 24}) {
    if ((word >> select & 7) == 7 && Chance(random, 99)) word ^= 1u << select;
  }
  return word;
}

}  // namespace

Skeleton SkeletonOf(Generation g, Format format, uint32_t number) {
  const bool gfx8 = IsGfx8Plus(g);
  switch (format) {
    case Format::kSop1: return {0xBE800000 | number << 8, 0xFF80FF00};
    case Format::kSop2: return {0x80000000 | number << 23, 0xFF800000};
    case Format::kSopk: return {0xB0000000 | number << 23, 0xFF800000};
    case Format::kSopc: return {0xBF000000 | number << 16, 0xFFFF0000};
    case Format::kSopp: return {0xBF800000 | number << 16, 0xFFFF0000};
    case Format::kSmrd: return {0xC0000000 | number << 22, 0xFFC00000};
    case Format::kSmem: return {0xC0000000 | number << 18, 0xFFFC0000};
    case Format::kVop1: return {0x7E000000 | number << 9, 0xFE01FE00};
    case Format::kVop2: return {number << 25, 0xFE000000};
    case Format::kVopc: return {0x7C000000 | number << 17, 0xFFFE0000};
    case Format::kVop3:
      if (gfx8) return {0xD0000000 | number << 16, 0xFFFF0000};
      return {0xD0000000 | number << 17, 0xFFFE0000};
    case Format::kVop3p: return {0xD3800000 | number << 16, 0xFFFF0000};
    case Format::kVintrp: return {(gfx8 ? 0xD4000000 : 0xC8000000) | number << 16, 0xFC030000};
    case Format::kDs:
      if (gfx8) return {0xD8000000 | number << 17, 0xFFFE0000};
      return {0xD8000000 | number << 18, 0xFFFC0000};
    case Format::kMubuf: return {0xE0000000 | number << 18, 0xFDFC0000};
    case Format::kMtbuf:
      if (gfx8) return {0xE8000000 | number << 15, 0xFC078000};
      return {0xE8000000 | number << 16, 0xFC070000};
    case Format::kFlat: return {0xDC000000 | number << 18, 0xFDFC0000};
    case Format::kScratch: return {0xDC004000 | number << 18, 0xFDFCC000};
    case Format::kGlobal: return {0xDC008000 | number << 18, 0xFDFCC000};
    case Format::kMimg: return {0xF0000000 | number << 18, 0xFDFC0000};
    case Format::kExp: return {gfx8 ? 0xC4000000 : 0xF8000000, 0xFC000000};
    case Format::kNone: break;
  }
  return {0, 0};
}

Words RandomWords(Generation generation, std::mt19937_64& random) {
  if (Chance(random, 10)) return {Bits(random, 32), Bits(random, 32)};

  const OpcodeRow& row = frontend::RowOf(static_cast<int>(random() % frontend::kOpcodeCount));
  OpcodeNumber number = row.On(generation);
  if (number.format == Format::kNone) {
    // An opcode number that the row has on other generations only, or none at all.
    number = IsGfx8Plus(generation) ? row.on89 : row.on67;
    if (number.format == Format::kNone) return {Bits(random, 32), SparseBits(random)};
  }
  if (const int vop3 = Vop3NumberOf(row, generation); vop3 >= 0 && Chance(random, 50)) {
    number = {Format::kVop3, static_cast<uint16_t>(vop3)};
  }
  if (Chance(random, 3)) number.number ^= static_cast<uint16_t>(1u << random() % 7);
  const Skeleton skeleton = SkeletonOf(generation, number.format, number.number);
  Words words = {(SparseBits(random) & ~skeleton.mask) | skeleton.bits, SparseBits(random)};

  const auto set_field = [&](int word, int lo, int bits, uint32_t value) {
    const uint32_t mask = ((1u << bits) - 1) << lo;
    words[static_cast<size_t>(word)] =
        (words[static_cast<size_t>(word)] & ~mask) | (value << lo & mask);
  };
  switch (number.format) {
    case Format::kVop1:
    case Format::kVop2:
    case Format::kVopc: {
      uint32_t source = SourceCode(random);
      if (Chance(random, 30)) source = 249 + Bits(random, 1);
      set_field(0, 0, 9, source);
      if (source == 249) words[1] = SdwaWord(random);
      break;
    }
    case Format::kVop3:
    case Format::kVop3p:
      for (int i = 0; i < 3; ++i) {
        if (Chance(random, 85)) set_field(1, 9 * i, 9, SourceCode(random));
      }
      if (Chance(random, 40)) set_field(1, 18, 9, 0);
      break;
    case Format::kSop1:
    case Format::kSop2:
    case Format::kSopc:
      set_field(0, 0, 8, SourceCode(random));
      if (number.format != Format::kSop1) set_field(0, 8, 8, SourceCode(random));
      break;
    case Format::kMubuf:
    case Format::kMtbuf: set_field(1, 24, 8, SourceCode(random)); break;
    default: break;
  }
  return words;
}

}  // namespace gcnjit::oracle
