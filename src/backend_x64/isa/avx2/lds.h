// Loads, stores and atomics of LDS, a part of 8 lanes at a time.
#pragma once

#include "backend_x64/emit/memory_code.h"
#include "backend_x64/isa/avx2/atomic.h"

namespace gcnjit::backend::avx2 {

class LdsCode : MemoryCode {
 public:
  explicit LdsCode(BlockParts& parts) : MemoryCode(parts), atomics_(parts) {}

  void Emit(ir::Value v, const ir::Inst& inst, int part);

 private:
  void EmitShapedLoad(ir::Value v, const ir::Inst& inst, const LdsAccesses::Group& group, int part);
  void EmitBase(const LdsAccesses::Group& group, const LdsLimit& limit, int part);
  void LoadShaped(const PartAccess& s, const AddressShape& shape, int32_t base);
  void EmitMove(const ir::Inst& inst, PartAccess s);

  AtomicCode atomics_;
};

}  // namespace gcnjit::backend::avx2
