#include "exhaustive/operation.h"

#include <algorithm>

#include "isa/instruction.h"

namespace gcnjit::exhaustive {

using frontend::BitsOf;
using frontend::Format;
using frontend::Generation;
using frontend::Opcode;
using frontend::OpcodeRow;
using frontend::OperandType;

namespace {

constexpr uint32_t kSEndpgm = 0xBF810000;
constexpr uint32_t kZero = 128;  // operand code of the constant

bool IsUnary(const OpcodeRow& row) {
  return row.src[1] == OperandType::NONE && row.dst != OperandType::NONE &&
         (frontend::IsFloat(row.dst) || frontend::IsFloat(row.src[0])) &&
         BitsOf(row.src[0]) <= 32 && !row.Has(frontend::CROSS_LANE);
}

bool TakesTwoHalves(const OpcodeRow& row) {
  return row.src[0] == OperandType::F16 && BitsOf(row.src[1]) == 16;
}

uint32_t Vop1(uint32_t number, uint32_t dst, uint32_t src) {
  return 0x7E000000 | dst << 17 | number << 9 | src;
}
uint32_t Vop2(uint32_t number, uint32_t dst, uint32_t src0, uint32_t vgpr1) {
  return number << 25 | dst << 17 | vgpr1 << 9 | src0;
}
uint32_t Vopc(uint32_t number, uint32_t src0, uint32_t vgpr1) {
  return 0x7C000000 | number << 17 | vgpr1 << 9 | src0;
}

}  // namespace

std::vector<Operation> OperationsOf(Generation generation) {
  std::vector<Operation> operations;
  for (int n = 0; n < frontend::kOpcodeCount; ++n) {
    const OpcodeRow& row = frontend::RowOf(n);
    if (!row.ExistsOn(generation) || row.refusal != nullptr) continue;
    const Format format = row.On(generation).format;
    if (format == Format::kVop1 && IsUnary(row)) {
      operations.push_back({&row, false, false, BitsOf(row.src[0])});
    } else if (format == Format::kVop2 && TakesTwoHalves(row) && row.src[2] == OperandType::NONE) {
      operations.push_back({&row, true, false, 16});
    } else if (format == Format::kVopc && TakesTwoHalves(row) && !row.Has(frontend::EXEC_OUT)) {
      operations.push_back({&row, true, true, 16});
    }
  }
  return operations;
}

std::vector<uint32_t> ProgramOf(const Operation& operation, Generation generation) {
  const uint32_t number = operation.row->On(generation).number;
  std::vector<uint32_t> words;
  for (uint32_t n = 0; n < kInstructions; ++n) {
    const uint32_t source = frontend::kCodeFirstVgpr + kSource0 + n;
    const uint32_t result = kResults + 2 * n;
    if (operation.is_compare) {
      const uint32_t select = frontend::RowOf(Opcode::V_CNDMASK_B32).On(generation).number;
      words.push_back(Vopc(number, source, kSource1 + n));
      words.push_back(Vop2(select, result, kZero, kOne));  // VCC ? 1 : 0
    } else if (operation.is_binary) {
      words.push_back(Vop2(number, result, source, kSource1 + n));
    } else {
      words.push_back(Vop1(number, result, source));
    }
  }
  words.push_back(kSEndpgm);
  return words;
}

}  // namespace gcnjit::exhaustive
