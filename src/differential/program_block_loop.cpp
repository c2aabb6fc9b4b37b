// Loops of a single block, which compiled code may run without going through the wave's state.
#include <algorithm>
#include <bit>

#include "differential/program_builder.h"
#include "frontend/lift/why_not_lifted.h"

namespace gcnjit::differential {

using frontend::Format;
using frontend::IsGfx9;
using frontend::kCodeExecLo;
using frontend::OpcodeRow;

namespace {

constexpr uint32_t kMostStoringTrips = 200;  // the walking address then stays within the data
constexpr uint32_t kMostInline = 64;

}  // namespace

// Rows that the lifter leaves to the interpreter cut the block, and the loop is none any more.
std::optional<frontend::Opcode> ProgramBuilder::LiftedRow(const std::vector<Opcode>& rows,
                                                          uint32_t flags) {
  if (rows.empty()) return std::nullopt;
  for (int n = 0; n < 32; ++n) {
    const OpcodeRow& row = frontend::RowOf(random_.Pick(rows));
    if ((row.flags & flags) != flags) continue;
    if (row.Has(frontend::EXEC_OUT) && random_.Percent(95)) continue;
    if (frontend::WhyNotLifted(row.opcode) != nullptr && random_.Percent(98)) continue;
    return row.opcode;
  }
  return std::nullopt;
}

void ProgramBuilder::AddLifted(const std::vector<Opcode>& rows, uint32_t flags) {
  if (const std::optional<Opcode> row = LiftedRow(rows, flags)) AddRandom(*row);
}

void ProgramBuilder::BlockLoop() {
  BlockLoopPlan loop;
  loop.trips = BlockLoopTrips();
  constexpr int kMemoryWeights[] = {35, 50, 15};
  loop.memory = static_cast<BlockLoopPlan::Memory>(random_.Weighted(kMemoryWeights));
  loop.walks = loop.memory != BlockLoopPlan::Memory::kNone && random_.Percent(40);
  loop.is_of_rows = random_.Percent(20);
  if (loop.is_of_rows && loops_ == 0) loop.trips = random_.Between(4, 48);
  loop.keeps_sum = !loop.is_of_rows && random_.Percent(25);
  PrepareM0();
  const uint32_t saved = kSavedExec + 4 * random_.Below(2);
  loop.left = saved + 2;
  Add(assembler_.Sop1(Opcode::S_MOV_B64, saved, kExec));
  if (random_.Percent(35)) NarrowExec();
  if (loop.is_of_rows) {
    BeginRows(loop);
  } else if (loop.walks) {
    BeginWalk(loop);
  }
  switch (random_.Below(4)) {
    case 0:
    case 1: UniformLoop(loop); break;
    case 2: DivergentLoop(loop); break;
    default: LoopEnteredInTheMiddle(loop); break;
  }
  if (random_.Percent(10)) return;  // goes on with the lanes that are left
  if (random_.Percent(50)) {
    Add(assembler_.Sop2(Opcode::S_OR_B64, kCodeExecLo, kExec, Sgpr(saved)));
  } else {
    Add(assembler_.Sop1(Opcode::S_MOV_B64, kCodeExecLo, Sgpr(saved)));
  }
}

uint32_t ProgramBuilder::BlockLoopTrips() {
  const uint32_t at = random_.Below(100);
  if (at < 12) return 1;
  if (at < 85 || loops_ > 0) return random_.Between(2, 12);
  if (at < 96) return random_.Between(13, 64);
  return random_.Between(100, 400);
}

void ProgramBuilder::NarrowExec() {
  const Source sources[] = {
      Inline(0), Inline(random_.Below(64)),          Literal(random_.Word()),
      kVcc,      Sgpr(kPool + 2 * random_.Below(6)), Sgpr(kSavedExec + 2 * random_.Below(4))};
  Add(assembler_.Sop1(Opcode::S_MOV_B64, kCodeExecLo, random_.Pick(sources)));
}

// The walking address: from a place that differs by lane, and on by a step in each iteration. A
// step that differs by lane leaves the memory in other iterations of other lanes.
void ProgramBuilder::BeginWalk(BlockLoopPlan& loop) {
  const uint32_t from = random_.Percent(50) ? plan_.linear_address() : plan_.random_address();
  Add(assembler_.Vop1(Opcode::V_MOV_B32, plan_.walking_address(), Vgpr(from)));
  Add(assembler_.Vop1(Opcode::V_MOV_B32, plan_.walking_address() + 1, Vgpr(from + 1)));
  loop.step = Inline(random_.Pick({0u, 1u, 2u, 4u, 4u, 8u, 16u}));
  if (random_.Percent(20)) {
    loop.step = Vgpr(random_.Percent(50) ? plan_.linear_offset() : plan_.random_offset());
  }
}

// The walking address: that of a row of each lane, from 16 to 128 bytes after the last lane's, or
// before it. A row that is longer than that meets the next one.
void ProgramBuilder::BeginRows(BlockLoopPlan& loop) {
  const uint32_t address = plan_.walking_address();
  const uint32_t shift = random_.Between(4, 7);
  const uint32_t lane = maker_.Vgpr(1);
  LaneNumber(lane);
  if (random_.Percent(25)) Add(assembler_.Vop2(Opcode::V_XOR_B32, lane, Inline(63), lane));
  Add(assembler_.Vop2(Opcode::V_LSHLREV_B32, address, Inline(shift), lane));
  AddInVgpr(address, Sgpr(kDataBase));
  Add(assembler_.Vop1(Opcode::V_MOV_B32, address + 1, Sgpr(kDataBase + 1)));
  loop.step_bytes = random_.Pick({1u, 2u, 4u, 4u, 4u, 8u, 16u});
  loop.step = Inline(loop.step_bytes);
}

void ProgramBuilder::AddInVgpr(uint32_t vgpr, Source summand) {
  const Opcode add = assembler_.Has(Opcode::V_ADD_U32) ? Opcode::V_ADD_U32 : Opcode::V_ADD_CO_U32;
  Add(assembler_.Vop2(add, vgpr, summand, vgpr));
}

// ---- The loops

// A counter in an SGPR. What it starts from is a constant or known at run time only.
void ProgramBuilder::UniformLoop(const BlockLoopPlan& loop) {
  const uint32_t counter = kLoopCounters + loops_;
  const uint32_t form = random_.Below(6);
  const bool counts_up = form == 4;
  const bool is_constant = counts_up || random_.Percent(60);
  if (counts_up) {
    Add(assembler_.Sopk(Opcode::S_MOVK_I32, counter, 0));
  } else if (is_constant) {
    Add(assembler_.Sopk(Opcode::S_MOVK_I32, counter, loop.trips));
  } else {
    const uint32_t mask = std::max(1u, std::bit_floor(loop.trips + 1) - 1);
    Add(assembler_.Sop2(Opcode::S_AND_B32, counter, Constant(mask),
                        Sgpr(random_.Between(kPool, kPoolEnd - 1))));
  }
  int skip = -1;
  if (!is_constant) {  // no iteration at all
    Add(assembler_.Sopc(Opcode::S_CMP_EQ_U32, Sgpr(counter), Inline(0)));
    skip = AddBranch(Opcode::S_CBRANCH_SCC1);
  }
  const int begin = here();
  BlockLoopBody(loop);
  if (loop.keeps_sum) StoreSum();
  Opcode branch = Opcode::S_CBRANCH_SCC1;
  switch (form) {
    case 0:
      Add(assembler_.Sop2(Opcode::S_SUB_U32, counter, Sgpr(counter), Inline(1)));
      Add(assembler_.Sopc(Opcode::S_CMP_GT_I32, Sgpr(counter), Inline(0)));
      break;
    case 1:
      Add(assembler_.Sop2(Opcode::S_ADD_I32, counter, Sgpr(counter), kMinusOne));
      Add(assembler_.Sopc(Opcode::S_CMP_LG_U32, Sgpr(counter), Inline(0)));
      break;
    case 2:
      Add(assembler_.Sopk(Opcode::S_ADDK_I32, counter, 0xFFFF));
      Add(assembler_.Sopk(Opcode::S_CMPK_GT_I32, counter, 0));
      break;
    case 3:  // the borrow
      Add(assembler_.Sop2(Opcode::S_SUB_U32, counter, Sgpr(counter), Inline(1)));
      branch = Opcode::S_CBRANCH_SCC0;
      break;
    case 4:
      Add(assembler_.Sop2(Opcode::S_ADD_U32, counter, Sgpr(counter), Inline(1)));
      Add(assembler_.Sopc(Opcode::S_CMP_LT_U32, Sgpr(counter), Constant(loop.trips)));
      break;
    default:
      Add(assembler_.Sop2(Opcode::S_ADD_I32, counter, Sgpr(counter), kMinusOne));
      Add(assembler_.Sopc(Opcode::S_CMP_LE_I32, Sgpr(counter), Inline(0)));
      branch = Opcode::S_CBRANCH_SCC0;
      break;
  }
  // Vector instructions leave SCC alone.
  for (uint32_t n = random_.Percent(30) ? random_.Between(1, 2) : 0; n > 0; --n) {
    if (const std::optional<Opcode> row = LiftedRow(rows_.vop2)) AddRandom(*row);
  }
  TargetAt(AddBranch(branch), begin);
  if (skip >= 0) TargetHere(skip);
}

// Each lane counts for itself, up to the same number from another one: the lanes leave one by one.
void ProgramBuilder::DivergentLoop(const BlockLoopPlan& loop) {
  const uint32_t counter = plan_.lane_counter();
  const uint32_t limit = std::bit_ceil(loop.trips);
  Add(assembler_.Vop2(Opcode::V_AND_B32, counter, Constant(limit - 1), maker_.Vgpr(1)));
  const uint32_t form = random_.Below(7);
  const bool accumulates = form == 1 || form == 2;
  if (accumulates) {  // and what may have lanes that are in the loop, too
    const Source before = random_.Percent(75) ? Inline(0) : Sgpr(kPool + 2 * random_.Below(6));
    Add(assembler_.Sop1(Opcode::S_MOV_B64, loop.left, before));
  }
  int skip = -1;
  if (random_.Percent(30)) {  // no iteration for some lanes, or for all
    Compare();
    Add(assembler_.Sop2(Opcode::S_AND_B64, kCodeExecLo, kExec, kVcc));
    skip = AddBranch(Opcode::S_CBRANCH_EXECZ);
  }
  const int begin = here();
  BlockLoopBody(loop);
  AddInVgpr(counter, Inline(1));
  const auto compare = [&](Opcode opcode) {
    Add(assembler_.Vopc(opcode, Constant(limit), counter));
  };
  Opcode branch = Opcode::S_CBRANCH_EXECNZ;
  switch (form) {
    case 0:
      compare(Opcode::V_CMP_LE_U32);
      Add(assembler_.Sop2(Opcode::S_ANDN2_B64, kCodeExecLo, kExec, kVcc));
      break;
    case 1:
    case 2: {  // the lanes that have left, in SGPRs
      Source done = kVcc;
      if (form == 2 && limit <= kMostInline) {
        done = Sgpr(kPool + 2 * random_.Below(6));
        AddRandom(
            Opcode::V_CMP_LE_U32, Form::kVop3,
            {{0, 0, 8, done.code}, {1, 0, 9, Constant(limit).code}, {1, 9, 9, Vgpr(counter).code}});
      } else {
        compare(Opcode::V_CMP_LE_U32);
      }
      Add(assembler_.Sop2(Opcode::S_OR_B64, loop.left, done, Sgpr(loop.left)));
      Add(assembler_.Sop2(Opcode::S_ANDN2_B64, kCodeExecLo, kExec, Sgpr(loop.left)));
      break;
    }
    case 3:
      compare(Opcode::V_CMP_GT_U32);
      Add(assembler_.Sop2(Opcode::S_AND_B64, kCodeExecLo, kExec, kVcc));
      if (random_.Percent(50)) branch = Opcode::S_CBRANCH_SCC1;
      break;
    case 4: compare(Opcode::V_CMPX_GT_U32); break;
    case 5:  // EXEC stays
      compare(Opcode::V_CMP_GT_U32);
      branch = Opcode::S_CBRANCH_VCCNZ;
      break;
    default:
      compare(Opcode::V_CMP_GT_U32);
      Add(assembler_.Sop2(Opcode::S_AND_B64, frontend::kCodeVccLo, kExec, kVcc));
      branch = Opcode::S_CBRANCH_VCCNZ;
      break;
  }
  TargetAt(AddBranch(branch), begin);
  if (skip >= 0) TargetHere(skip);
}

// The same as compilers place it: the loop's end comes first, the code before the loop goes to its
// beginning, and what some lanes do is skipped by a branch to the end.
void ProgramBuilder::LoopEnteredInTheMiddle(const BlockLoopPlan& loop) {
  const uint32_t counter = plan_.lane_counter();
  const uint32_t limit = std::bit_ceil(loop.trips);
  Add(assembler_.Vop2(Opcode::V_AND_B32, counter, Constant(limit - 1), maker_.Vgpr(1)));
  Add(assembler_.Sop1(Opcode::S_MOV_B64, loop.left, Inline(0)));
  const bool skips = random_.Percent(75);
  const uint32_t saved = SavedExec();
  const int enter = AddBranch(Opcode::S_BRANCH);
  const int end = here();
  if (skips) Add(assembler_.Sop2(Opcode::S_OR_B64, kCodeExecLo, kExec, Sgpr(saved)));
  AddInVgpr(counter, Inline(1));
  Add(assembler_.Vopc(Opcode::V_CMP_LE_U32, Constant(limit), counter));
  Add(assembler_.Sop2(Opcode::S_OR_B64, loop.left, kVcc, Sgpr(loop.left)));
  Add(assembler_.Sop2(Opcode::S_ANDN2_B64, kCodeExecLo, kExec, Sgpr(loop.left)));
  const int leave = AddBranch(Opcode::S_CBRANCH_EXECZ);
  TargetHere(enter);
  BlockLoopBody(loop);
  if (skips) {
    Compare();
    Add(assembler_.Sop1(Opcode::S_AND_SAVEEXEC_B64, saved, kVcc));
    TargetAt(AddBranch(Opcode::S_CBRANCH_EXECZ), end);
    FewLanes(saved);
  }
  TargetAt(AddBranch(Opcode::S_BRANCH), end);
  TargetHere(leave);
}

// ---- What is in them

// What is done under a mask, and masks that it changes for lanes of EXEC only, or for others, too.
void ProgramBuilder::FewLanes(uint32_t saved) {
  for (uint32_t n = random_.Between(1, 4); n > 0; --n) {
    const uint32_t pair = random_.Percent(80) ? kPool + 2 * random_.Below(6) : saved;
    switch (random_.Below(6)) {
      case 0:
        Add(assembler_.Sop2(Opcode::S_ANDN2_B64, pair, Sgpr(pair), kExec));
        Compare();
        if (random_.Percent(80)) {
          Add(assembler_.Sop2(Opcode::S_AND_B64, frontend::kCodeVccLo, kVcc, kExec));
        }
        Add(assembler_.Sop2(Opcode::S_OR_B64, pair, Sgpr(pair), kVcc));
        break;
      case 1: Add(assembler_.Sop2(Opcode::S_OR_B64, pair, Sgpr(pair), kExec)); break;
      default: AddLifted(rows_.vop2); break;
    }
  }
}

// Of what is loaded and what is stored, if anything is, some is the lane's own from an iteration
// before.
void ProgramBuilder::RowBody(const BlockLoopPlan& loop) {
  const uint32_t address = plan_.walking_address();
  const bool steps_first = random_.Percent(20);
  if (steps_first) StepOn(loop);
  if (assembler_.Has(Opcode::GLOBAL_STORE_DWORD) && random_.Percent(35)) {
    // Stored now, loaded a few iterations later.
    const uint32_t sum = maker_.Vgpr(1);
    const uint32_t ahead = 4 * random_.Between(1, 7);
    AddRandom(Opcode::GLOBAL_LOAD_DWORD,
              {{0, 0, 13, 0}, {1, 16, 7, 0x7F}, {1, 0, 8, address}, {1, 24, 8, sum}});
    AddInVgpr(sum, Vgpr(maker_.Vgpr(1)));
    AddRandom(Opcode::GLOBAL_STORE_DWORD,
              {{0, 0, 13, ahead}, {1, 16, 7, 0x7F}, {1, 0, 8, address}, {1, 8, 8, sum}});
  }
  const bool stores = random_.Percent(60);
  for (uint32_t n = random_.Between(1, 3); n > 0; --n) {
    AddLifted(rows_.vop2);
    if (stores || random_.Percent(20)) {
      AccessOnWalk(stores && (n == 1 || random_.Percent(40)), random_.Percent(99));
    } else {
      LoadElement(loop);
    }
  }
  if (!steps_first) StepOn(loop);
}

// As many bytes as the step has, so that the next iteration's are next to them.
void ProgramBuilder::LoadElement(const BlockLoopPlan& loop) {
  if (!assembler_.Has(Opcode::GLOBAL_LOAD_DWORD)) return;
  const Opcode opcode = loop.step_bytes == 1
                            ? random_.Pick({Opcode::GLOBAL_LOAD_UBYTE, Opcode::GLOBAL_LOAD_SBYTE})
                        : loop.step_bytes == 2
                            ? random_.Pick({Opcode::GLOBAL_LOAD_USHORT, Opcode::GLOBAL_LOAD_SSHORT})
                            : Opcode::GLOBAL_LOAD_DWORD;
  AddRandom(opcode, {{0, 0, 13, 4 * random_.Below(4)},
                     {1, 16, 7, 0x7F},
                     {1, 0, 8, plan_.walking_address()},
                     {1, 24, 8, maker_.Vgpr(1)}});
}

void ProgramBuilder::BlockLoopBody(const BlockLoopPlan& loop) {
  if (loop.is_of_rows) return RowBody(loop);
  using Memory = BlockLoopPlan::Memory;
  for (uint32_t n = random_.Between(1, 9); n > 0; --n) {
    const uint32_t at = random_.Below(100);
    if (at < 45 || (at < 75 && loop.memory == Memory::kNone)) {
      const Opcode row = RandomVectorRow();
      if (frontend::WhyNotLifted(row) == nullptr) AddRandom(row);
    } else if (at < 75) {
      BlockLoopLoad();
    } else if (at < 83) {
      AddLifted(rows_.scalar);
    } else if (at < 86) {
      WriteLane();
    } else if (at < 90) {
      Compare();
    } else if (at < 92) {
      if (const std::optional<Opcode> row = LiftedRow(rows_.cross_lane)) AddRandom(*row);
    } else if (at < 95) {  // if
      const uint32_t saved = SavedExec();
      Compare();
      Add(assembler_.Sop1(Opcode::S_AND_SAVEEXEC_B64, saved, kVcc));
      const int skip = AddBranch(Opcode::S_CBRANCH_EXECZ);
      FewLanes(saved);
      TargetHere(skip);
      Add(assembler_.Sop2(Opcode::S_OR_B64, kCodeExecLo, kExec, Sgpr(saved)));
    } else if (loop.memory == Memory::kLoadsAndStores) {
      random_.Percent(50) ? Lds() : Flat();
    } else {
      WiderExec();
    }
  }
  if (loop.walks) Walk(loop);
}

// Writes a lane, which may have left the loop, something else in each iteration.
void ProgramBuilder::WriteLane() {
  const uint32_t number = random_.Between(kPool, kPoolEnd - 1);
  Add(assembler_.Sop2(Opcode::S_ADD_U32, number, Sgpr(number), Inline(random_.Between(1, 9))));
  const Format format = frontend::RowOf(Opcode::V_WRITELANE_B32).On(program_.generation).format;
  AddRandom(Opcode::V_WRITELANE_B32, Form::kHome,
            {{format == Format::kVop3 ? 1 : 0, 0, 9, number}});
}

// A few instructions for lanes that have left the loop, too.
void ProgramBuilder::WiderExec() {
  const uint32_t saved = SavedExec();
  Add(assembler_.Sop1(Opcode::S_MOV_B64, saved, kExec));
  if (random_.Percent(50)) {
    Add(assembler_.Sop1(Opcode::S_MOV_B64, kCodeExecLo, kMinusOne));
  } else {
    Add(assembler_.Sop2(Opcode::S_OR_B64, kCodeExecLo, kExec, Sgpr(kPool + 2 * random_.Below(6))));
  }
  if (random_.Percent(50)) AddInVgpr(maker_.Vgpr(1), Inline(random_.Between(1, 9)));
  for (uint32_t n = random_.Between(1, 2); n > 0; --n) AddLifted(rows_.vop2);
  // Compiled code knows of the latter that EXEC does not grow again.
  switch (random_.Below(4)) {
    case 0:
    case 1: Add(assembler_.Sop1(Opcode::S_MOV_B64, kCodeExecLo, Sgpr(saved))); break;
    case 2: Add(assembler_.Sop2(Opcode::S_AND_B64, kCodeExecLo, kExec, Sgpr(saved))); break;
    default: Add(assembler_.Sop2(Opcode::S_AND_B64, kCodeExecLo, Sgpr(saved), kExec)); break;
  }
  // It is dead at the loop's end, then.
  if (random_.Percent(50)) Add(assembler_.Sop1(Opcode::S_MOV_B64, saved, Inline(0)));
}

void ProgramBuilder::BlockLoopLoad() {
  switch (random_.Below(6)) {
    case 0:
    case 1: return AddLifted(rows_.lds, frontend::LOAD);
    case 2: {  // an address that the loop computes
      const std::optional<Opcode> row = LiftedRow(rows_.lds, frontend::LOAD);
      if (!row) return;
      AddRandom(*row, {{1, 0, 8, MaskedOffset(*row, Machine::kLdsBytes - 1)}});
      return;
    }
    case 3: return AddLifted(rows_.flat.empty() ? rows_.buffer : rows_.flat, frontend::LOAD);
    case 4: return AddLifted(rows_.buffer, frontend::LOAD);
    default: return AddLifted(rows_.scalar_memory, frontend::LOAD);
  }
}

// A sum that is kept in memory, in one place of each lane.
void ProgramBuilder::StoreSum() {
  if (!assembler_.Has(Opcode::GLOBAL_STORE_DWORD)) return;
  const uint32_t sum = maker_.Vgpr(1);
  AddInVgpr(sum, Vgpr(maker_.Vgpr(1)));
  const uint32_t address = random_.Percent(70) ? plan_.linear_address() : plan_.random_address();
  const Opcode opcode = random_.Pick({Opcode::GLOBAL_STORE_DWORD, Opcode::GLOBAL_STORE_DWORD,
                                      Opcode::GLOBAL_STORE_SHORT, Opcode::GLOBAL_STORE_BYTE});
  AddRandom(opcode, {{1, 0, 8, address}, {1, 8, 8, sum}, {1, 16, 7, 0x7F}});
}

void ProgramBuilder::Walk(const BlockLoopPlan& loop) {
  AccessOnWalk(loop.memory == BlockLoopPlan::Memory::kLoadsAndStores &&
                   loop.trips <= kMostStoringTrips && random_.Percent(50),
               /*is_near=*/false);
  StepOn(loop);
}

// The low half alone, or as compilers do.
void ProgramBuilder::StepOn(const BlockLoopPlan& loop) {
  const uint32_t address = plan_.walking_address();
  random_.Percent(50) ? AddInVgpr(address, loop.step) : AddInPair(address, loop.step, Inline(0));
}

void ProgramBuilder::AccessOnWalk(bool stores, bool is_near) {
  const uint32_t address = plan_.walking_address();
  const uint32_t flags = stores ? frontend::STORE : frontend::LOAD;
  const bool has_flat = !rows_.flat.empty();
  std::optional<Opcode> row = LiftedRow(has_flat ? rows_.flat : rows_.buffer, flags);
  while (row && is_near && has_flat && assembler_.Has(Opcode::GLOBAL_STORE_DWORD) &&
         frontend::RowOf(*row).On(program_.generation).format != Format::kGlobal) {
    row = LiftedRow(rows_.flat, flags);
  }
  if (row && has_flat) {
    const Format format = frontend::RowOf(*row).On(program_.generation).format;
    const uint32_t saddr = IsGfx9(program_.generation) && format != Format::kFlat ? 0x7F : 0;
    const uint32_t near = 4 * random_.Below(4);
    if (is_near && format == Format::kGlobal) {
      AddRandom(*row, {{0, 0, 13, near}, {1, 16, 7, saddr}, {1, 0, 8, address}});
    } else if (format != Format::kScratch) {
      AddRandom(*row, {{1, 16, 7, saddr}, {1, 0, 8, address}});
    }
  } else if (row) {  // with a 64-bit address, without index and SOFFSET
    AddRandom(*row, {{0, 12, 2, 0},
                     {0, 15, 1, 1},
                     {0, 16, 1, 0},
                     {1, 0, 8, address},
                     {1, 16, 5, kFreeAddress / 4},
                     {1, 24, 8, 128}});
  }
}

}  // namespace gcnjit::differential
