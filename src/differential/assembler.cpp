#include "differential/assembler.h"

namespace gcnjit::differential {

using encoding::SetField;
using frontend::Opcode;

Item Assembler::Start(Opcode opcode, Source src0, Source src1) const {
  const frontend::OpcodeNumber number = frontend::RowOf(opcode).On(generation_);
  Item item;
  item.words[0] = encoding::SkeletonOf(generation_, number.format, number.number).bits;
  for (const Source& source : {src0, src1}) {
    if (source.code != frontend::kCodeLiteral) continue;
    item.words[1] = source.literal;
    item.size = 2;
  }
  return item;
}

Item Assembler::Sop1(Opcode opcode, uint32_t dst, Source src) const {
  Item item = Start(opcode, src);
  SetField(item.words[0], 0, 8, src.code);
  SetField(item.words[0], 16, 7, dst);
  return item;
}

Item Assembler::Sop2(Opcode opcode, uint32_t dst, Source src0, Source src1) const {
  Item item = Start(opcode, src0, src1);
  SetField(item.words[0], 0, 8, src0.code);
  SetField(item.words[0], 8, 8, src1.code);
  SetField(item.words[0], 16, 7, dst);
  return item;
}

Item Assembler::Sopk(Opcode opcode, uint32_t reg, uint32_t immediate, uint32_t literal) const {
  Item item = Start(opcode, {});
  SetField(item.words[0], 0, 16, immediate);
  SetField(item.words[0], 16, 7, reg);
  if (opcode == Opcode::S_SETREG_IMM32_B32) {
    item.words[1] = literal;
    item.size = 2;
  }
  return item;
}

Item Assembler::Sopc(Opcode opcode, Source src0, Source src1) const {
  Item item = Start(opcode, src0, src1);
  SetField(item.words[0], 0, 8, src0.code);
  SetField(item.words[0], 8, 8, src1.code);
  return item;
}

Item Assembler::Sopp(Opcode opcode, uint32_t immediate) const {
  Item item = Start(opcode, {});
  SetField(item.words[0], 0, 16, immediate);
  return item;
}

Item Assembler::Vop1(Opcode opcode, uint32_t dst, Source src) const {
  Item item = Start(opcode, src);
  SetField(item.words[0], 0, 9, src.code);
  SetField(item.words[0], 17, 8, dst);
  return item;
}

Item Assembler::Vop2(Opcode opcode, uint32_t dst, Source src0, uint32_t vgpr1) const {
  Item item = Start(opcode, src0);
  SetField(item.words[0], 0, 9, src0.code);
  SetField(item.words[0], 9, 8, vgpr1);
  SetField(item.words[0], 17, 8, dst);
  return item;
}

Item Assembler::Vopc(Opcode opcode, Source src0, uint32_t vgpr1) const {
  Item item = Start(opcode, src0);
  SetField(item.words[0], 0, 9, src0.code);
  SetField(item.words[0], 9, 8, vgpr1);
  return item;
}

Item Assembler::Vop3(Opcode opcode, uint32_t dst, const std::array<Source, 3>& sources,
                     uint32_t negative, uint32_t sdst) const {
  const frontend::OpcodeRow& row = frontend::RowOf(opcode);
  const int promoted = Vop3NumberOf(row, generation_);
  const int number = promoted >= 0 ? promoted : row.On(generation_).number;
  Item item;
  item.words[0] = encoding::SkeletonOf(generation_, frontend::Format::kVop3, number).bits;
  item.size = 2;
  SetField(item.words[0], 0, 8, dst);
  if (sdst != 0) SetField(item.words[0], 8, 7, sdst);
  for (int n = 0; n < 3; ++n) SetField(item.words[1], n * 9, 9, sources[n].code);
  SetField(item.words[1], 29, 3, negative);
  return item;
}

}  // namespace gcnjit::differential
