// Atomics of a part that compiled code does itself.
#pragma once

#include "backend_x64/emit/lane_atomic.h"
#include "backend_x64/emit/part_code.h"
#include "backend_x64/isa/avx2/slow_path.h"

namespace gcnjit::backend::avx2 {

class AtomicCode : PartCode {
 public:
  explicit AtomicCode(BlockParts& parts) : PartCode(parts) {}

  // To the runtime where compiled code does not do it. LDS's limit is in ecx.
  void EmitLds(const ir::Inst& inst, const PartAccess& s);
  void EmitGuest(const ir::Inst& inst, const PartAccess& s);

 private:
  void Call(const LaneAtomic& code, const ir::Inst& inst, const PartAccess& s);
  void LoadResults(const LaneAtomic& code, const PartAccess& s);
};

}  // namespace gcnjit::backend::avx2
