// What float atomics do to a value: from the old one in rdx to the new one there. MXCSR is that of
// LaneAtomic::EnvironmentOf.
#pragma once

#include <asmjit/x86.h>

#include <cstdint>

namespace gcnjit::backend {

// Changes `temp`.
class LaneAtomicFloat {
 public:
  using Mem = asmjit::x86::Mem;

  LaneAtomicFloat(asmjit::x86::Assembler& a, uint32_t bits, const asmjit::x86::Xmm& temp)
      : a_(a), bits_(bits), temp_(temp) {}

  // The processor's sum of NaNs is the first one, quieted.
  void EmitSum(const Mem& data);
  // The same of a value in memory, without rdx.
  void EmitMemorySum(const Mem& memory, const Mem& data);
  // The lesser or the greater, as ir::AtomicOp says.
  void EmitExtreme(const Mem& data, bool is_least);
  // data2 where the old value equals data.
  void EmitComparedSwap(const Mem& data, const Mem& data2);
  // A denormal becomes a zero of its sign. Changes that memory.
  void EmitFlush(const Mem& temp);

 private:
  using Gp = asmjit::x86::Gp;

  Gp Sized(const Gp& reg) const { return bits_ == 64 ? Gp(reg.r64()) : Gp(reg.r32()); }
  void EmitToTemp();
  void EmitCompare(const asmjit::x86::Xmm& x, const asmjit::Operand& y);

  asmjit::x86::Assembler& a_;
  const uint32_t bits_;
  const asmjit::x86::Xmm temp_;
};

}  // namespace gcnjit::backend
