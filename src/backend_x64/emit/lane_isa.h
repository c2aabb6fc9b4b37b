// What a host instruction set does with the lanes of one register, apart from the IR's operations:
// moves, spills, masks. An instruction set is an implementation of this and of LaneOps
// (isa/avx2, isa/avx512).
#pragma once

#include <asmjit/x86.h>

#include <array>
#include <span>
#include <vector>

#include "backend_x64/plan/block_context.h"
#include "backend_x64/plan/shuffles.h"
#include "ir/function.h"

namespace gcnjit::backend {

namespace x86 = asmjit::x86;

class LaneIsa {
 public:
  virtual ~LaneIsa() = default;

  virtual HostRegisters RegistersFor(const ir::Function& function,
                                     const ir::Block& block) const = 0;
  // Registers that no value is ever in. Two more vectors after the first one have no value in
  // blocks with operations that want them.
  virtual int ScratchVector() const = 0;
  virtual int ScratchMask() const = 0;

  virtual void LoadVector(int reg, const x86::Mem& from) = 0;
  virtual void StoreVector(const x86::Mem& to, int reg) = 0;
  // The lanes of a mask; the others in memory stay.
  virtual void StoreVectorMasked(const x86::Mem& to, int reg, int mask) = 0;
  virtual void MoveVector(int to, int from) = 0;
  // Adds a number to 64-bit numbers of lanes, whose halves are in two registers. Changes scratch
  // registers of memory accesses.
  virtual void AddToHalves(int low, int high, const x86::Mem& number) = 0;
  virtual void Broadcast32(int reg, const x86::Mem& from) = 0;
  virtual void Broadcast64(int reg, const x86::Mem& from) = 0;
  // Masks of one part, between a register and its bits in memory. May change eax: nothing may be
  // kept there while operands are loaded or results get registers.
  virtual void LoadMask(int reg, const x86::Mem& from) = 0;
  virtual void StoreMask(const x86::Mem& to, int reg) = 0;
  virtual void MoveMask(int to, int from) = 0;
  virtual void SetMask(int reg, bool ones) = 0;
  // Sets the zero flag if none of the masks has a lane.
  virtual void TestMasks(const std::vector<int>& masks) = 0;

  // A part of a permutation, into a register that is none of its sources'. Changes eax.
  virtual void PermutePart(int to, const PartShuffle& part, const std::array<int, 2>& from) = 0;
  // Between lane loops, where no register holds lanes. Stores a whole value, whose lane l is lane
  // indices[l] / 4 % 64 of the one at `from`, 0 if that is not in `mask`. False: nothing was
  // emitted.
  virtual bool BpermuteLanes(const x86::Mem& to, const x86::Mem& from, const x86::Mem& indices,
                             const x86::Gp& mask) = 0;

  // ---- Where masks have registers of their own
  // Puts the mask of a part among the bits in a scalar register, which the first part clears.
  // Changes rax.
  virtual void AddToWaveMask(int gpr, int part, int mask) = 0;
  // The masks of two or four parts in one piece.
  virtual void StoreMasks(const x86::Mem& to, std::span<const int> masks) = 0;
};

}  // namespace gcnjit::backend
