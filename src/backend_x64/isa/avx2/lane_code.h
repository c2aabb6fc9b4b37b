// The IR's lane operations as AVX2 does them.
#pragma once

#include "backend_x64/emit/lane_ops.h"
#include "backend_x64/isa/avx2/float.h"
#include "backend_x64/isa/avx2/global.h"
#include "backend_x64/isa/avx2/integer.h"
#include "backend_x64/isa/avx2/lds.h"

namespace gcnjit::backend::avx2 {

class LaneCode final : public LaneOps {
 public:
  explicit LaneCode(BlockParts& parts)
      : b_(parts), integers_(parts), floats_(parts), global_(parts), lds_(parts) {}

  void EmitPart(ir::Value v, const ir::Inst& inst, int part) override {
    const bool done = integers_.Emit(v, inst, part) || floats_.Emit(v, inst, part);
    if (!done) b_.region.Fail("no emitter for a lane operation");
  }
  void EmitMemoryPart(ir::Value v, const ir::Inst& inst, int part) override {
    if (ir::InfoOf(inst.op).Has(ir::Trait::kLds)) {
      lds_.Emit(v, inst, part);
    } else {
      global_.Emit(v, inst, part);
    }
  }

 private:
  BlockParts& b_;
  IntegerCode integers_;
  FloatCode floats_;
  GlobalCode global_;
  LdsCode lds_;
};

}  // namespace gcnjit::backend::avx2
