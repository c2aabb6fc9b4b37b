// The pieces of programs that access memory: LDS, GDS, flat, buffer and scalar accesses.
#include <string_view>

#include "differential/program_builder.h"

namespace gcnjit::differential {

using frontend::Format;
using frontend::Generation;
using frontend::IsGfx8Plus;
using frontend::IsGfx9;
using frontend::OpcodeRow;
using frontend::OperandType;

namespace {

// The bit that makes a DS instruction one of GDS.
int GdsBit(Generation generation) { return IsGfx8Plus(generation) ? 16 : 17; }

}  // namespace

void ProgramBuilder::PrepareM0() {
  if (IsGfx9(program_.generation) || random_.Percent(40)) return;
  Add(assembler_.Sop1(Opcode::S_MOV_B32, frontend::kCodeM0, kMinusOne));
}

uint32_t ProgramBuilder::MaskedOffset(Opcode row, uint32_t mask) {
  constexpr uint32_t kAlignments[] = {~15u, ~15u, ~15u, ~3u, ~0u};
  const bool aligned = frontend::RowOf(row).Has(frontend::ATOMIC) && random_.Percent(95);
  const uint32_t to = maker_.Vgpr(1);
  Add(assembler_.Vop2(Opcode::V_AND_B32, to,
                      Literal(mask & (aligned ? ~15u : random_.Pick(kAlignments))),
                      maker_.Vgpr(1)));
  return to;
}

uint32_t ProgramBuilder::AddressPair(uint32_t base_sgpr, uint32_t offset_vgpr) {
  const uint32_t pair = maker_.Vgpr(2);
  Add(assembler_.Vop2(Opcode::V_OR_B32, pair, Sgpr(base_sgpr), offset_vgpr));
  Add(assembler_.Vop1(Opcode::V_MOV_B32, pair + 1, Sgpr(base_sgpr + 1)));
  return pair;
}

void ProgramBuilder::Lds() {
  const Opcode row = random_.Pick(rows_.lds);
  PrepareM0();
  const bool has_address = frontend::RowOf(row).src[0] != OperandType::NONE;
  if (has_address && random_.Percent(40)) {
    AddRandom(row, {{1, 0, 8, MaskedOffset(row, Machine::kLdsBytes - 1)}});
  } else {
    AddRandom(row);
  }
}

void ProgramBuilder::Flat() {
  if (random_.Percent(25)) return ElementAccess();
  if (rows_.flat.empty()) return Buffer();
  const Opcode row = random_.Pick(rows_.flat);
  const Format format = frontend::RowOf(row).On(program_.generation).format;
  if (random_.Percent(60)) {
    AddRandom(row);
  } else if (format == Format::kScratch) {
    // Some lanes beyond the end.
    const bool leaves = random_.Percent(8);
    const uint32_t offset = MaskedOffset(
        row, leaves ? Machine::kScratchPerLane * 2 - 1 : Machine::kScratchPerLane / 2 - 1);
    if (Has(program_.generation, frontend::kGfx942Isa)) {
      AddRandom(row, {{1, 16, 7, 0x7F}, {1, 0, 8, offset}, {0, 13, 1, 1}});
    } else {
      AddRandom(row, {{1, 16, 7, 0x7F}, {1, 0, 8, offset}});
    }
  } else {
    const uint32_t saddr = format == Format::kGlobal ? 0x7F : 0;
    const uint32_t offset = MaskedOffset(row, Machine::kDataBytes / 2 - 1);
    // GLOBAL's offset is signed: bit 12.
    AddRandom(row, {{1, 16, 7, saddr}, {1, 0, 8, AddressPair(kDataBase, offset)}, {0, 12, 1, 0}});
  }
}

void ProgramBuilder::Buffer() {
  if (!rows_.image.empty() && random_.Percent(25)) {
    AddRandom(random_.Pick(rows_.image));
    return;
  }
  const Opcode row = random_.Pick(rows_.buffer);
  if (frontend::RowOf(row).src[0] == OperandType::NONE || random_.Percent(70)) {
    AddRandom(row);
  } else {
    const uint32_t offset = MaskedOffset(row, Machine::kDataBytes / 2 - 1);
    AddRandom(row, {{0, 12, 2, 1}, {1, 0, 8, offset}, {1, 16, 5, kBuffer / 4}});
  }
}

// A scalar access whose base, SGPR offset and immediate may all have low bits, which count in the
// sum alone: compilers make (base + 1) - 1.
void ProgramBuilder::UnalignedScalarAccess(Opcode opcode) {
  const uint32_t base = kPool + 2 * random_.Below((kPoolEnd - kPool) / 2 - 1);
  const uint32_t offset = kPoolEnd - 1;
  Add(assembler_.Sop2(Opcode::S_ADD_U32, base, Sgpr(kDataMiddle), Inline(random_.Below(16))));
  Add(assembler_.Sop2(Opcode::S_ADDC_U32, base + 1, Sgpr(kDataMiddle + 1), Inline(0)));
  Add(assembler_.Sop1(Opcode::S_MOV_B32, offset, Inline(random_.Below(64))));
  const bool gfx9 = IsGfx9(program_.generation);
  if (!IsGfx8Plus(program_.generation)) {
    AddRandom(opcode, {{0, 9, 6, base / 2}, {0, 8, 1, 0}, {0, 0, 8, offset}});
  } else if (random_.Percent(70)) {
    // The immediate, on gfx9 with or without an SGPR.
    const uint32_t immediate = gfx9 ? random_.Below(32) - 16u : random_.Below(32);
    AddRandom(opcode, {{0, 0, 6, base / 2},
                       {0, 17, 1, 1},
                       {0, 14, 1, gfx9 ? random_.Bits(1) : 0},
                       {1, 0, gfx9 ? 21 : 20, immediate},
                       {1, 25, 7, gfx9 ? offset : 0}});
  } else {
    AddRandom(
        opcode,
        {{0, 0, 6, base / 2}, {0, 17, 1, 0}, {0, 14, 1, 0}, {1, 0, 21, offset}, {1, 25, 7, 0}});
  }
}

void ProgramBuilder::ScalarMemory() {
  const Opcode opcode = random_.Pick(rows_.scalar_memory);
  const OpcodeRow& row = frontend::RowOf(opcode);
  const bool plain = row.src[0] == OperandType::NONE || row.Has(frontend::ATOMIC) ||
                     std::string_view(row.id).find("SCRATCH") != std::string_view::npos;
  if (plain || random_.Percent(50)) {
    AddRandom(opcode);
    return;
  }
  if (row.src[0] == OperandType::B64 && random_.Percent(50)) return UnalignedScalarAccess(opcode);
  const uint32_t offset = random_.Between(kPool, kPoolEnd - 1);
  Add(assembler_.Sop2(Opcode::S_AND_B32, offset, Literal(random_.Percent(70) ? 0x1FFC : 0x1FFF),
                      Sgpr(random_.Between(kPool, kPoolEnd - 1))));
  if (IsGfx8Plus(program_.generation)) {
    AddRandom(opcode, {{0, 17, 1, 0}, {0, 14, 1, 0}, {1, 0, 21, offset}, {1, 25, 7, 0}});
  } else {
    AddRandom(opcode, {{0, 8, 1, 0}, {0, 0, 8, offset}});
  }
}

void ProgramBuilder::Gds() {
  program_.uses_gds = true;
  const uint32_t base = 8 * random_.Below(256);
  const uint32_t size = random_.Percent(80) ? 0x1000 : random_.Below(0x1000);
  Add(assembler_.Sop1(Opcode::S_MOV_B32, frontend::kCodeM0, Literal(base << 16 | size)));
  AddRandom(random_.Pick(rows_.lds), {{0, GdsBit(program_.generation), 1, 1}});
}

}  // namespace gcnjit::differential
