#include "random_words.h"

#include "encoding/skeleton.h"
#include "isa/opcode_table.h"

namespace gcnjit::oracle {
namespace {

using encoding::Skeleton;
using encoding::SkeletonOf;
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

// A literal made of random bits: often an inline constant of 16 or of 32 bits, which it is spelled
// like, or next to one.
uint32_t Literal(uint32_t bits) {
  constexpr uint32_t kConstants[] = {0x3800,     0xbc00,     0x4000,     0xc400,     0x3118,
                                     0x3f000000, 0xbf800000, 0x40000000, 0xc0800000, 0x3e22f983};
  const uint32_t high = bits & 0xFFFF0000;
  const uint32_t integer = (bits >> 4) % 100 - 25;
  const uint32_t constant = kConstants[(bits >> 4) % std::size(kConstants)];
  switch (bits % 8) {
    case 1: return integer;
    case 3: return high | (integer & 0xFFFF);
    case 5: return constant;
    case 7: return high | (constant & 0xFFFF);
    default: return bits;
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

Words RandomWords(Generation generation, std::mt19937_64& random) {
  if (Chance(random, 10)) return {Bits(random, 32), Bits(random, 32)};

  const OpcodeRow& row = frontend::RowOf(static_cast<int>(random() % frontend::kOpcodeCount));
  OpcodeNumber number = row.On(generation);
  if (number.format == Format::kNone) {
    // An opcode number that the row has on other generations only, or none at all.
    number = IsGfx8Plus(generation) ? row.on89.before : row.on67;
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
      if (source == 255) words[1] = Literal(words[1]);
      break;
    }
    case Format::kVop3:
    case Format::kVop3p:
      for (int i = 0; i < 3; ++i) {
        if (Chance(random, 85)) set_field(1, 9 * i, 9, SourceCode(random));
      }
      if (Chance(random, 40)) set_field(1, 18, 9, 0);
      break;
    case Format::kMai:
      for (int i = 0; i < 3; ++i) {
        if (Chance(random, 90)) set_field(1, 9 * i, 9, 256 + Bits(random, 8));
      }
      if (Chance(random, 50)) set_field(0, 8, 8, 0);
      if (row.src[1] == frontend::OperandType::NONE) set_field(1, 9, 18, 0);
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
