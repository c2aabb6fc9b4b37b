// Loads, stores and atomics of LDS, a part of 16 lanes at a time (lds.cpp); those whose addresses
// are at known distances from each other (lds_shaped.cpp).
#pragma once

#include "backend_x64/emit/memory_code.h"
#include "backend_x64/isa/avx512/atomic.h"

namespace gcnjit::backend::avx512 {

class LdsCode : MemoryCode {
 public:
  explicit LdsCode(BlockParts& parts) : MemoryCode(parts), atomics_(parts) {}

  void Emit(ir::Value v, const ir::Inst& inst, int part);

 private:
  // lds_shaped.cpp
  bool EmitShapedStore(ir::Value v, const ir::Inst& inst, int part);
  void EmitShapedLoad(ir::Value v, const ir::Inst& inst, const LdsAccesses::Group& group, int part);
  void EmitGuardedLoad(ir::Value v, const ir::Inst& inst, LdsAccesses::Guard& guard, int part);
  void EmitGuardedStore(const ir::Inst& inst, LdsAccesses::Guard& guard);
  int FirstLanesOf(const ir::Inst& inst, int part) const;
  void EmitBase(const LdsAccesses::Group& group, const LdsLimit& limit, int part);
  void LoadShaped(const ir::MemoryAccess& access, const AddressShape& shape, int part, int mask,
                  const int (&result)[4], const x86::Mem& base);
  // lds.cpp
  void EmitGroup(const LdsAccesses::Group& group, const LdsLimit& limit, int low, int part);
  void EmitLoad(ir::Value v, const PartAccess& s, const LdsLimit& limit);
  void EmitStore(const ir::Inst& inst, const PartAccess& s, const LdsLimit& limit);
  void EmitRunCheck(const PartAccess& s, const LdsLimit& limit, bool is_run,
                    const asmjit::Label& scattered);

  AtomicCode atomics_;
};

}  // namespace gcnjit::backend::avx512
