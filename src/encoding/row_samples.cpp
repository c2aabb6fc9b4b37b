#include "encoding/row_samples.h"

namespace gcnjit::encoding {
namespace {

using frontend::BitsOf;
using frontend::Format;
using frontend::Generation;
using frontend::IsGfx8Plus;
using frontend::IsGfx9;
using frontend::OpcodeNumber;
using frontend::OpcodeRow;
using frontend::OperandType;

// One code of each operand class: SGPRs, named registers, constants, specials, a literal, VGPRs.
constexpr uint32_t kSourceCodes[] = {0,   8,   100, 102, 104, 106, 107, 108, 112, 124, 126,
                                     127, 128, 129, 192, 193, 208, 235, 236, 237, 238, 239,
                                     240, 241, 242, 243, 244, 245, 246, 247, 248, 251, 252,
                                     253, 254, 255, 256, 257, 300, 510, 511};
constexpr uint32_t kScalarCodes[] = {0,   8,   96,  100, 102, 103, 104,
                                     106, 107, 108, 112, 116, 124, 126};
constexpr uint32_t kImmediates[] = {0,      1,     2,      5,      0x11,   0x22,   0x132, 0x7fff,
                                    0x8000, 0xf70, 0x3f7f, 0xf801, 0x2042, 0xfffe, 0xffff};
constexpr uint32_t kOffsets[] = {0, 1, 4, 0xff, 0x101, 0x7ff, 0x801f, 0x1234, 0x041f, 0xffff};

class Samples {
 public:
  Samples(Generation generation, const OpcodeRow& row) : generation_(generation), row_(row) {}

  std::vector<Words> Take() {
    const OpcodeNumber home = row_.On(generation_);
    AddFormat(home.format, home.number);
    if (const int vop3 = Vop3NumberOf(row_, generation_); vop3 >= 0) {
      AddFormat(Format::kVop3, static_cast<uint32_t>(vop3));
    }
    return std::move(samples_);
  }

 private:
  static void Set(Words& words, size_t word, int lo, int bits, uint32_t value) {
    SetField(words[word], lo, bits, value);
  }

  void Add(const Words& words) { samples_.push_back(words); }

  template <typename Values>
  void Vary(const Words& base, size_t word, int lo, int bits, const Values& values) {
    for (const uint32_t value : values) {
      Words words = base;
      Set(words, word, lo, bits, value);
      Add(words);
    }
  }
  void VaryBits(const Words& base, size_t word, std::initializer_list<int> positions) {
    for (const int position : positions) {
      Words words = base;
      words[word] ^= 1u << position;
      Add(words);
    }
  }

  // A literal that is no inline constant of the type and survives being printed.
  static uint32_t LiteralFor(OperandType type) {
    return BitsOf(type) == 16 ? 0x5678 : BitsOf(type) == 64 ? 0x40590000 : 0x12345678;
  }
  void VarySource(Words base, size_t word, int lo, int bits, OperandType type) {
    if (bits == 8 || bits == 9) base[1] = word == 0 ? LiteralFor(type) : base[1];
    Vary(base, word, lo, bits, kSourceCodes);
  }

  void AddFormat(Format format, uint32_t number) {
    Words base = {SkeletonOf(generation_, format, number).bits, 0};
    switch (format) {
      case Format::kSop1:
      case Format::kSop2:
      case Format::kSopk:
      case Format::kSopc:
      case Format::kSopp: AddScalar(format, base); break;
      case Format::kSmrd: AddSmrd(base); break;
      case Format::kSmem: AddSmem(base); break;
      case Format::kVop1:
      case Format::kVop2:
      case Format::kVopc: AddVector(format, base); break;
      case Format::kVop3: AddVop3(base); break;
      case Format::kVop3p: AddVop3p(base); break;
      case Format::kMai: AddMai(base); break;
      case Format::kVintrp: AddVintrp(base); break;
      case Format::kDs: AddDs(base); break;
      case Format::kMubuf:
      case Format::kMtbuf: AddBuffer(format, base); break;
      case Format::kFlat:
      case Format::kGlobal:
      case Format::kScratch: AddFlat(format, base); break;
      case Format::kMimg: AddImage(base); break;
      case Format::kExp: AddExport(base); break;
      case Format::kNone: break;
    }
  }

