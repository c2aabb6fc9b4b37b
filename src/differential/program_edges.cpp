// Accesses that are as compiled code has seen them before in some of a program's states, and in
// others leave the memory that it knows: a run of lanes over the end, a lane 4 GiB away, two
// accesses that fail in different lanes, elements in disorder of which some are beyond the end or
// across it. They end the program, since most of the latter fault.
#include "differential/program_builder.h"

namespace gcnjit::differential {

namespace {

// 0 or 1, by a bit that differs from state to state.
constexpr uint32_t kIsBad = kPool;

}  // namespace

void ProgramBuilder::AccessAtEdge() {
  if (random_.Percent(50)) {
    Add(assembler_.Sop1(Opcode::S_MOV_B64, frontend::kCodeExecLo, kMinusOne));
  }
  Add(assembler_.Sop2(Opcode::S_AND_B32, kIsBad, Inline(1), Sgpr(kRandom + random_.Below(8))));
  const uint32_t kind = random_.Below(100);
  std::vector<uint32_t> pairs;
  if (kind < 40) {
    pairs.push_back(FarAddress());
  } else if (kind < 55) {
    pairs.push_back(WrappingIndex());
  } else {
    pairs.push_back(AddressElsewhere(Sgpr(kIsBad)));
    if (random_.Percent(40)) pairs.push_back(AddressElsewhere(Inline(1)));
  }
  for (const uint32_t pair : pairs) {
    if (rows_.flat.empty()) {
      constexpr Opcode kBuffer[] = {Opcode::BUFFER_LOAD_DWORD, Opcode::BUFFER_LOAD_DWORDX4,
                                    Opcode::BUFFER_STORE_DWORDX2, Opcode::BUFFER_STORE_DWORDX4};
      AddRandom(random_.Pick(kBuffer), {{0, 0, 12, 0},
                                        {0, 12, 2, 0},
                                        {0, 15, 1, 1},
                                        {1, 0, 8, pair},
                                        {1, 16, 5, kFreeAddress / 4},
                                        {1, 24, 8, Inline(0).code}});
      continue;
    }
    constexpr Opcode kFlat[] = {Opcode::FLAT_LOAD_DWORD,    Opcode::FLAT_LOAD_DWORD,
                                Opcode::FLAT_LOAD_DWORDX2,  Opcode::FLAT_LOAD_DWORDX4,
                                Opcode::FLAT_STORE_DWORD,   Opcode::FLAT_STORE_DWORDX2,
                                Opcode::FLAT_STORE_DWORDX4, Opcode::FLAT_STORE_DWORDX4};
    constexpr Opcode kGlobal[] = {Opcode::GLOBAL_LOAD_DWORD,    Opcode::GLOBAL_LOAD_DWORD,
                                  Opcode::GLOBAL_LOAD_DWORDX2,  Opcode::GLOBAL_LOAD_DWORDX4,
                                  Opcode::GLOBAL_STORE_DWORD,   Opcode::GLOBAL_STORE_DWORDX2,
                                  Opcode::GLOBAL_STORE_DWORDX4, Opcode::GLOBAL_STORE_DWORDX4};
    // Only GLOBAL has an SGPR pair; 0x7F is none.
    if (frontend::IsGfx9(program_.generation) && random_.Percent(70)) {
      AddRandom(random_.Pick(kGlobal), {{0, 0, 13, 0}, {1, 0, 8, pair}, {1, 16, 7, 0x7F}});
    } else {
      AddRandom(random_.Pick(kFlat), {{0, 0, 13, 0}, {1, 0, 8, pair}});
    }
  }
}

// The begin of the data, or a place shortly before the end of what may be accessed. Lanes are in
// order from there on, or anywhere in 2 KiB.
uint32_t ProgramBuilder::FarAddress() {
  uint32_t pair = maker_.Vgpr(2);
  const uint64_t end = random_.Percent(50) ? Machine::kDataBytes : Machine::kMemoryBytes;
  const bool in_order = random_.Percent(70);
  const uint32_t offset = in_order ? plan_.linear_offset() : plan_.random_offset();
  const uint32_t before = 4 * random_.Between(1, !in_order ? 512 : random_.Percent(50) ? 64 : 256);
  const uint32_t distance = kPool + 1;
  Add(assembler_.Sop2(Opcode::S_MUL_I32, distance, Sgpr(kIsBad),
                      Literal(static_cast<uint32_t>(end) - before)));
  if (random_.Percent(50)) {
    Add(assembler_.Vop1(Opcode::V_MOV_B32, pair, Vgpr(offset)));
    AddInVgpr(pair, Sgpr(distance));
    Add(assembler_.Vop1(Opcode::V_MOV_B32, pair + 1, Inline(0)));
    AddInPair(pair, Sgpr(kDataBase), Sgpr(kDataBase + 1));
  } else {
    const uint32_t linear = plan_.linear_address();
    Add(assembler_.Vop2(Opcode::V_AND_B32, pair, Literal(~0xFFFu), linear));
    Add(assembler_.Vop2(Opcode::V_OR_B32, pair, Vgpr(offset), pair));
    Add(assembler_.Vop1(Opcode::V_MOV_B32, pair + 1, Vgpr(linear + 1)));
    AddInPair(pair, Sgpr(distance), Inline(0));
  }
  return pair;
}

void ProgramBuilder::LaneNumber(uint32_t vgpr) {
  Add(assembler_.Vop1(Opcode::V_MOV_B32, vgpr, Inline(0)));
  for (const Opcode count : {Opcode::V_MBCNT_LO_U32_B32, Opcode::V_MBCNT_HI_U32_B32}) {
    const uint32_t value = frontend::kCodeFirstVgpr + vgpr;
    if (frontend::RowOf(count).On(program_.generation).format == frontend::Format::kVop2) {
      Add(assembler_.Vop2(count, vgpr, kMinusOne, vgpr));
    } else {
      AddRandom(count, Form::kHome,
                {{0, 0, 8, vgpr},
                 {0, 8, 8, 0},
                 {1, 0, 9, kMinusOne.code},
                 {1, 9, 9, value},
                 {1, 27, 5, 0}});
    }
  }
}

// Element (the lane's number + a scalar) of an array, an unsigned index of 32 bits that wraps
// around within the wave if it is bad. The array is such that elements before that are in the data.
uint32_t ProgramBuilder::WrappingIndex() {
  const uint32_t pair = maker_.Vgpr(2);
  const uint32_t first = kPool + 1;
  Add(assembler_.Sop2(Opcode::S_LSHL_B32, first, Sgpr(kIsBad), Inline(6)));
  Add(assembler_.Sop2(Opcode::S_SUB_U32, first, Sgpr(first), Literal(64 + random_.Between(1, 63))));
  LaneNumber(pair);
  AddInVgpr(pair, Sgpr(first));
  Add(assembler_.Vop1(Opcode::V_MOV_B32, pair + 1, Inline(0)));
  ShiftPair(pair, 2);
  const uint32_t array = kPool + 4;
  Add(assembler_.Sop1(Opcode::S_MOV_B32, array, Sgpr(kDataMiddle)));
  Add(assembler_.Sop2(Opcode::S_SUB_U32, array + 1, Sgpr(kDataMiddle + 1), Inline(4)));
  AddInPair(pair, Sgpr(array), Sgpr(array + 1));
  return pair;
}

// A lane's address is another one: 4 GiB away if `is_bad` is 1.
uint32_t ProgramBuilder::AddressElsewhere(Source is_bad) {
  const uint32_t pair = maker_.Vgpr(2);
  const uint32_t mask = kPool + 2;
  const uint32_t linear = plan_.linear_address();
  Add(assembler_.Sop1(Opcode::S_MOV_B32, mask, is_bad));
  Add(assembler_.Sop1(Opcode::S_MOV_B32, mask + 1, Inline(0)));
  Add(assembler_.Sop2(Opcode::S_LSHL_B64, frontend::kCodeVccLo, Sgpr(mask),
                      Inline(random_.Between(0, 63))));
  Add(assembler_.Vop1(Opcode::V_MOV_B32, pair, Vgpr(linear)));
  Add(assembler_.Vop1(Opcode::V_MOV_B32, pair + 1, Vgpr(linear + 1)));
  Add(assembler_.Vop2(Opcode::V_ADDC_CO_U32, pair + 1, Inline(0), pair + 1));
  return pair;
}

}  // namespace gcnjit::differential
