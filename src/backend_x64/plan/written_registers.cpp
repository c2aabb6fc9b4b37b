#include "backend_x64/plan/written_registers.h"

#include <map>

#include "ir/matrix.h"

namespace gcnjit::backend {

namespace {

void AddWrites(const ir::Function& function, const ir::Block& block, WrittenRegisters& writes) {
  for (const ir::Value v : block.insts) {
    const ir::Inst& inst = function[v];
    const auto number = static_cast<size_t>(inst.imm);
    switch (inst.op) {
      case ir::Op::kSetVgpr: writes.vgprs.set(number); break;
      case ir::Op::kSetVgprAt:
        for (size_t vgpr = number; vgpr < writes.vgprs.size(); ++vgpr) writes.vgprs.set(vgpr);
        break;
      case ir::Op::kMatrix: {
        const ir::MatrixProduct product = ir::MatrixProduct::Of(inst);
        for (int r = 0; r < product.shape.ResultRegisters(); ++r) writes.vgprs.set(product.d + r);
        break;
      }
      case ir::Op::kSetSgpr64: writes.sgprs.set(number + 1); [[fallthrough]];
      case ir::Op::kSetSgpr: writes.sgprs.set(number); break;
      default: break;
    }
  }
}

}  // namespace

WrittenRegisters WritesOf(const ir::Function& function, const ir::Block& block) {
  WrittenRegisters writes;
  AddWrites(function, block, writes);
  return writes;
}

WrittenRegisters WritesOf(const ir::Function& function, bool of_group_code) {
  WrittenRegisters writes;
  for (const ir::Block& block : function.blocks) {
    if ((ir::WaveOf(block.begin) >= 0) == of_group_code) AddWrites(function, block, writes);
  }
  return writes;
}

ir::LiveRegisters ReadFirstByGroupCode(const ir::Function& function) {
  ir::ForwardLiveness liveness;
  std::map<int, ir::LiveRegisters> at_begin;  // by wave, of its block seen last: its first one
  for (size_t n = function.blocks.size(); n-- > 0;) {
    const ir::Block& block = function.blocks[n];
    const int wave = ir::WaveOf(block.begin);
    if (wave < 0) continue;
    ir::LiveRegisters live = liveness.AtEnd(block);
    for (size_t i = block.insts.size(); i-- > 0;) live.Follow(function[block.insts[i]]);
    liveness.SetAtBegin(block, live);
    at_begin[wave] = live;
  }
  ir::LiveRegisters first;
  for (const auto& [wave, live] : at_begin) first |= live;
  return first;
}

}  // namespace gcnjit::backend
