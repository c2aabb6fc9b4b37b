// Kernels that are launched: they load their arguments, and most have a guard.
#include "differential/program_builder.h"

namespace gcnjit::differential {
namespace {

constexpr uint32_t kArguments = 0;  // s[0:1], and after it:
constexpr uint32_t kGroupX = 2;
constexpr uint32_t kGroupY = 3;
constexpr uint32_t kItemShift = 4;  // bytes of an item in the data, as a power of two

}  // namespace

void ProgramBuilder::BuildRows(int length) {
  LoadAllArguments();
  ItemOffsets();
  const int guard = random_.Percent(60) ? Guard() : -1;
  for (uint32_t n = random_.Below(4); n > 0; --n) {
    BufferAccess(Opcode::BUFFER_LOAD_DWORD, maker_.Vgpr(1), 4 * random_.Below(4));
  }
  const int end = here() + length;
  while (here() < end) {
    if (random_.Percent(12)) LoadAnyArguments();
    Body(static_cast<int>(random_.Between(1, 6)), 0);
  }
  StoreItem();
  Item last = assembler_.Sopp(Opcode::S_ENDPGM);
  last.fixed = true;
  Add(last);
  if (guard >= 0) TargetAt(guard, here() - 1);
}

// To any SGPRs: random instructions have those of the pool only.
void ProgramBuilder::LoadArguments(Opcode opcode, uint32_t sgpr, uint32_t offset) {
  const bool gfx8 = frontend::IsGfx8Plus(program_.generation);
  const int destination_bit = gfx8 ? 6 : 15;
  const Field to_pool = {0, destination_bit, 7, kWidePool};
  if (gfx8) {
    AddRandom(opcode, {{0, 0, 6, kArguments / 2},
                       to_pool,
                       {0, 14, 1, 0},
                       {0, 16, 1, 0},
                       {0, 17, 1, 1},
                       {1, 0, 21, offset},
                       {1, 25, 7, 0}});
  } else {
    AddRandom(opcode, {{0, 0, 8, offset / 4}, {0, 8, 1, 1}, {0, 9, 6, kArguments / 2}, to_pool});
  }
  uint32_t& word = program_.items.back().words[0];
  word = (word & ~(0x7Fu << destination_bit)) | sgpr << destination_bit;
}

// What InitialState gives each register, where programs have use for it: most in few pieces, as
// compilers have them, some in many.
void ProgramBuilder::LoadAllArguments() {
  struct Piece {
    Opcode opcode;
    uint32_t first;
    uint32_t count;
  };
  std::vector<Piece> pieces = {{Opcode::S_LOAD_DWORDX8, 4, 8},
                               {Opcode::S_LOAD_DWORDX4, 12, 4},
                               {Opcode::S_LOAD_DWORDX4, kDataBase, 4},
                               {Opcode::S_LOAD_DWORDX8, kBuffer, 8},
                               {Opcode::S_LOAD_DWORDX4, 28, 4}};
  for (const uint32_t first : {32u, 48u, 64u, 80u}) {
    pieces.push_back({Opcode::S_LOAD_DWORDX16, first, 16});
  }
  while (!pieces.empty()) {
    const uint32_t index = random_.Below(static_cast<uint32_t>(pieces.size()));
    const Piece piece = pieces[index];
    pieces.erase(pieces.begin() + index);
    const bool in_halves = piece.count == 8 && random_.Percent(20);
    if (in_halves) {
      LoadArguments(Opcode::S_LOAD_DWORDX4, piece.first, piece.first * 4);
      LoadArguments(Opcode::S_LOAD_DWORDX4, piece.first + 4, piece.first * 4 + 16);
    } else {
      LoadArguments(piece.opcode, piece.first, piece.first * 4);
    }
  }
}

// Anywhere, some of them beyond what is fixed.
void ProgramBuilder::LoadAnyArguments() {
  const uint32_t dwords = 1u << random_.Below(3);
  const Opcode opcode = dwords == 1   ? Opcode::S_LOAD_DWORD
                        : dwords == 2 ? Opcode::S_LOAD_DWORDX2
                                      : Opcode::S_LOAD_DWORDX4;
  const uint32_t sgpr = kPool + dwords * random_.Below((kPoolEnd - kPool) / dwords);
  LoadArguments(opcode, sgpr, 4 * random_.Below(kRowArgumentBytes / 4 + 1 - dwords));
}

// Each item of the launch has a place in the data.
void ProgramBuilder::ItemOffsets() {
  const ProgramRows& rows = program_.rows;
  const uint32_t item = plan_.linear_offset();
  Add(assembler_.Vop1(Opcode::V_MOV_B32, item, Vgpr(0)));
  uint32_t group = kGroupX;
  if (rows.groups[1] > 1) {
    group = frontend::kCodeVccLo;
    Add(assembler_.Sop2(Opcode::S_MUL_I32, group, Sgpr(kGroupY), Literal(rows.groups[0])));
    Add(assembler_.Sop2(Opcode::S_ADD_U32, group, Sgpr(group), Sgpr(kGroupX)));
  }
  const uint32_t first = frontend::kCodeVccLo;
  Add(assembler_.Sop2(Opcode::S_MUL_I32, first, Sgpr(group), Literal(program_.group.size[0])));
  AddInVgpr(item, Sgpr(first));
  Add(assembler_.Vop1(Opcode::V_MOV_B32, plan_.lane_counter(), Vgpr(item)));
  Add(assembler_.Vop2(Opcode::V_LSHLREV_B32, item, Inline(kItemShift), item));
  Add(assembler_.Vop2(Opcode::V_AND_B32, plan_.random_offset(), Literal(0x7F0), item));
  DataAddress(plan_.linear_address(), item);
  DataAddress(plan_.random_address(), plan_.random_offset());
  DataAddress(plan_.shared_address(), item);
  DataAddress(plan_.walking_address(), item);
}

// if (id < n), by numbers around those that there are. Returns the branch, which is to go to the
// end.
int ProgramBuilder::Guard() {
  const uint32_t items = program_.group.size[0] * program_.rows.groups[0] * program_.rows.groups[1];
  const uint32_t bound = random_.Percent(70) ? items - random_.Below(8) : random_.Below(items + 1);
  const uint32_t sgpr = kPoolEnd - 1;
  Add(assembler_.Sop1(Opcode::S_MOV_B32, sgpr, Literal(bound)));
  Add(assembler_.Vopc(Opcode::V_CMP_GT_U32, Sgpr(sgpr), plan_.lane_counter()));
  Add(assembler_.Sop1(Opcode::S_AND_SAVEEXEC_B64, SavedExec(), kVcc));
  return AddBranch(Opcode::S_CBRANCH_EXECZ);
}

// Of the item's bytes from `offset` on.
void ProgramBuilder::BufferAccess(Opcode opcode, uint32_t vgpr, uint32_t offset) {
  AddRandom(opcode, Form::kHome,
            {{0, 0, 12, offset},
             {0, 12, 2, 1},
             {0, 15, 1, 0},
             {1, 0, 8, plan_.linear_offset()},
             {1, 8, 8, vgpr},
             {1, 16, 5, kBuffer / 4},
             {1, 24, 8, 128}});
}

void ProgramBuilder::StoreItem() {
  for (uint32_t offset = 0; offset < 1u << kItemShift; offset += 4) {
    const uint32_t vgpr = maker_.Vgpr(1);
    if (random_.Percent(40)) {
      Add(assembler_.Vop1(Opcode::V_MOV_B32, vgpr, Sgpr(random_.Between(kPool, kPoolEnd - 1))));
    }
    BufferAccess(Opcode::BUFFER_STORE_DWORD, vgpr, offset);
  }
}

}  // namespace gcnjit::differential