  void AddScalar(Format format, Words base) {
    const bool has_destination = row_.dst != OperandType::NONE;
    if (format == Format::kSopp) {
      // Reserved bits of coded immediates are not printed.
      if (row_.src[0] == OperandType::WAITCNT) {
        Vary(base, 0, 0, 16, std::initializer_list<uint32_t>{0, 0x70, 0x7f, 0x170, 0xf70, 0xf7f});
        if (IsGfx9(generation_))
          Vary(base, 0, 0, 16, std::initializer_list<uint32_t>{0xcf7f, 0x4f70});
      } else if (row_.src[0] == OperandType::SENDMSG) {
        Vary(base, 0, 0, 16,
             std::initializer_list<uint32_t>{0, 1, 3, 4, 5, 9, 0x12, 0x122, 0x33, 0x1f, 0x4f,
                                             0x3ff});
      } else {
        Vary(base, 0, 0, 16, kImmediates);
      }
      return;
    }
    if (format == Format::kSopk) {
      const bool has_register = row_.opcode != frontend::Opcode::S_SETREG_IMM32_B32;
      if (has_register) Set(base, 0, 16, 7, 4);
      base[1] = 0x12345678;
      Vary(base, 0, 0, 16, kImmediates);
      if (has_register) Vary(base, 0, 16, 7, kScalarCodes);
      return;
    }
    if (row_.src[0] != OperandType::NONE) Set(base, 0, 0, 8, 4);
    if (format == Format::kSop2) Set(base, 0, 8, 8, 8);
    if (format == Format::kSopc) Set(base, 0, 8, 8, 8);
    if (has_destination) Set(base, 0, 16, 7, 12);
    Add(base);
    if (row_.src[0] != OperandType::NONE) VarySource(base, 0, 0, 8, row_.src[0]);
    if (format != Format::kSop1) VarySource(base, 0, 8, 8, row_.src[1]);
    if (has_destination && format != Format::kSopc) Vary(base, 0, 16, 7, kScalarCodes);
  }

  void AddSmrd(Words base) {
    if (row_.dst != OperandType::NONE) Set(base, 0, 15, 7, 16);
    if (row_.src[0] == OperandType::NONE) {
      Add(base);
      return;
    }
    Set(base, 0, 9, 6, 4);
    Vary(base, 0, 15, 7, kScalarCodes);
    for (const uint32_t code : kScalarCodes) {
      if (code % 2 == 0) Vary(base, 0, 9, 6, std::initializer_list<uint32_t>{code / 2});
    }
    Vary(base, 0, 0, 8, kScalarCodes);
    Words literal = base;
    literal[1] = 0x12345;
    Set(literal, 0, 0, 8, 0xFF);
    Add(literal);
    Set(base, 0, 8, 1, 1);
    Vary(base, 0, 0, 8, kOffsets);
  }

  void AddSmem(Words base) {
    const bool has_data = row_.dst != OperandType::NONE || row_.src[2] != OperandType::NONE;
    if (has_data) Set(base, 0, 6, 7, 16);
    if (row_.src[0] == OperandType::NONE) {
      Add(base);
      return;
    }
    Set(base, 0, 0, 6, 4);
    Vary(base, 1, 0, 7, kScalarCodes);
    Set(base, 0, 17, 1, 1);
    Vary(base, 1, 0, 20, kOffsets);
    if (has_data) Vary(base, 0, 6, 7, kScalarCodes);
    if ((row_.flags & (frontend::LOAD | frontend::STORE | frontend::ATOMIC)) != 0) {
      VaryBits(base, 0, {16});
    }
    if (!IsGfx9(generation_)) return;
    Vary(base, 1, 0, 21, std::initializer_list<uint32_t>{0x1FFFFF, 0x100000, 0xFFFFF});
    Set(base, 0, 14, 1, 1);
    Set(base, 1, 0, 21, 0x12);
    Vary(base, 1, 25, 7, kScalarCodes);
  }

