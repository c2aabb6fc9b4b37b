// Instructions that access memory. Field positions: as in instruction_maker.cpp.
#include <string_view>

#include "differential/instruction_maker.h"
#include "isa/image_operands.h"

namespace gcnjit::differential {

using frontend::Format;
using frontend::Generation;
using frontend::IsGfx8Plus;
using frontend::IsGfx9;
using frontend::OperandType;

namespace {

uint32_t ScalarBase(Random& random, const frontend::OpcodeRow& row) {
  if (std::string_view(row.id).starts_with("S_SCRATCH")) return kScratchAddress;
  if (row.src[0] == OperandType::B128) return random.Percent(70) ? kBuffer : kStructured;
  return random.Percent(70) ? kDataBase : kDataMiddle;
}

}  // namespace

void InstructionMaker::FillSmrd(const OpcodeRow& row) {
  if (row.dst != OperandType::NONE) Set(0, 15, 7, ScalarDestination(RegistersOf(row.dst)));
  if (row.src[0] == OperandType::NONE) return;
  Set(0, 9, 6, ScalarBase(random_, row) / 2);
  if (random_.Percent(60)) {
    Set(0, 8, 1, 1);
    Set(0, 0, 8, random_.Bits(8));
  } else if (frontend::Has(generation_, frontend::kSmemLiteralOffset) && random_.Percent(40)) {
    Set(0, 0, 8, frontend::kCodeLiteral);
    words_[1] = random_.Below(1024);
  } else {
    Set(0, 0, 8, random_.Percent(80) ? kSmallOffset : kZero);
  }
}

void InstructionMaker::FillSmem(const OpcodeRow& row) {
  if (row.dst != OperandType::NONE) {
    Set(0, 6, 7, ScalarDestination(RegistersOf(row.dst)));
  } else if (row.src[2] == OperandType::UIMM16) {
    Set(0, 6, 7, random_.Bits(3));
  } else if (row.src[2] != OperandType::NONE) {
    Set(0, 6, 7, ScalarSource(OperandType::B128, false));
  }
  if (row.src[0] == OperandType::NONE) return;
  const uint32_t base = ScalarBase(random_, row);
  Set(0, 0, 6, base / 2);
  if ((row.flags & (frontend::LOAD | frontend::STORE | frontend::ATOMIC)) != 0) {
    Set(0, 16, 1, random_.Bits(1));
  }
  const bool is_atomic = row.Has(frontend::ATOMIC);
  if (is_atomic || random_.Percent(70)) {
    Set(0, 17, 1, 1);
    const uint32_t unit = is_atomic || random_.Percent(75) ? 8 : random_.Percent(50) ? 4 : 1;
    Set(1, 0, 20, unit * random_.Below(base == kScratchAddress ? 64 : 400));
    if (!IsGfx9(generation_)) return;
    if (base == kDataMiddle && random_.Percent(30)) Set(1, 0, 21, 0 - 8 * random_.Below(256));
    if (is_atomic || random_.Percent(70)) return;
    Set(0, 14, 1, 1);
    Set(1, 25, 7, base != kScratchAddress && random_.Percent(70) ? kSmallOffset : kZero);
    return;
  }
  Set(1, 0, 7, base == kScratchAddress ? kZero : random_.Percent(80) ? kSmallOffset : kZero);
}

namespace {

// Components of the typed access, or 0.
int ComponentsOf(const frontend::OpcodeRow& row) {
  const std::string_view id = row.id;
  if (id.find("FORMAT") == std::string_view::npos) return 0;
  const size_t last = id.rfind('_');
  return static_cast<int>(id.size() - last - 1);
}

}  // namespace

// A VGPR with offsets that lie in LDS and in the data. Wide accesses want them aligned.
uint32_t InstructionMaker::AddressOffset(bool wide) {
  return random_.Percent(wide ? 95 : 50) ? plan_.random_offset() : plan_.linear_offset();
}

void InstructionMaker::FillUnified(int acc_word, int acc_bit, int scc_word, int scc_bit) {
  if (Has(generation_, frontend::kUnifiedVgprs)) Set(acc_word, acc_bit, 1, SomeBits(50, 1));
  if (Has(generation_, frontend::kSccBit)) Set(scc_word, scc_bit, 1, SomeBits(20, 1));
}

void InstructionMaker::FillDs(const OpcodeRow& row) {
  const bool wide = BitsOf(row.dst) > 32 || BitsOf(row.src[1]) > 32 ||
                    std::string_view(row.id).find("64") != std::string_view::npos;
  const std::string_view id = row.id;
  const bool two_addresses =
      (id.find("2_") != id.npos || id.find("2ST64") != id.npos) && random_.Percent(80);
  if (two_addresses) {
    Set(0, 0, 8, random_.Below(6));
    Set(0, 8, 8, random_.Below(6));
  } else {
    const bool aligned = row.Has(frontend::ATOMIC) || random_.Percent(80);
    Set(0, 0, 16, aligned ? 16 * random_.Below(64) : random_.Bits(16));
  }
  if (row.dst != OperandType::NONE) Set(1, 24, 8, Vgpr(RegistersOf(row.dst)));
  if (row.src[0] != OperandType::NONE) {
    const uint32_t other = row.Has(frontend::ATOMIC) ? 3 : 15;  // percent
    Set(1, 0, 8, random_.Percent(other) ? Vgpr(1) : AddressOffset(wide));
  }
  if (row.src[1] != OperandType::NONE) Set(1, 8, 8, Vgpr(RegistersOf(row.src[1])));
  if (row.src[2] != OperandType::NONE) Set(1, 16, 8, Vgpr(RegistersOf(row.src[2])));
  if (Has(generation_, frontend::kUnifiedVgprs)) Set(0, 25, 1, SomeBits(50, 1));
}

void InstructionMaker::FillBuffer(const OpcodeRow& row, Format format) {
  const bool gfx8 = IsGfx8Plus(generation_);
  if (row.src[0] == OperandType::NONE) return;
  constexpr uint32_t kResources[] = {kBuffer, kBuffer, kStructured, kFormatted, kSwizzled};
  const bool is_atomic = row.Has(frontend::ATOMIC);
  const bool wide = BitsOf(row.dst) > 32 || BitsOf(row.src[1]) > 32;
  const bool wide_atomic = is_atomic && BitsOf(row.dst) > 32;
  const bool converts = format == Format::kMubuf && ComponentsOf(row) != 0;
  uint32_t resource = random_.Pick(kResources);
  if (wide_atomic) resource = kBuffer;
  if (converts && random_.Percent(90)) resource = kFormatted;
  uint32_t address = plan_.random_offset();  // with both: index, then the linear offset above it
  uint32_t offset = 16 * random_.Below(16);
  const bool store_lds = row.opcode == frontend::Opcode::BUFFER_STORE_LDS_DWORD;
  if (store_lds) {
    Set(0, 16, 1, 1);
  } else if (!gfx8 && random_.Percent(20)) {
    Set(0, 15, 1, 1);
    resource = kFreeAddress;
    address = random_.Percent(wide ? 5 : 50) ? plan_.linear_address() : plan_.random_address();
  } else if (resource == kSwizzled) {
    offset = 4 * random_.Below(16);
  } else {
    // About the size of a record, which may be too much by a little.
    if (resource == kStructured && !wide) offset = 4 * random_.Below(17);
    // An index times the stride, which counts dwords, may be misaligned for a wide atomic.
    const uint32_t mode = wide_atomic ? random_.Bits(1) : random_.Bits(2);
    Set(0, 12, 2, mode);
    if (mode == 1) address = AddressOffset(wide);
    if (mode != 3 && !is_atomic && random_.Percent(10)) address = Vgpr(1);
  }
  Set(0, 0, 12, is_atomic || random_.Percent(95) ? offset : random_.Bits(12));
  Set(0, 14, 1, random_.Bits(1));
  if (format == Format::kMtbuf) {
    const BufferFormat buffer_format = RandomBufferFormat(random_, ComponentsOf(row));
    Set(0, 19, 4, buffer_format.data);
    Set(0, 23, 3, buffer_format.number);
  } else if (row.Has(frontend::LOAD) && random_.Percent(5)) {
    Set(0, 16, 1, 1);  // to LDS; refused by the decoder where there is no such form
  }
  const OperandType data = row.dst != OperandType::NONE ? row.dst : row.src[1];
  Set(1, 0, 8, address);
  Set(1, 8, 8, data == OperandType::NONE ? 0 : Vgpr(RegistersOf(data)));
  Set(1, 16, 5, resource / 4);
  if (row.Has(frontend::LOAD)) Set(1, 23, 1, SomeBits(5, 1));
  Set(1, 24, 8, random_.Percent(60) ? 128u : resource == kSwizzled ? kScratchOffset : kSmallOffset);
  format == Format::kMubuf ? FillUnified(1, 23, 0, 15) : FillUnified(1, 23, 1, 21);
}

// Returns the address VGPR. gfx942 has any of a VGPR and an SGPR.
uint32_t InstructionMaker::FillScratch() {
  const bool has_any = Has(generation_, frontend::kGfx942Isa);
  Set(1, 16, 7, has_any && random_.Percent(50) ? 0x7Fu : uint32_t{kScratchOffset});
  if (!has_any || random_.Percent(40)) return 0;
  Set(0, 13, 1, 1);
  return random_.Percent(85) ? plan_.lane_counter() : plan_.linear_offset();
}

void InstructionMaker::FillFlat(const OpcodeRow& row, Format format) {
  const bool gfx9 = IsGfx9(generation_);
  const bool wide = BitsOf(row.dst) > 32 || BitsOf(row.src[1]) > 32;
  uint32_t address =
      random_.Percent(wide ? 95 : 40) ? plan_.random_address() : plan_.linear_address();
  // Atomics do not work on scratch.
  const uint32_t shared = row.Has(frontend::ATOMIC) ? 5 : 25;  // percent
  if (format == Format::kFlat && random_.Percent(shared)) address = plan_.shared_address();
  bool negative = false;
  if (format == Format::kGlobal) {
    Set(1, 16, 7, 0x7F);
    if (random_.Percent(40)) {
      const bool middle = random_.Percent(50);
      negative = middle && random_.Percent(50);
      Set(1, 16, 7, middle ? kDataMiddle : kDataBase);
      address = AddressOffset(wide);
    } else {
      negative = random_.Percent(30);
    }
  } else if (format == Format::kScratch) {
    address = FillScratch();
  }
  Set(1, 0, 8, address);
  if (gfx9) {
    const uint32_t offset = 8 * random_.Below(8);
    Set(0, 0, 13, negative ? 0 - offset : offset);
  }
  const bool is_atomic = row.Has(frontend::ATOMIC);
  Set(0, 16, 1, random_.Bits(1));
  if (row.src[1] != OperandType::NONE) Set(1, 8, 8, Vgpr(RegistersOf(row.src[1])));
  const bool returns = row.dst != OperandType::NONE && (!is_atomic || (words_[0] >> 16 & 1) != 0);
  if (returns) Set(1, 24, 8, Vgpr(RegistersOf(row.dst)));
  const bool has_lds_bit = gfx9 && !Has(generation_, frontend::kGfx942Isa);
  if (has_lds_bit && format != Format::kFlat && row.Has(frontend::LOAD))
    Set(0, 13, 1, SomeBits(4, 1));
  FillUnified(1, 23, 0, 25);
}

// Stores that leave a component out are refused, and images with layers without DA.
void InstructionMaker::FillMimg(const OpcodeRow& row) {
  constexpr int kMostAddresses = 12;
  const bool is_store = row.Has(frontend::STORE);
  const frontend::ImageForm form = frontend::ImageFormOf(row);
  const bool takes_first = form.compares && random_.Percent(90);
  Set(0, 8, 4, is_store ? 15 : takes_first ? 1 : random_.Between(1, 15));
  Set(0, 12, 1, random_.Bits(1));
  Set(0, 13, 1, SomeBits(20, 1));
  Set(0, 14, 1, 1);
  Set(0, 16, 1, is_store ? 0 : SomeBits(5, 1));
  // Work-item ids are coordinates that are in the image.
  Set(1, 0, 8, random_.Percent(40) ? 0 : Vgpr(kMostAddresses));
  Set(1, 8, 8, Vgpr(5));
  Set(1, 16, 5, (form.compares ? kDepthImage : kImage) / 4);
  if (form.HasSampler()) Set(1, 21, 5, kSampler / 4);
  if (IsGfx8Plus(generation_)) Set(1, 31, 1, SomeBits(5, 1));
}

}  // namespace gcnjit::differential
