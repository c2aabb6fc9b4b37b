// Integer atomics that compiled code does itself, lane by lane in ascending order: in LDS, whose
// waves share a host thread, with ordinary instructions; in guest memory with locked ones.
//
// Offsets and operands of the lanes are in AccessBlock::low and data[0] up. Old values go to
// data[2], and data[3] if they have 64 bits. Changes rax, rcx, rdx and RegionContext::scratch.
#pragma once

#include <asmjit/x86.h>

#include <cstdint>
#include <optional>

#include "backend_x64/abi.h"
#include "ir/types.h"

namespace gcnjit::backend {

class LaneAtomic {
 public:
  enum class Memory : uint8_t { kLds, kGuest };
  static constexpr int kResult = 2;  // of AccessBlock::data

  LaneAtomic(asmjit::x86::Assembler& a, const ir::MemoryAccess& access, bool returns, Memory memory)
      : a_(a), op_(access.atomic), bits_(access.bytes * 8), returns_(returns), memory_(memory) {}

  // False: the runtime does this one.
  static bool IsInPlace(const ir::MemoryAccess& access);
  int OperandDwords() const { return Operands() * static_cast<int>(bits_) / 32; }
  int ResultDwords() const { return returns_ ? static_cast<int>(bits_) / 32 : 0; }

  // For the lanes of edx, with offsets from rax.
  void EmitLanes();

  // For all lanes of a part, in LDS, without a look at their mask; offsets from rcx.
  bool HasRun() const;
  void EmitRun(int lanes);
  // The same if the operand is one constant and nothing is returned: the offsets are in a register
  // then, of which the upper parts go through the register `temp`.
  bool HasConstantRun() const { return HasRun() && !returns_ && MemoryInstruction().has_value(); }
  void EmitConstantRun(int lanes, uint32_t operand, int offsets, int temp);

 private:
  using Mem = asmjit::x86::Mem;
  using Gp = asmjit::x86::Gp;

  int Operands() const;
  std::optional<uint32_t> MemoryInstruction() const;
  Gp Sized(const Gp& reg) const { return bits_ == 64 ? Gp(reg.r64()) : Gp(reg.r32()); }
  Mem Scratch(int use) const;
  void CopyOperand(int operand, int scratch);
  void EmitLds();
  void EmitGuest();
  void EmitNewValue(const Mem& data, const Mem& data2);

  asmjit::x86::Assembler& a_;
  const ir::AtomicOp op_;
  const uint32_t bits_;
  const bool returns_;
  const Memory memory_;
};

}  // namespace gcnjit::backend
