// Lane operations for AVX2 with FMA and F16C: 8 lanes a register. A mask is a vector of dwords that
// are all ones or 0; a v64 is two registers of 4 lanes.
#pragma once

#include "backend_x64/emit/block.h"
#include "backend_x64/emit/lane_atomic.h"
#include "backend_x64/isa/avx2/scratch_registers.h"

namespace gcnjit::backend::avx2 {

struct Operands;

class LaneEmitter final : public BlockEmitter {
 public:
  static constexpr int kLanesPerRegister = 8;

  LaneEmitter(RegionShared& shared, const ir::Function& function, const ir::Block& block)
      : BlockEmitter(shared, function, block, kLanesPerRegister,
                     {RegistersOfValues(function, block), 0, 0}, /*masks_are_vectors=*/true) {}

 protected:
  void EmitPart(ir::Value v, const ir::Inst& inst, int part) override;
  void EmitMemoryPart(ir::Value v, const ir::Inst& inst, int part) override;
  void PermutePart(int to, const PartShuffle& part, const std::array<int, 2>& from) override;
  bool BpermuteLanes(const x86::Mem&, const x86::Mem&, const x86::Mem&, const x86::Gp&) override {
    return false;  // lane by lane is as fast as gathers
  }
  void LoadVector(int reg, const x86::Mem& from) override;
  void StoreVector(const x86::Mem& to, int reg) override;
  void Broadcast32(int reg, const x86::Mem& from) override;
  void Broadcast64(int reg, const x86::Mem& from) override;
  void LoadMask(int reg, const x86::Mem& from) override;
  // Changes eax: nothing may be kept there over a Use or Def, which may spill a mask.
  void StoreMask(const x86::Mem& to, int reg) override;
  void SetMask(int reg, bool ones) override;
  void MoveVector(int to, int from) override;
  void MoveMask(int to, int from) override { MoveVector(to, from); }
  int ScratchVector() const override { return kT0; }
  int ScratchMask() const override { return kT0; }
  void TestMasks(const std::vector<int>& masks) override;
  void AddToWaveMask(int, int, int) override {}  // masks are vectors
  void StoreWholeMask(const x86::Mem&, int, int, int, int) override {}

 private:
  using V = ir::Value;
  // integer.cpp
  bool EmitInteger(V v, const ir::Inst& inst, int part);
  bool EmitShift(V v, const ir::Inst& inst, int part);
  bool EmitCompare(V v, const ir::Inst& inst, int part);
  bool EmitUnsignedCompare(V v, const ir::Inst& inst, int part);
  bool EmitMaskLogic(V v, const ir::Inst& inst, int part);
  bool EmitWiden(V v, const ir::Inst& inst, int part);
  void EmitSelect(V v, const ir::Inst& inst, int part);
  void EmitMulHigh(V v, const ir::Inst& inst, int part);
  void EmitFshr(V v, const ir::Inst& inst, int part);
  void EmitAshr64(int result, int x, uint32_t count);
  // bits.cpp
  bool EmitBits(V v, const ir::Inst& inst, int part);
  void EmitPopcount(V v, const ir::Inst& inst, int part);
  void EmitClz(V v, const ir::Inst& inst, int part);
  void EmitCtz(V v, const ir::Inst& inst, int part);
  void EmitBitReverse(V v, const ir::Inst& inst, int part);
  void EmitPermByte(V v, const ir::Inst& inst, int part);
  // float.cpp
  bool EmitFloat(V v, const ir::Inst& inst, int part);
  bool EmitFromInteger(V v, const ir::Inst& inst, int part);
  bool EmitToInteger(V v, const ir::Inst& inst, int part);
  bool EmitResize(V v, const ir::Inst& inst, int part);
  void EmitFma(V v, const ir::Inst& inst, int part);
  // memory.cpp
  void EmitGlobal(V v, const ir::Inst& inst, int part);
  Operands GlobalOperands(V v, const ir::Inst& inst, int part);
  void EmitUniformLoad(V v, const ir::Inst& inst);
  void EmitIndexed(V v, const ir::Inst& inst, int part);
  void EmitLds(V v, const ir::Inst& inst, int part);
  // The lanes of an access; -1: all of them.
  int AccessMask(V mask, int part) { return IsAllLanes(mask, part) ? -1 : UseMask(mask, part); }
  void DefResults(V v, const ir::Inst& inst, int part, int (&result)[4]);

  // atomic.cpp. False: nothing was emitted.
  bool EmitLdsAtomic(const ir::Inst& inst, int low, int mask, const int (&data)[4],
                     const int (&result)[4], const asmjit::Label& slow);
  bool EmitGuestAtomic(const ir::Inst& inst, int low, int high, int mask, const int (&data)[4],
                       const int (&result)[4], const asmjit::Label& slow);
  void CallAtomic(const LaneAtomic& code, const ir::Inst& inst, int low, const int (&data)[4],
                  const asmjit::Label& slow);
  void LoadAtomicResults(const LaneAtomic& code, const int (&result)[4]);
  // global.cpp
  void EmitGlobalMove(const ir::Inst& inst, Operands s);
  void EmitRunCheck(const Operands& s, bool is_run, bool one_high);
  // lds.cpp
  void EmitShapedLoad(V v, const ir::Inst& inst, const LdsGroup& group, int part);
  void EmitLdsBase(const LdsGroup& group, const LdsLimit& limit, int part);
  void LoadShaped(const ir::MemoryAccess& access, const AddressShape& shape, int part, int mask,
                  const int (&result)[4], int32_t base);
  void EmitLdsMove(const ir::Inst& inst, Operands s);

  const MemorySite* last_site_ = nullptr;  // of the operation being emitted

  // The second operand of an instruction: a register, or a constant in memory.
  asmjit::Operand Source(V v, int part, int component = 0);
  x86::Mem All32(uint32_t value);
  x86::Mem All64(uint64_t value);
  // Result of an operation of two sources, component by component for a v64.
  void Binary(V v, const ir::Inst& inst, int part, uint32_t id32, uint32_t id64, bool swap = false);
  // The 4 + 4 results of a v64 compare, as 8 dwords; in scratch 0.
  void JoinMasks(int low, int high);
};

inline x86::Ymm Y(int reg) { return x86::ymm(static_cast<uint32_t>(reg)); }
inline x86::Xmm X(int reg) { return x86::xmm(static_cast<uint32_t>(reg)); }

inline constexpr uint32_t kAllLanes = (1u << LaneEmitter::kLanesPerRegister) - 1;

// vpermq: the middle quarters change places, as needed after operations that work on each half.
inline constexpr int kSwapMiddle = 0xD8;
// vpermq: the halves do.
inline constexpr int kSwapHalves = 0x4E;
// vshufps: the even or odd dwords of two registers.
inline constexpr int kEvenDwords = 0x88;
inline constexpr int kOddDwords = 0xDD;
// vpshufd: the even or odd dwords, each twice.
inline constexpr int kEvenTwice = 0xA0;
inline constexpr int kOddTwice = 0xF5;

}  // namespace gcnjit::backend::avx2