  void AddVector(Format format, Words base) {
    const bool has_source1 = format != Format::kVop1;
    if (row_.src[0] != OperandType::NONE) Set(base, 0, 0, 9, 258);
    const bool scalar_source1 = row_.src[1] == OperandType::S32;
    if (has_source1) Set(base, 0, 9, 8, 4);
    if (format != Format::kVopc && row_.dst != OperandType::NONE) Set(base, 0, 17, 8, 6);
    if (row_.src[0] == OperandType::S32) Set(base, 0, 0, 9, 2);
    base[1] = LiteralFor(row_.dst == OperandType::M64 ? row_.src[0] : row_.dst);
    Add(base);
    if (row_.src[0] != OperandType::NONE) VarySource(base, 0, 0, 9, row_.src[0]);
    if (has_source1 && scalar_source1) Vary(base, 0, 9, 8, kSourceCodes);
    if (has_source1) Vary(base, 0, 9, 8, std::initializer_list<uint32_t>{0, 254, 255});
    if (format != Format::kVopc) {
      Vary(base, 0, 17, 8, std::initializer_list<uint32_t>{0, 100, 106, 254, 255});
    }
    if (IsGfx8Plus(generation_) && row_.Has(frontend::SDWA)) AddSdwa(format, base);
    if (IsGfx8Plus(generation_) && HasDpp(row_, generation_)) AddDpp(base);
  }

  void AddSdwa(Format format, Words base) {
    const bool has_source1 = format != Format::kVop1;
    const bool gfx9_compare = format == Format::kVopc && IsGfx9(generation_);
    Set(base, 0, 0, 9, 249);
    base[1] = 2 | 6 << 16;
    if (format != Format::kVopc) base[1] |= 6 << 8;
    if (has_source1) base[1] |= 6 << 24;
    Add(base);
    constexpr uint32_t kSelects[] = {0, 1, 2, 3, 4, 5, 6};
    Vary(base, 1, 16, 3, kSelects);
    if (has_source1) Vary(base, 1, 24, 3, kSelects);
    VaryBits(base, 1, {19, 20, 21});
    if (has_source1) VaryBits(base, 1, {27, 28, 29});
    if (format != Format::kVopc) {
      Vary(base, 1, 8, 3, kSelects);
      Vary(base, 1, 11, 2, std::initializer_list<uint32_t>{0, 1, 2});
    }
    if (!gfx9_compare) VaryBits(base, 1, {13});
    if (!IsGfx9(generation_)) return;
    if (!gfx9_compare) VaryBits(base, 1, {14, 15});
    Words scalar = base;
    Set(scalar, 1, 23, 1, 1);
    Vary(scalar, 1, 0, 8, kSourceCodes);
    if (has_source1) {
      scalar = base;
      Set(scalar, 1, 31, 1, 1);
      Vary(scalar, 0, 9, 8, kSourceCodes);
    }
    if (gfx9_compare) {
      scalar = base;
      Set(scalar, 1, 15, 1, 1);
      for (const uint32_t code : kScalarCodes) {
        // VCC is what an absent destination means.
        if (code != 106) Vary(scalar, 1, 8, 7, std::initializer_list<uint32_t>{code});
      }
    }
  }

  void AddDpp(Words base) {
    Set(base, 0, 0, 9, 250);
    base[1] = 0xFF000002 | 0xE4 << 8;
    Add(base);
    Vary(base, 1, 8, 9,
         std::initializer_list<uint32_t>{0, 0x1B, 0x101, 0x10F, 0x111, 0x11F, 0x121, 0x12F, 0x130,
                                         0x134, 0x138, 0x13C, 0x140, 0x141, 0x142, 0x143, 0x150,
                                         0x15F});
    VaryBits(base, 1, {19, 20, 21, 22, 23, 24, 28, 31});
  }

