// MXCSR while a block's code runs.
#pragma once

#include "backend_x64/emit/region_assembler.h"

namespace gcnjit::backend {

class Environment {
 public:
  explicit Environment(RegionAssembler& region) : region_(region), mxcsr_(region.BaseMxcsr()) {}

  // Makes MXCSR that of an operation.
  void Set(ir::FloatEnv env) { Load(0x1F80u | env.bits); }
  // Makes it the region's.
  void Restore() { Load(region_.BaseMxcsr()); }
  bool IsBase() const { return mxcsr_ == region_.BaseMxcsr(); }

 private:
  void Load(uint32_t wanted) {
    if (wanted == mxcsr_) return;
    region_.a.ldmxcsr(region_.constants.Broadcast32(wanted));
    mxcsr_ = wanted;
  }

  RegionAssembler& region_;
  uint32_t mxcsr_;
};

}  // namespace gcnjit::backend
