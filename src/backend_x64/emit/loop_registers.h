// The wave's registers that a loop changes or reads, while a slice runs it: residents are in host
// registers where an iteration begins, the others in the wave's state.
#pragma once

#include <asmjit/x86.h>

#include <utility>
#include <vector>

#include "backend_x64/emit/block_parts.h"

namespace gcnjit::backend {

class LoopRegisters {
 public:
  explicit LoopRegisters(BlockParts& parts) : b_(parts) {}

  void ForgetCarried();
  void Load();
  // As Load has left them, in the same registers.
  void Reload();
  void Store(bool exec);
  // After an iteration.
  void ProtectOldVgprs();
  void EmitBackEdge();
  void StoreResults();

 private:
  const LoopPlan& Plan() const { return *b_.block.plan.loop; }
  x86::Mem StateMask(const ir::Inst& inst, int part) const;
  bool IsResident(ir::Value carried) const;
  ir::Value NextOf(ir::Value carried) const;

  BlockParts& b_;
  std::vector<std::pair<Unit, int>> header_;  // the residents and their registers
};

}  // namespace gcnjit::backend