  void AddVop3(Words base) {
    const bool scalar_destination = row_.dst == OperandType::M64 || row_.dst == OperandType::S32;
    // Clear of the sources: v_qsad and its like must not overlap.
    if (row_.dst != OperandType::NONE) Set(base, 0, 0, 8, 20);
    const bool carries = row_.Has(frontend::CARRY_OUT);
    if (carries) Set(base, 0, 8, 7, 12);
    const bool interpolates = row_.Has(frontend::INTERPOLATION);
    if (interpolates) {
      Set(base, 1, 0, 9, 0x45);
      if (row_.src[0] != OperandType::NONE) Set(base, 1, 9, 9, 258);
      if (row_.src[2] != OperandType::NONE) Set(base, 1, 18, 9, 259);
    } else {
      for (int i = 0; i < 3; ++i) {
        const OperandType type = row_.src[static_cast<size_t>(i)];
        if (type == OperandType::NONE) continue;
        const bool scalar = type == OperandType::S32 || type == OperandType::M64;
        Set(base, 1, 9 * i, 9, scalar ? 8 : 258 + static_cast<uint32_t>(i) * 2);
      }
    }
    Add(base);
    for (int i = 0; i < 3 && !interpolates; ++i) {
      if (row_.src[static_cast<size_t>(i)] != OperandType::NONE)
        Vary(base, 1, 9 * i, 9, kSourceCodes);
    }
    if (scalar_destination) Vary(base, 0, 0, 8, kScalarCodes);
    if (carries) Vary(base, 0, 8, 7, kScalarCodes);
    if (!carries) VaryBits(base, 0, {8, 9, 10});
    VaryBits(base, 1, {27, 28, 29, 30, 31});
    VaryBits(base, 0, {IsGfx8Plus(generation_) ? 15 : 11});
    if (IsGfx9(generation_) && row_.Has(frontend::OP_SEL)) VaryBits(base, 0, {11, 12, 13, 14});
    if (interpolates) VaryBits(base, 1, {6, 8});
  }

  void AddVop3p(Words base) {
    Set(base, 0, 0, 8, 6);
    uint32_t op_sel_hi = 0;
    for (int i = 0; i < 3; ++i) {
      if (row_.src[static_cast<size_t>(i)] == OperandType::NONE) continue;
      Set(base, 1, 9 * i, 9, 258 + static_cast<uint32_t>(i) * 2);
      op_sel_hi |= 1u << i;
    }
    if (row_.src[0] == OperandType::MIX) op_sel_hi = 0;
    // Assemblers set the bit of a missing third source.
    if (row_.src[2] == OperandType::NONE) op_sel_hi |= 4;
    Set(base, 1, 27, 2, op_sel_hi);
    Set(base, 0, 14, 1, op_sel_hi >> 2);
    Add(base);
    for (int i = 0; i < 3; ++i) {
      if (row_.src[static_cast<size_t>(i)] != OperandType::NONE)
        Vary(base, 1, 9 * i, 9, kSourceCodes);
    }
    VaryBits(base, 0, {8, 9, 10, 11, 12, 13, 15});
    if (row_.src[2] != OperandType::NONE) VaryBits(base, 0, {14});
    VaryBits(base, 1, {27, 28, 29, 30, 31});
  }

  void AddMai(Words base) {
    if (row_.src[1] == OperandType::NONE) {
      // Assemblers set the bits of OP_SEL_HI.
      Set(base, 0, 14, 1, 1);
      Set(base, 1, 27, 2, 3);
      Set(base, 1, 0, 9, 258);
      Add(base);
      Vary(base, 1, 0, 9, kSourceCodes);
      Vary(base, 0, 0, 8, std::initializer_list<uint32_t>{0, 7, 255});
      return;
    }
    Set(base, 0, 0, 8, 64);
    Set(base, 1, 0, 9, 258);
    Set(base, 1, 9, 9, 260);
    Set(base, 1, 18, 9, 256 + 128);
    Add(base);
    for (int n = 0; n < 3; ++n) Vary(base, 1, 9 * n, 9, kSourceCodes);
    Vary(base, 1, 18, 9, std::initializer_list<uint32_t>{256 + 64, 256 + 65});  // D, and across D
    Vary(base, 1, 27, 2, std::initializer_list<uint32_t>{1, 2, 3});
    VaryBits(base, 0, {15});
    Vary(base, 1, 29, 3, std::initializer_list<uint32_t>{1, 2, 3, 4, 5, 6, 7});
    for (uint32_t cbsz = 1; cbsz < 8; ++cbsz) {
      Set(base, 0, 8, 3, cbsz);
      Vary(base, 0, 11, 4, std::initializer_list<uint32_t>{0, 1, 2, 3, 5, 7, 11, 15});
    }
  }

