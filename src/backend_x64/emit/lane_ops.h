// The IR's lane operations as a host instruction set does them, a part (one register of lanes) at a
// time.
#pragma once

#include "ir/function.h"

namespace gcnjit::backend {

class LaneOps {
 public:
  virtual ~LaneOps() = default;

  virtual void EmitPart(ir::Value v, const ir::Inst& inst, int part) = 0;
  // Of an operation that accesses memory.
  virtual void EmitMemoryPart(ir::Value v, const ir::Inst& inst, int part) = 0;
};

}  // namespace gcnjit::backend
