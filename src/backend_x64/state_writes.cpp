#include "backend_x64/state_writes.h"

namespace gcnjit::backend {

namespace {

void AddWrites(const ir::Function& function, const ir::Block& block, StateWrites& writes) {
  for (const ir::Value v : block.insts) {
    const ir::Inst& inst = function[v];
    const auto number = static_cast<size_t>(inst.imm);
    switch (inst.op) {
      case ir::Op::kSetVgpr: writes.vgprs.set(number); break;
      case ir::Op::kSetSgpr64: writes.sgprs.set(number + 1); [[fallthrough]];
      case ir::Op::kSetSgpr: writes.sgprs.set(number); break;
      default: break;
    }
  }
}

}  // namespace

StateWrites WritesOf(const ir::Function& function, const ir::Block& block) {
  StateWrites writes;
  AddWrites(function, block, writes);
  return writes;
}

StateWrites WritesOf(const ir::Function& function) {
  StateWrites writes;
  for (const ir::Block& block : function.blocks) AddWrites(function, block, writes);
  return writes;
}

}  // namespace gcnjit::backend
