// Loads, stores and atomics of guest memory, a part of 8 lanes at a time.
#pragma once

#include "backend_x64/emit/memory_code.h"
#include "backend_x64/isa/avx2/atomic.h"

namespace gcnjit::backend::avx2 {

struct IndexedAccess;

class GlobalCode : MemoryCode {
 public:
  explicit GlobalCode(BlockParts& parts) : MemoryCode(parts), atomics_(parts) {}

  void Emit(ir::Value v, const ir::Inst& inst, int part);

 private:
  // indexed.cpp
  void EmitIndexed(ir::Value v, const ir::Inst& inst, int part);
  IndexedAccess IndexedOf(ir::Value v, const ir::Inst& inst, int first, int count);
  void TakeOperands(ir::Value v, const ir::Inst& inst, IndexedAccess& x);
  bool TakeStreams(ir::Value v, IndexedAccess& x) const;
  // global.cpp
  void EmitUniformLoad(ir::Value v, const ir::Inst& inst);
  void EmitSwizzled(ir::Value v, const ir::Inst& inst, int part);
  void EmitMove(const ir::Inst& inst, PartAccess s);
  void EmitRunCheck(const PartAccess& s, bool is_run, int spaced, bool one_high);

  AtomicCode atomics_;
};

}  // namespace gcnjit::backend::avx2
