// Fields of an encoding that an instruction does not look at: hardware gives the same result
// whatever they hold, though assemblers write zeros. The decoder clears them, the disassembler
// names them, and the tests set them; nothing else knows of them.
//
// A field is here if two sources say that it is ignored, or if each reading of the sources gives
// the same result. docs/isa.md has the list with its sources, and what stays refused because
// sources disagree.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

#include "isa/instruction.h"
#include "isa/opcode_table.h"

namespace gcnjit::frontend {

// Bits [lo, lo + bits) of an instruction's word `word`.
struct EncodedField {
  uint8_t word = 0;
  uint8_t lo = 0;
  uint8_t bits = 0;
  const char* name = nullptr;

  constexpr uint32_t Mask() const { return ((uint32_t{1} << bits) - 1) << lo; }
};

class IgnoredFields {
 public:
  IgnoredFields(Generation generation, const OpcodeRow& row, Encoding encoding);

  const EncodedField* begin() const { return fields_.data(); }
  const EncodedField* end() const { return fields_.data() + count_; }
  bool empty() const { return count_ == 0; }
  // All bits of the fields, by word.
  uint32_t Mask(size_t word) const { return masks_[word]; }

 private:
  void Add(int word, int lo, int bits, const char* name);
  void AddVop3();
  void AddVop3p();
  void AddSdwa();
  void AddDs();
  // NEG, ABS or the like of source n, by `names`.
  void AddOfSource(int word, int lo, size_t n, const std::array<const char*, 3>& names);

  const Generation generation_;
  const OpcodeRow& row_;
  const Encoding encoding_;
  std::array<EncodedField, 16> fields_ = {};
  size_t count_ = 0;
  std::array<uint32_t, 2> masks_ = {};
};

}  // namespace gcnjit::frontend
