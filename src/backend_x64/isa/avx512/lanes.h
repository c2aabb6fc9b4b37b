// Lane operations for AVX-512 (F, BW, CD, DQ, VL): 16 lanes a register, masks in k registers.
#pragma once

#include "backend_x64/emit/block.h"
#include "backend_x64/emit/lane_atomic.h"

namespace gcnjit::backend::avx512 {

struct SlowAccess;

class LaneEmitter final : public BlockEmitter {
 public:
  // zmm29 to zmm31 and k6, k7 are scratch; k0 cannot be a write mask.
  static constexpr int kLanesPerRegister = 16;
  static constexpr uint32_t kVectors = (1u << 29) - 1;
  static constexpr uint32_t kMasks = 0b00111110;

  LaneEmitter(RegionShared& shared, const ir::Function& function, const ir::Block& block)
      : BlockEmitter(shared, function, block, kLanesPerRegister,
                     {kVectors, kMasks, LoopMasks(function, block)},
                     /*masks_are_vectors=*/false) {}

 protected:
  void EmitPart(ir::Value v, const ir::Inst& inst, int part) override;
  void EmitMemoryPart(ir::Value v, const ir::Inst& inst, int part) override;
  void PermutePart(int to, const PartShuffle& part, const std::array<int, 2>& from) override;
  bool BpermuteLanes(const x86::Mem& to, const x86::Mem& from, const x86::Mem& indices,
                     const x86::Gp& mask) override;
  void LoadVector(int reg, const x86::Mem& from) override;
  void StoreVector(const x86::Mem& to, int reg) override;
  void Broadcast32(int reg, const x86::Mem& from) override;
  void Broadcast64(int reg, const x86::Mem& from) override;
  void LoadMask(int reg, const x86::Mem& from) override;
  void StoreMask(const x86::Mem& to, int reg) override;
  void SetMask(int reg, bool ones) override;
  void MoveVector(int to, int from) override;
  void MoveMask(int to, int from) override;
  int ScratchVector() const override { return 29; }
  int ScratchMask() const override { return 7; }
  void TestMasks(const std::vector<int>& masks) override;
  void AddToWaveMask(int gpr, int part, int mask) override;
  void StoreWholeMask(const x86::Mem& to, int mask0, int mask1, int mask2, int mask3) override;

 private:
  using V = ir::Value;
  static uint32_t LoopMasks(const ir::Function& function, const ir::Block& block);
  // integer.cpp
  bool EmitInteger(V v, const ir::Inst& inst, int part);
  bool EmitShift(V v, const ir::Inst& inst, int part);
  bool EmitBits(V v, const ir::Inst& inst, int part);
  bool EmitCompare(V v, const ir::Inst& inst, int part);
  bool EmitMaskLogic(V v, const ir::Inst& inst, int part);
  void EmitNarrowCompare(V v, const ir::Inst& inst, const ir::Inst& compare, int mask, int part);
  bool EmitWiden(V v, const ir::Inst& inst, int part);
  void EmitBitwise(V v, const ir::Inst& inst, int part);
  void EmitMulHigh(V v, const ir::Inst& inst, int part);
  // float.cpp
  bool EmitFloat(V v, const ir::Inst& inst, int part);
  bool EmitConversion(V v, const ir::Inst& inst, int part);
  void EmitFma(V v, const ir::Inst& inst, int part);
  // memory.cpp
  void EmitGlobal(V v, const ir::Inst& inst, int part);
  void EmitLds(V v, const ir::Inst& inst, int part);
  // indexed.cpp
  void EmitIndexed(V v, const ir::Inst& inst, int part);
  // The lanes of an access; -1: all of them.
  int AccessMask(V mask, int part) { return IsAllLanes(mask, part) ? -1 : UseMask(mask, part); }
  void DefResults(V v, const ir::Inst& inst, int part, int (&result)[4]);

  // global.cpp
  void EmitUniformLoad(V v, const ir::Inst& inst);
  void EmitGlobalMove(const ir::Inst& inst, const SlowAccess& slow);
  void EmitRunCheck(const ir::MemoryAccess& access, const SlowAccess& slow, bool is_run,
                    bool one_high, const asmjit::Label& scattered);
  // lds_shaped.cpp
  bool EmitShapedStore(V v, const ir::Inst& inst, int part);
  void EmitShapedLoad(V v, const ir::Inst& inst, const LdsGroup& group, int part);
  void EmitGuardedLoad(V v, const ir::Inst& inst, LdsGuard& guard, int part);
  void EmitGuardedStore(const ir::Inst& inst, LdsGuard& guard);
  int FirstLanesOf(const ir::Inst& inst, int part) const;
  void EmitLdsBase(const LdsGroup& group, const LdsLimit& limit, int part);
  void LoadShaped(const ir::MemoryAccess& access, const AddressShape& shape, int part, int mask,
                  const int (&result)[4], const x86::Mem& base);
  // lds.cpp
  void EmitLdsGroup(const LdsGroup& group, const LdsLimit& limit, int low, int part);
  void EmitLdsLoad(V v, const ir::Inst& inst, const SlowAccess& slow, const LdsLimit& limit);
  void EmitLdsStore(const ir::Inst& inst, const SlowAccess& slow, const LdsLimit& limit);
  void EmitLdsRunCheck(const ir::MemoryAccess& access, const SlowAccess& slow, int32_t imm,
                       const LdsLimit& limit, bool is_run, const asmjit::Label& scattered);
  // atomic.cpp. False: nothing was emitted.
  bool EmitLdsAtomic(const ir::Inst& inst, int low, int mask, const int (&data)[4],
                     const int (&result)[4], const asmjit::Label& slow);
  bool EmitGuestAtomic(const ir::Inst& inst, int low, int high, int mask, const int (&data)[4],
                       const int (&result)[4], const asmjit::Label& slow);
  void CallAtomic(const LaneAtomic& code, const ir::Inst& inst, int low, const int (&data)[4],
                  const asmjit::Label& slow);
  void LoadAtomicResults(const LaneAtomic& code, const int (&result)[4]);

  const MemorySite* last_site_ = nullptr;  // of the operation being emitted

  // Second operand of an instruction: a register, or a scalar broadcast from memory.
  asmjit::Operand Source(V v, int part, int component = 0);
  // Result of a v32 operation from up to two sources; `id64` for v64, component by component.
  void Binary(V v, const ir::Inst& inst, int part, uint32_t id32, uint32_t id64, bool swap = false);
};

inline x86::Zmm Z(int reg) { return x86::zmm(static_cast<uint32_t>(reg)); }
inline x86::Ymm Y(int reg) { return x86::ymm(static_cast<uint32_t>(reg)); }
inline x86::Xmm X(int reg) { return x86::xmm(static_cast<uint32_t>(reg)); }
inline x86::KReg K(int reg) { return x86::k(static_cast<uint32_t>(reg)); }

// The next instruction for the lanes of `mask` only; -1: for all.
inline x86::Assembler& Under(x86::Assembler& a, int mask) { return mask < 0 ? a : a.k(K(mask)); }
// A mask for instructions that cannot do without one.
inline void CopyMask(x86::Assembler& a, int to, int mask) {
  if (mask < 0) {
    a.kxnorw(K(to), K(to), K(to));
  } else {
    a.kmovw(K(to), K(mask));
  }
}

// Scratch registers.
inline constexpr int kT0 = 29;
inline constexpr int kT1 = 30;
inline constexpr int kT2 = 31;
inline constexpr int kM0 = 6;
inline constexpr int kM1 = 7;

}  // namespace gcnjit::backend::avx512
