// Instructions by row and operand codes, for the parts of generated programs that are not random.
#pragma once

#include <array>
#include <cstdint>

#include "differential/program.h"
#include "isa/instruction.h"
#include "isa/opcode_table.h"

namespace gcnjit::differential {

// A source operand: a code of the 9-bit numbering, and the literal if that is 255.
struct Source {
  uint32_t code = 0;
  uint32_t literal = 0;
};
constexpr Source Sgpr(uint32_t index) { return {index, 0}; }
constexpr Source Vgpr(uint32_t index) { return {frontend::kCodeFirstVgpr + index, 0}; }
constexpr Source Literal(uint32_t value) { return {frontend::kCodeLiteral, value}; }
// 0 to 64.
constexpr Source Inline(uint32_t value) { return {128 + value, 0}; }
// Either of them.
constexpr Source Constant(uint32_t value) { return value <= 64 ? Inline(value) : Literal(value); }
inline constexpr Source kMinusOne = {193, 0};
inline constexpr Source kVcc = {frontend::kCodeVccLo, 0};
inline constexpr Source kExec = {frontend::kCodeExecLo, 0};

class Assembler {
 public:
  explicit Assembler(frontend::Generation generation) : generation_(generation) {}

  Item Sop1(frontend::Opcode opcode, uint32_t dst, Source src) const;
  Item Sop2(frontend::Opcode opcode, uint32_t dst, Source src0, Source src1) const;
  Item Sopk(frontend::Opcode opcode, uint32_t reg, uint32_t immediate, uint32_t literal = 0) const;
  Item Sopc(frontend::Opcode opcode, Source src0, Source src1) const;
  Item Sopp(frontend::Opcode opcode, uint32_t immediate = 0) const;
  Item Vop1(frontend::Opcode opcode, uint32_t dst, Source src) const;
  Item Vop2(frontend::Opcode opcode, uint32_t dst, Source src0, uint32_t vgpr1) const;
  Item Vopc(frontend::Opcode opcode, Source src0, uint32_t vgpr1) const;
  // VOP3; without literals. `negative`: a bit for each source. `sdst`: of those that have one.
  Item Vop3(frontend::Opcode opcode, uint32_t dst, const std::array<Source, 3>& sources,
            uint32_t negative = 0, uint32_t sdst = 0) const;

  // Does the generation have it?
  bool Has(frontend::Opcode opcode) const { return frontend::RowOf(opcode).ExistsOn(generation_); }

 private:
  // The fixed bits, and one literal for both sources.
  Item Start(frontend::Opcode opcode, Source src0, Source src1 = {}) const;

  frontend::Generation generation_;
};

}  // namespace gcnjit::differential
