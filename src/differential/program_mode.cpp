// The pieces of programs that write MODE, and those that index registers by M0 or an SGPR.
#include "differential/program_builder.h"

namespace gcnjit::differential {

using frontend::IsGfx8Plus;
using frontend::IsGfx9;

// To be added to a VGPR's number: most give another one that there is, others the last one and
// those after it.
uint32_t ProgramBuilder::RandomIndex(uint32_t vgpr) {
  if (random_.Percent(95)) return random_.Below(4);
  return random_.Percent(20) ? random_.Below(256) : plan_.count - vgpr - 1 + random_.Below(3);
}

// What compilers make of arrays in VGPRs: moves alone between on and off.
void ProgramBuilder::IndexedMoves() {
  const uint32_t reg = kPool + random_.Below(kPoolEnd - kPool);
  const uint32_t index = random_.Percent(20) ? uint32_t{frontend::kCodeM0} : reg;
  const uint32_t array = maker_.Vgpr(1);
  const auto vgpr = [&] { return random_.Percent(60) ? array : maker_.Vgpr(1); };
  const uint32_t number = RandomIndex(array) | random_.Bits(16) << 16;
  Add(assembler_.Sop1(Opcode::S_MOV_B32, index, Literal(number)));
  if (random_.Percent(30)) {
    Add(assembler_.Sop2(Opcode::S_AND_B32, index, Sgpr(index),
                        Inline(random_.Pick({1u, 3u, 15u}))));
  }
  Item on = assembler_.Sopc(Opcode::S_SET_GPR_IDX_ON, Sgpr(index), {});
  encoding::SetField(on.words[0], 8, 8,
                     random_.Percent(80) ? random_.Pick({1u, 8u}) : random_.Bits(4));
  Add(on);
  for (uint32_t n = random_.Between(1, 4); n > 0; --n) {
    const Source source = random_.Percent(80) ? Vgpr(vgpr()) : Sgpr(reg);
    Add(assembler_.Vop1(Opcode::V_MOV_B32, vgpr(), source));
    if (random_.Percent(15)) {
      const uint32_t other = kPool + random_.Below(kPoolEnd - kPool);
      Add(assembler_.Sop2(Opcode::S_ADD_U32, other, Sgpr(other), Inline(1)));
    }
  }
  Add(assembler_.Sopp(Opcode::S_SET_GPR_IDX_OFF));
}

void ProgramBuilder::Indexing() {
  const uint32_t index = random_.Below(4);
  const bool gfx8_plus = IsGfx8Plus(program_.generation);
  if (gfx8_plus && random_.Percent(40)) return IndexedMoves();
  if (gfx8_plus && random_.Percent(50)) {
    Item on = assembler_.Sopc(Opcode::S_SET_GPR_IDX_ON, Inline(index), {});
    encoding::SetField(on.words[0], 8, 8, random_.Bits(4));
    Add(on);
    for (uint32_t n = random_.Between(1, 4); n > 0; --n) {
      Vector();
      if (random_.Percent(15)) {
        Add(assembler_.Sop1(Opcode::S_SET_GPR_IDX_IDX, 0, Inline(random_.Below(3))));
      }
      if (random_.Percent(15)) {
        Add(assembler_.Sopp(Opcode::S_SET_GPR_IDX_MODE, random_.Bits(4)));
      }
    }
    Add(assembler_.Sopp(Opcode::S_SET_GPR_IDX_OFF));
    return;
  }
  const bool vector = !rows_.relative_vector.empty() && random_.Percent(50);
  // Pairs of SGPRs are even.
  const uint32_t even = vector || random_.Percent(10) ? index : index & ~1u;
  // Now and then another one, negative ones too, which may be a register all the same.
  const uint32_t m0 = random_.Percent(95) ? even : RandomIndex(maker_.Vgpr(1)) - random_.Below(8);
  Add(assembler_.Sop1(Opcode::S_MOV_B32, frontend::kCodeM0, Literal(m0)));
  const Opcode row = random_.Pick(vector ? rows_.relative_vector : rows_.relative_scalar);
  if (vector || random_.Percent(10)) {
    AddRandom(row);
  } else {
    const uint32_t reg = kPool + 2 * random_.Below(4);
    const bool moves_source = row == Opcode::S_MOVRELS_B32 || row == Opcode::S_MOVRELS_B64;
    AddRandom(row, {moves_source ? Field{0, 0, 8, reg} : Field{0, 16, 7, reg}});
  }
}

void ProgramBuilder::ChangeMode() {
  const auto hwreg = [](uint32_t id, uint32_t offset, uint32_t size) {
    return (size - 1) << 11 | offset << 6 | id;
  };
  constexpr uint32_t kModeFields[][2] = {{0, 8}, {0, 2}, {2, 2}, {4, 4}, {4, 2}, {8, 2}, {9, 1}};
  const auto& field = kModeFields[random_.Below(std::size(kModeFields))];
  const uint32_t mode = hwreg(1, field[0], field[1]);
  switch (random_.Below(6)) {
    case 0: {
      const uint32_t read[] = {mode,
                               hwreg(1, 0, 32),
                               hwreg(2, 0, 17),
                               hwreg(5, 0, 32),
                               hwreg(6, 0, 32),
                               hwreg(7, 0, 32),
                               hwreg(4, 0, 32),
                               hwreg(3, 0, 32),
                               IsGfx9(program_.generation) ? hwreg(15, 0, 32) : mode,
                               IsGfx9(program_.generation) ? hwreg(16, 0, 32) : mode};
      Add(assembler_.Sopk(Opcode::S_GETREG_B32, random_.Between(kPool, 15), random_.Pick(read)));
      return;
    }
    case 1: {
      const uint32_t trapsts = hwreg(3, random_.Below(16), random_.Between(1, 16));
      Add(assembler_.Sopk(Opcode::S_SETREG_B32, random_.Between(kPool, 15),
                          random_.Percent(70) ? mode : trapsts));
      return;
    }
    case 2: {
      if (random_.Percent(60)) return;
      Add(assembler_.Sopc(Opcode::S_SETVSKIP, Inline(random_.Below(2)), Inline(0)));
      ShortBody(kMaxDepth);
      Add(assembler_.Sopc(Opcode::S_SETVSKIP, Inline(0), Inline(0)));
      return;
    }
    case 3:
      if (IsGfx9(program_.generation)) {
        Add(assembler_.Sopk(Opcode::S_SETREG_IMM32_B32, 0, hwreg(1, 23, 1), random_.Bits(1)));
        return;
      }
      [[fallthrough]];
    default: Add(assembler_.Sopk(Opcode::S_SETREG_IMM32_B32, 0, mode, random_.Word())); return;
  }
}

}  // namespace gcnjit::differential