  void AddVintrp(Words base) {
    Set(base, 0, 18, 8, 6);
    Vary(base, 0, 8, 8, std::initializer_list<uint32_t>{0, 1, 2, 3, 4, 0x84});
    Vary(base, 0, 0, 8, std::initializer_list<uint32_t>{0, 1, 2});
  }

  void AddDs(Words base) {
    const int gds = IsGfx8Plus(generation_) ? 16 : 17;
    if (row_.dst != OperandType::NONE) Set(base, 1, 24, 8, 8);
    if (row_.src[0] != OperandType::NONE) Set(base, 1, 0, 8, 2);
    if (row_.src[1] != OperandType::NONE) Set(base, 1, 8, 8, 12);
    if (row_.src[2] != OperandType::NONE) Set(base, 1, 16, 8, 20);
    Vary(base, 0, 0, 16, kOffsets);
    if (Has(generation_, frontend::kUnifiedVgprs)) VaryBits(base, 0, {25});
    Set(base, 0, gds, 1, 1);
    Vary(base, 0, 0, 16, kOffsets);
  }

  void AddBuffer(Format format, Words base) {
    const bool gfx8 = IsGfx8Plus(generation_);
    if (row_.src[0] == OperandType::NONE) {
      Add(base);
      if (Has(generation_, frontend::kGfx942Isa)) VaryBits(base, 0, {14, 15});
      return;
    }
    if (row_.opcode == frontend::Opcode::BUFFER_STORE_LDS_DWORD) {
      Set(base, 0, 16, 1, 1);
    } else {
      Set(base, 1, 8, 8, 12);
    }
    Set(base, 1, 16, 5, 2);
    Set(base, 1, 24, 8, 3);
    Set(base, 0, 0, 12, 0x123);
    // dfmt 1, nfmt 0 is what an absent format means.
    if (format == Format::kMtbuf) Set(base, 0, 19, 4, 1);
    Add(base);
    Vary(base, 0, 0, 12, kOffsets);
    Vary(base, 1, 24, 8, kSourceCodes);
    Vary(base, 1, 16, 5, std::initializer_list<uint32_t>{0, 24, 25, 28, 30});
    VaryBits(base, 0, {14});
    if (format == Format::kMubuf && gfx8) VaryBits(base, 0, {17});
    if (format == Format::kMtbuf || !gfx8) VaryBits(base, 1, {22});
    const bool has_tfe =
        !row_.Has(frontend::ATOMIC) && row_.opcode != frontend::Opcode::BUFFER_STORE_LDS_DWORD;
    if (has_tfe) VaryBits(base, 1, {23});  // ACC where there is no TFE
    if (Has(generation_, frontend::kSccBit)) {
      format == Format::kMubuf ? VaryBits(base, 0, {15}) : VaryBits(base, 1, {21});
    }
    Set(base, 1, 0, 8, 2);
    VaryBits(base, 0, {12, 13});
    Words both = base;
    Set(both, 0, 12, 2, 3);
    Add(both);
    if (!gfx8) VaryBits(base, 0, {15});
    if (format == Format::kMtbuf) {
      Set(base, 1, 0, 8, 0);
      for (uint32_t dfmt = 0; dfmt < 16; ++dfmt) {
        Set(base, 0, 19, 4, dfmt);
        Vary(base, 0, 23, 3, std::initializer_list<uint32_t>{0, 1, 2, 3, 4, 5, 6, 7});
      }
    } else {
      Words lds = both;
      Set(lds, 0, 16, 1, 1);
      Set(lds, 1, 8, 8, 0);
      Add(lds);
    }
  }

