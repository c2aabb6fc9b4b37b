// Atomics that compiled code does itself, lane by lane in ascending order: in LDS, whose waves
// share a host thread, with ordinary instructions; in guest memory with locked ones.
//
// Offsets and operands of the lanes are in AccessBlock::low and data[0] up. Old values go to
// data[2], and data[3] if they have 64 bits. Changes rax, rcx, rdx, a vector register and
// AccessTransfer::scratch.
#pragma once

#include <asmjit/x86.h>

#include <cstdint>
#include <optional>

#include "backend_x64/abi/region_abi.h"
#include "backend_x64/emit/lane_atomic_float.h"
#include "ir/types.h"

namespace gcnjit::backend {

class LaneAtomic {
 public:
  enum class Memory : uint8_t { kLds, kGuest };
  static constexpr int kResult = 2;  // of AccessBlock::data

  // `constant`: the operand, if it is the same in all lanes and known. `temp`: the vector register
  // that it changes.
  LaneAtomic(asmjit::x86::Assembler& a, const ir::MemoryAccess& access, bool returns, Memory memory,
             std::optional<uint32_t> constant, int temp);

  // What MXCSR must be for it, if that matters.
  static std::optional<ir::FloatEnv> EnvironmentOf(const ir::MemoryAccess& access);

  // Atomics of one key have the same code.
  uint64_t Key() const;
  Memory memory() const { return memory_; }
  uint32_t bytes() const { return bits_ / 8; }
  int OperandDwords() const { return Operands() * static_cast<int>(bits_) / 32; }
  int ResultDwords() const { return returns_ ? static_cast<int>(bits_) / 32 : 0; }
  // Where a constant is not kept: it is part of the code.
  const std::optional<uint32_t>& constant() const { return constant_; }

  // For the lanes of edx, with offsets from rax.
  void EmitLanes() { AddsUpLanes() ? EmitRunsOfLanes() : EmitEachLane(); }

  // For all lanes of a part, in LDS, without a look at their mask; offsets from rcx. With a
  // constant operand the offsets are in a register.
  bool HasRun() const { return memory_ == Memory::kLds && bits_ == 32; }
  void EmitRun(int lanes, int offsets);

 private:
  using Mem = asmjit::x86::Mem;
  using Gp = asmjit::x86::Gp;

  // Lanes that follow each other and have one address, as those of a counter, are one locked
  // instruction (lane_atomic_runs.cpp): nothing can be between them.
  bool AddsUpLanes() const;
  void EmitRunsOfLanes();
  void EmitEachLane();
  void LoadOperand(const Gp& to);
  void EmitRunInMemory(const Mem& memory);
  void EmitResultsOfRun();
  void StoreResult(const Gp& value);

  int Operands() const;
  std::optional<uint32_t> MemoryInstruction() const;
  Gp Sized(const Gp& reg) const { return bits_ == 64 ? Gp(reg.r64()) : Gp(reg.r32()); }
  // AccessTransfer::scratch.
  static Mem ScratchOf(int use, uint32_t bytes);
  Mem Scratch(int use) const { return ScratchOf(use, bits_ / 8); }
  void CopyOperand(int operand, int scratch);
  void EmitLds();
  void EmitGuest();
  void EmitCompareAndSwap(const Mem& memory);
  void EmitNewValue(const Mem& data, const Mem& data2);
  void EmitConstantRun(int lanes, int offsets);

  asmjit::x86::Assembler& a_;
  const ir::AtomicOp op_;
  const uint32_t bits_;
  const bool returns_;
  const bool flushes_swapped_;  // of kFCmpSwap
  const Memory memory_;
  const std::optional<uint32_t> constant_;
  const asmjit::x86::Xmm temp_;
  LaneAtomicFloat float_;
};

}  // namespace gcnjit::backend
