// What the decoder's files share: the decoding state and the reading of operand fields.
#pragma once

#include <cstdint>
#include <span>

#include "frontend/decode/decoder.h"
#include "isa/vector_registers.h"

namespace gcnjit::frontend::decoder_internal {

// Bits [lo, lo + count) of a word.
constexpr uint32_t Bits(uint32_t word, int lo, int count) {
  return (word >> lo) & ((count >= 32 ? 0u : (1u << count)) - 1u);
}
constexpr bool Bit(uint32_t word, int n) { return ((word >> n) & 1) != 0; }
constexpr int32_t SignExtend(uint32_t value, int bits) {
  return static_cast<int32_t>(value << (32 - bits)) >> (32 - bits);
}

// What a source field may hold beyond SGPRs and inline constants, which are always allowed.
enum SourceForms : uint8_t {
  kAllowNone = 0,
  kAllowVgpr = 1,
  kAllowLiteral = 2,
  kAllowLdsDirect = 4,
};

// One instruction being decoded. Methods that read operands return false when the field holds what
// the generation does not define; the caller then gives up with kBadOperand.
class Decoding {
 public:
  Decoding(Generation generation, std::span<const uint32_t> words, Instruction& out)
      : generation_(generation), words_(words), out_(out) {}

  Generation generation() const { return generation_; }
  uint32_t word0() const { return words_[0] & ~ignored_[0]; }
  uint32_t word1() const { return words_[1] & ~ignored_[1]; }
  bool HasWord1() const { return words_.size() > 1; }
  Instruction& out() { return out_; }
  bool truncated() const { return truncated_; }

  // Looks the opcode up and stores it; nullptr if the generation has no such instruction. From then
  // on the words are without the fields that the instruction ignores.
  const OpcodeRow* SetOpcode(Format format, uint32_t number, Encoding encoding);

  // The instruction has this encoding, which the row alone did not tell.
  void SetEncoding(const OpcodeRow& row, Encoding encoding);

  // A source by its 9-bit code: SGPR, constant, literal or VGPR.
  bool Source(uint32_t code, OperandType type, unsigned forms, Operand& operand);
  // A scalar register by its 7-bit code, read or written.
  bool ScalarRegister(uint32_t code, OperandType type, Operand& operand);
  // `registers` VGPRs from `index`; the count comes from the type unless given.
  bool Vgpr(uint32_t index, OperandType type, Operand& operand, int registers = 0);
  // The same of AccVGPRs.
  bool AccVgpr(uint32_t index, OperandType type, Operand& operand, int registers = 0);
  // The mandatory literal of madmk, madak and s_setreg_imm32_b32.
  bool MandatoryLiteral(OperandType type, Operand& operand);

 private:
  // The literal dword after the instruction's first word; sets the size.
  bool ReadLiteral(uint32_t& value);
  bool ScalarCodeIsDefined(uint32_t code, int registers) const;

  Generation generation_;
  std::span<const uint32_t> words_;
  Instruction& out_;
  uint32_t ignored_[2] = {};  // bits by word
  bool truncated_ = false;
};

// VCC as an implicit mask operand.
Operand ImplicitVcc();

// Bit pattern of inline constant `code` (128..208, 240..248) as an operand of `type`.
uint64_t InlineConstant(uint32_t code, OperandType type);

// Shared by the vector formats.
//
// What src0 of a row may be: `forms` in general; VGPRs only for v_swap and indexed reads; VGPRs or
// LDS_DIRECT for lane reads; no VGPR where the row wants a scalar (v_writelane).
bool VectorSource0(Decoding& d, const OpcodeRow& row, uint32_t code, unsigned forms);
// The destination field: VGPRs, or scalar registers for lane masks and lane reads.
bool VectorDestination(Decoding& d, const OpcodeRow& row, uint32_t field);
// Modifiers that the instruction does not have must be zero: the manuals define neg and abs for
// floating sources, sext for integer ones, and LLVM refuses the rest likewise.
bool ModifiersAreDefined(Decoding& d, const OpcodeRow& row);

// One decoder a format family. The word is known to belong to it, and word1 to exist where the
// format has two words.
DecodeStatus DecodeSop1(Decoding& d);
DecodeStatus DecodeSop2(Decoding& d);
DecodeStatus DecodeSopk(Decoding& d);
DecodeStatus DecodeSopc(Decoding& d);
DecodeStatus DecodeSopp(Decoding& d);
DecodeStatus DecodeSmrd(Decoding& d);
DecodeStatus DecodeSmem(Decoding& d);
DecodeStatus DecodeVop1(Decoding& d);
DecodeStatus DecodeVop2(Decoding& d);
DecodeStatus DecodeVopc(Decoding& d);
DecodeStatus DecodeVop3(Decoding& d);
DecodeStatus DecodeVop3p(Decoding& d);
DecodeStatus DecodeMai(Decoding& d);
DecodeStatus DecodeVintrp(Decoding& d);
DecodeStatus DecodeDs(Decoding& d);
DecodeStatus DecodeMubuf(Decoding& d);
DecodeStatus DecodeMtbuf(Decoding& d);
DecodeStatus DecodeFlat(Decoding& d);
DecodeStatus DecodeMimg(Decoding& d);
DecodeStatus DecodeExp(Decoding& d);

}  // namespace gcnjit::frontend::decoder_internal
