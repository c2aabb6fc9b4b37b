// Sequences that compilers write, for what the JIT makes of several instructions together.
#include <string_view>

#include "differential/program_builder.h"

namespace gcnjit::differential {

using frontend::Format;
using frontend::IsGfx8Plus;

// Two shifts of one value by constants, which often are the whole width together.
void ProgramBuilder::ShiftChain() {
  constexpr Opcode kRows[] = {Opcode::V_LSHLREV_B32, Opcode::V_LSHRREV_B32, Opcode::V_ASHRREV_I32};
  const Opcode first = random_.Pick(kRows);
  const Opcode second = random_.Percent(70) ? first : random_.Pick(kRows);
  const uint32_t count = random_.Between(1, 31);
  const uint32_t rest = random_.Percent(60) ? 32 - count : random_.Between(1, 31);
  const uint32_t between = maker_.Vgpr(1);
  Add(assembler_.Vop2(first, between, Inline(count), maker_.Vgpr(1)));
  Add(assembler_.Vop2(second, maker_.Vgpr(1), Inline(rest), between));
}

// Matrix after matrix is added to the same registers, here and there to or from others, with
// instructions between that may need or change the sums, or be about something else.
void ProgramBuilder::MatrixChain() {
  const Opcode row = random_.Pick(rows_.matrix);
  const auto registers = static_cast<uint32_t>(RegistersOf(frontend::RowOf(row).dst));
  if (plan_.count < registers) return;
  const uint32_t sums[] = {random_.Below(plan_.count - registers + 1),
                           random_.Below(plan_.count - registers + 1)};
  for (uint32_t left = random_.Between(2, 10); left > 0; --left) {
    const uint32_t sum = sums[random_.Percent(75) ? 0 : 1];
    const uint32_t addend = random_.Percent(75) ? sum : random_.Pick(sums);
    AddRandom(row, {{0, 0, 8, sum}, {1, 18, 9, frontend::kCodeFirstVgpr + addend}});
    if (random_.Percent(30)) AddRandom(random_.Pick(rows_.vop2));
    const uint32_t part = random_.Pick(sums) + random_.Below(registers);
    if (random_.Percent(15)) AddRandom(Opcode::V_ACCVGPR_WRITE_B32, {{0, 0, 8, part}});
    if (random_.Percent(5)) {
      AddRandom(Opcode::V_ACCVGPR_READ_B32, {{1, 0, 9, frontend::kCodeFirstVgpr + part}});
    }
  }
}

// A pair of VGPRs plus a 64-bit constant or scalar.
void ProgramBuilder::AddInPair(uint32_t pair, Source low, Source high) {
  uint32_t term = maker_.Vgpr(1);
  while (term == pair || term == pair + 1) term = maker_.Vgpr(1);
  Add(assembler_.Vop1(Opcode::V_MOV_B32, term, high));
  Add(assembler_.Vop2(Opcode::V_ADD_CO_U32, pair, low, pair));
  Add(assembler_.Vop2(Opcode::V_ADDC_CO_U32, pair + 1, Vgpr(term), pair + 1));
}

void ProgramBuilder::ShiftPair(uint32_t pair, uint32_t count) {
  const uint32_t value = frontend::kCodeFirstVgpr + pair;
  const bool reversed = IsGfx8Plus(program_.generation);
  AddRandom(reversed ? Opcode::V_LSHLREV_B64 : Opcode::V_LSHL_B64,
            {{0, 0, 8, pair},
             {0, 8, 8, 0},
             {1, 0, 9, reversed ? Inline(count).code : value},
             {1, 9, 9, reversed ? value : Inline(count).code},
             {1, 27, 5, 0}});
}

// An element of an array: data + (extended index + constant << shift), in 64 bits.
uint32_t ProgramBuilder::ElementAddress() {
  const uint32_t pair = maker_.Vgpr(2);
  const uint32_t shift = random_.Between(2, 4);
  if (random_.Percent(50)) {
    AddRandom(Opcode::V_BFE_I32, {{0, 0, 8, pair},
                                  {0, 8, 8, 0},
                                  {1, 0, 9, frontend::kCodeFirstVgpr + maker_.Vgpr(1)},
                                  {1, 9, 9, Inline(0).code},
                                  {1, 18, 9, Inline(random_.Between(4, 9)).code},
                                  {1, 27, 5, 0}});
  } else {
    Add(assembler_.Vop2(Opcode::V_LSHRREV_B32, pair, Inline(random_.Between(0, 3)),
                        plan_.linear_offset()));
    if (random_.Percent(50)) AddInVgpr(pair, Literal(0 - random_.Below(64)));
  }
  if (random_.Percent(10)) {
    // An unsigned index that wraps around within a wave: 2^32 elements later than what follows.
    Add(assembler_.Vop1(Opcode::V_MOV_B32, pair + 1, Inline(0)));
    ShiftPair(pair, 2);
    AddInPair(pair, Inline(0), {frontend::kCodeLiteral, 0u - 4u});
  } else {
    const bool is_signed = random_.Percent(85);
    if (is_signed) {
      Add(assembler_.Vop2(Opcode::V_ASHRREV_I32, pair + 1, Inline(31), pair));
    } else {
      Add(assembler_.Vop1(Opcode::V_MOV_B32, pair + 1, Inline(0)));
    }
    if (random_.Percent(30)) AddInPair(pair, Inline(random_.Between(1, 32)), Inline(0));
    ShiftPair(pair, shift);
  }
  AddInPair(pair, Sgpr(kDataMiddle), Sgpr(kDataMiddle + 1));
  return pair;
}

void ProgramBuilder::ElementAccess() {
  if (rows_.flat.empty()) {
    const Opcode row = random_.Pick(rows_.buffer);
    if (frontend::RowOf(row).src[0] == frontend::OperandType::NONE) return;
    const uint32_t pair = ElementAddress();
    AddRandom(row, {{0, 12, 2, 0},
                    {0, 15, 1, 1},
                    {1, 0, 8, pair},
                    {1, 16, 5, kFreeAddress / 4},
                    {1, 24, 8, Inline(0).code}});
    return;
  }
  const Opcode row = random_.Pick(rows_.flat);
  const Format format = frontend::RowOf(row).On(program_.generation).format;
  if (format == Format::kScratch) return;
  const uint32_t pair = ElementAddress();
  const uint32_t saddr = format == Format::kGlobal ? 0x7F : 0;
  AddRandom(row, {{1, 16, 7, saddr}, {1, 0, 8, pair}, {0, 12, 1, 0}});
}

}  // namespace gcnjit::differential