  void AddFlat(Format format, Words base) {
    const bool loads = row_.dst != OperandType::NONE && !row_.Has(frontend::ATOMIC);
    if (loads) Set(base, 1, 24, 8, 8);
    if (row_.src[1] != OperandType::NONE) Set(base, 1, 8, 8, 12);
    Set(base, 1, 0, 8, 2);
    if (format != Format::kFlat) Set(base, 1, 16, 7, 0x7F);
    const bool has_sve = format == Format::kScratch && Has(generation_, frontend::kGfx942Isa);
    if (has_sve) {
      Words without_vgpr = base;
      Set(without_vgpr, 1, 0, 8, 0);
      Add(without_vgpr);
      Vary(without_vgpr, 1, 16, 7, kScalarCodes);
      Set(base, 0, 13, 1, 1);
    }
    Add(base);
    VaryBits(base, 0, {17});
    if (Has(generation_, frontend::kSccBit)) VaryBits(base, 0, {25});
    if (Has(generation_, frontend::kUnifiedVgprs)) VaryBits(base, 1, {23});
    if (IsGfx9(generation_)) {
      Vary(base, 0, 0, 12, kOffsets);
      if (format != Format::kFlat) {
        Vary(base, 0, 0, 13, std::initializer_list<uint32_t>{0x1000, 0x1FFF});
        // SCRATCH with an SGPR has no VGPR, unless SVE says so.
        Words scalar = base;
        if (format == Format::kScratch && !has_sve) Set(scalar, 1, 0, 8, 0);
        Vary(scalar, 1, 16, 7, kScalarCodes);
      }
    }
    Set(base, 0, 16, 1, 1);
    if (row_.Has(frontend::ATOMIC)) Set(base, 1, 24, 8, 8);
    Add(base);
  }

  // The dmasks that the assembler allows.
  std::vector<uint32_t> DataMasks() const {
    const auto has = [&](const char* part) { return row_.names.find(part) != row_.names.npos; };
    if (has("gather4")) return {1, 2, 4, 8};
    if (has("cmpswap")) return {3, 15};
    if (has("atomic")) return {1, 3};
    return {1, 3, 5, 7, 15};
  }

  void AddImage(Words base) {
    Set(base, 1, 0, 8, 2);
    Set(base, 1, 8, 8, 12);
    Set(base, 1, 16, 5, 2);
    Set(base, 1, 21, 5, 6);
    for (const bool sampler : {true, false}) {
      if (!sampler) Set(base, 1, 21, 5, 0);
      Vary(base, 0, 8, 4, DataMasks());
      Words flags = base;
      Set(flags, 0, 8, 4, DataMasks()[0]);
      VaryBits(flags, 0, {12, 13, 14, 17, 25});
      if (row_.names.find("atomic") == row_.names.npos) VaryBits(flags, 0, {16});
    }
  }

  void AddExport(Words base) {
    for (uint32_t enabled = 0; enabled < 16; ++enabled) {
      Set(base, 0, 0, 4, enabled);
      for (int i = 0; i < 4; ++i) {
        Set(base, 1, 8 * i, 8, (enabled >> i & 1) != 0 ? static_cast<uint32_t>(i) + 1 : 0);
      }
      Add(base);
    }
    Vary(base, 0, 4, 6, std::initializer_list<uint32_t>{0, 7, 8, 9, 12, 15, 32, 63});
    VaryBits(base, 0, {11, 12});
    base[1] = 0x00000201;
    Set(base, 0, 10, 1, 1);
    Add(base);
  }

  Generation generation_;
  const OpcodeRow& row_;
  std::vector<Words> samples_;
};

}  // namespace

std::vector<Words> RowSamples(Generation generation, const OpcodeRow& row) {
  return Samples(generation, row).Take();
}

}  // namespace gcnjit::encoding
