// What kernels begin with: addresses that follow from the work-item ids, so that compiled code
// knows how far apart those of a wave's lanes are.
#include <bit>

#include "differential/program_builder.h"

namespace gcnjit::differential {

namespace {

constexpr uint32_t kIds = 3;  // VGPRs that may hold ids
constexpr uint32_t kMostItems = 128;

}  // namespace

void ProgramBuilder::AddressesFromIds() {
  const uint32_t saved = SavedExec();
  const bool in_all_lanes = random_.Percent(75);
  if (in_all_lanes) {
    Add(assembler_.Sop1(Opcode::S_MOV_B64, saved, kExec));
    Add(assembler_.Sop1(Opcode::S_MOV_B64, frontend::kCodeExecLo, kMinusOne));
  }
  if (random_.Percent(70)) OffsetOfItem(plan_.linear_offset(), random_.Between(2, 4));
  // Rows that want alignment use this one.
  if (random_.Percent(50)) OffsetOfItem(plan_.random_offset(), 4);
  if (random_.Percent(60)) DataAddress(plan_.linear_address(), plan_.linear_offset());
  if (random_.Percent(40)) DataAddress(plan_.random_address(), plan_.random_offset());
  if (in_all_lanes && random_.Percent(60)) {
    Add(assembler_.Sop1(Opcode::S_MOV_B64, frontend::kCodeExecLo, Sgpr(saved)));
  }
}

// An id, or two of them together, times 2^shift.
void ProgramBuilder::OffsetOfItem(uint32_t vgpr, uint32_t shift) {
  const ProgramGroup& group = program_.group;
  const uint32_t id = random_.Below(group.id_vgprs);
  Add(assembler_.Vop1(Opcode::V_MOV_B32, vgpr, Vgpr(id)));
  if (id + 1 < group.id_vgprs && random_.Percent(60)) {
    uint32_t next = maker_.Vgpr(1);
    while (next < kIds) next = maker_.Vgpr(1);
    const auto width = static_cast<uint32_t>(std::bit_width(group.size[id]) - 1);
    Add(assembler_.Vop2(Opcode::V_LSHLREV_B32, next, Inline(width), id + 1));
    AddInVgpr(vgpr, Vgpr(next));
  }
  const uint32_t items = group.size[0] * group.size[1] * group.size[2];
  if (items > kMostItems || random_.Percent(15)) {
    Add(assembler_.Vop2(Opcode::V_AND_B32, vgpr, Literal(kMostItems - 1), vgpr));
  }
  if (random_.Percent(70)) {
    Add(assembler_.Vop2(Opcode::V_LSHLREV_B32, vgpr, Inline(shift), vgpr));
  } else {
    Add(assembler_.Vop2(Opcode::V_MUL_U32_U24, vgpr, Inline(1u << shift), vgpr));
  }
}

void ProgramBuilder::DataAddress(uint32_t pair, uint32_t offset) {
  const uint32_t base = random_.Percent(50) ? kDataBase : kDataMiddle;
  Add(assembler_.Vop1(Opcode::V_MOV_B32, pair, Vgpr(offset)));
  Add(assembler_.Vop1(Opcode::V_MOV_B32, pair + 1, Inline(0)));
  AddInPair(pair, Sgpr(base), Sgpr(base + 1));
}

}  // namespace gcnjit::differential
