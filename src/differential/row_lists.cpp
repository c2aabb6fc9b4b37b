#include "differential/row_lists.h"

#include <array>
#include <string_view>

#include "differential/generator.h"
#include "isa/matrix_shape.h"

namespace gcnjit::differential {
namespace {

using frontend::Format;
using frontend::Generation;
using frontend::Opcode;
using frontend::OpcodeRow;

bool NeedsSetting(const OpcodeRow& row) {
  if (row.Has(frontend::BRANCH) || row.Has(frontend::MODE_OUT)) return true;
  return row.opcode == Opcode::S_GETREG_B32 || row.opcode == Opcode::S_SET_GPR_IDX_IDX;
}

void AddToLists(const OpcodeRow& row, Generation generation, RowLists& lists) {
  const std::string_view id = row.id;
  if (id.starts_with("S_MOVREL")) return lists.relative_scalar.push_back(row.opcode);
  if (id.starts_with("V_MOVREL")) return lists.relative_vector.push_back(row.opcode);
  if (NeedsSetting(row)) return;
  if (HasDpp(row, generation)) lists.dpp.push_back(row.opcode);
  const bool is_matrix = frontend::MatrixShapeOf(row.opcode) != nullptr;
  if (!is_matrix && (row.Has(frontend::CROSS_LANE) || row.Has(frontend::LANE_ID))) {
    lists.cross_lane.push_back(row.opcode);
  }
  switch (row.On(generation).format) {
    case Format::kSop1:
    case Format::kSop2:
    case Format::kSopk:
    case Format::kSopc: return lists.scalar.push_back(row.opcode);
    case Format::kSmrd:
    case Format::kSmem: return lists.scalar_memory.push_back(row.opcode);
    case Format::kVop1: return lists.vop1.push_back(row.opcode);
    case Format::kVop2: return lists.vop2.push_back(row.opcode);
    case Format::kVopc: return lists.vopc.push_back(row.opcode);
    case Format::kVop3: return lists.vop3.push_back(row.opcode);
    case Format::kVop3p: return lists.vop3p.push_back(row.opcode);
    case Format::kMai: return (is_matrix ? lists.matrix : lists.acc_moves).push_back(row.opcode);
    case Format::kDs: return lists.lds.push_back(row.opcode);
    case Format::kMubuf:
    case Format::kMtbuf: return lists.buffer.push_back(row.opcode);
    case Format::kFlat:
    case Format::kGlobal:
    case Format::kScratch: return lists.flat.push_back(row.opcode);
    case Format::kMimg: return lists.image.push_back(row.opcode);
    case Format::kSopp:  // pieces
    case Format::kVintrp:
    case Format::kExp:
    case Format::kNone: return;
  }
}

std::array<RowLists, frontend::kGenerationCount> BuildAll() {
  std::array<RowLists, frontend::kGenerationCount> all;
  for (const Generation generation : frontend::kGenerations) {
    for (int n = 0; n < frontend::kOpcodeCount; ++n) {
      const OpcodeRow& row = frontend::RowOf(n);
      if (!row.ExistsOn(generation) || row.refusal != nullptr) continue;
      if (ExcludedReason(row.opcode) != nullptr) continue;
      AddToLists(row, generation, all[static_cast<size_t>(generation)]);
    }
  }
  return all;
}

}  // namespace

const RowLists& RowsOf(Generation generation) {
  static const std::array<RowLists, frontend::kGenerationCount> all = BuildAll();
  return all[static_cast<size_t>(generation)];
}

}  // namespace gcnjit::differential
