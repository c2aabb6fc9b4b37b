#include "differential/kernel_code.h"

#include <optional>

#include "differential/row_lists.h"
#include "frontend/decode/decoder.h"
#include "frontend/lift/why_not_lifted.h"

namespace gcnjit::differential {
namespace {

constexpr VgprPlan kRandomVgprs = {kLdsAddress};  // of InstructionMaker
static_assert(kRandomVgprs.pool() == kSumCount);

}  // namespace

KernelCode::KernelCode(Program& program, Random& random)
    : program_(program),
      random_(random),
      assembler_(program.generation),
      memory_(program.generation),
      maker_(program.generation, kRandomVgprs, random) {}

int KernelCode::BeginUnit() {
  const int before = unit_;
  unit_ = ++units_;
  return before;
}

int KernelCode::Add(Item item) {
  item.fixed = true;
  item.unit = unit_;
  program_.items.push_back(item);
  return here() - 1;
}

void KernelCode::Target(int branch, int target) {
  Item& item = program_.items[static_cast<size_t>(branch)];
  item.fixup = Item::Fixup::kBranch;
  item.target = target;
}

void KernelCode::Move(uint32_t vgpr, Source source) {
  Add(assembler_.Vop1(Opcode::V_MOV_B32, vgpr, source));
}

void KernelCode::AddTo(uint32_t vgpr, Source source) {
  const bool has_plain = assembler_.Has(Opcode::V_ADD_U32) && random_.Percent(85);
  Add(assembler_.Vop2(has_plain ? Opcode::V_ADD_U32 : Opcode::V_ADD_CO_U32, vgpr, source, vgpr));
}

// All 32 bits of both.
void KernelCode::Multiply(uint32_t vgpr, Source factor, uint32_t vgpr1) {
  if (factor.code == frontend::kCodeLiteral) {
    if (factor.literal < 1u << 24) {  // and what it multiplies is an id
      Add(assembler_.Vop2(Opcode::V_MUL_U32_U24, vgpr, factor, vgpr1));
      return;
    }
    Add(assembler_.Sop1(Opcode::S_MOV_B32, kScalarTemp, factor));
    factor = Sgpr(kScalarTemp);
  }
  Add(assembler_.Vop3(Opcode::V_MUL_LO_U32, vgpr, {factor, Vgpr(vgpr1), Source{}}));
}

void KernelCode::Scalar(Opcode opcode, uint32_t sgpr, Source a, Source b) {
  Add(assembler_.Sop2(opcode, sgpr, a, b));
}

void KernelCode::Combine(uint32_t value) {
  const uint32_t sum = RandomSum();
  switch (random_.Below(6)) {
    case 0: Add(assembler_.Vop2(Opcode::V_XOR_B32, sum, Vgpr(value), sum)); return;
    case 1: Add(assembler_.Vop2(Opcode::V_ADD_F32, sum, Vgpr(value), sum)); return;
    case 2: Add(assembler_.Vop2(Opcode::V_MAX_I32, sum, Vgpr(value), sum)); return;
    case 3: {
      const Opcode multiply =
          assembler_.Has(Opcode::V_MAC_F32) ? Opcode::V_MAC_F32 : Opcode::V_FMAC_F32;
      Add(assembler_.Vop2(multiply, sum, Vgpr(value), RandomSum()));
      return;
    }
    default: AddTo(sum, Vgpr(value)); return;
  }
}

// They can be dropped one by one.
void KernelCode::RandomVectors(uint32_t count) {
  const RowLists& rows = RowsOf(program_.generation);
  while (count > 0) {
    const RowLists::Rows* const lists[] = {&rows.vop1, &rows.vop2, &rows.vop2, &rows.vopc,
                                           &rows.vop3};
    const frontend::OpcodeRow& row = frontend::RowOf(random_.Pick(*random_.Pick(lists)));
    if (row.Has(frontend::EXEC_OUT) || row.Has(frontend::CROSS_LANE)) continue;
    if (frontend::WhyNotLifted(row.opcode) != nullptr) continue;
    --count;
    std::optional<Item> item = maker_.Make(row, random_.Pick(FormsOf(program_.generation, row)));
    if (!item) continue;
    frontend::Instruction instruction;
    frontend::Decode(program_.generation, item->words, instruction);
    const auto is_ours = [](const frontend::Operand& operand) {
      if (operand.kind != frontend::OperandKind::kScalar) return true;
      return operand.index < kPoolEnd || operand.index == frontend::kCodeVccLo;
    };
    if (!is_ours(instruction.dst) || !is_ours(instruction.sdst)) continue;
    const int at = Add(*item);
    program_.items[static_cast<size_t>(at)].fixed = false;
  }
}

}  // namespace gcnjit::differential
