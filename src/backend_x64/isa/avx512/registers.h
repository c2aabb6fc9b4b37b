// The registers of AVX-512 as compiled code uses them, 16 lanes each: scratch ones, and those that
// values may be in.
#pragma once

#include <asmjit/x86.h>

#include <cstdint>

#include "ir/function.h"

namespace gcnjit::backend::avx512 {

namespace x86 = asmjit::x86;

inline constexpr int kLanes = 16;    // of a register
inline constexpr int kQuarters = 4;  // that it has, an xmm register each
inline constexpr uint32_t kAllLanes = (1u << kLanes) - 1;

// Scratch registers.
inline constexpr int kT0 = 29;
inline constexpr int kT1 = 30;
inline constexpr int kT2 = 31;
inline constexpr int kM0 = 6;
inline constexpr int kM1 = 7;

// Those of values, bit by bit. k0 cannot be a write mask.
inline constexpr uint32_t kVectors = (1u << 29) - 1;
inline constexpr uint32_t kMasks = 0b00111110;
// Of a block that is a loop. A divergent loop carries EXEC and at least one more mask, each in as
// many parts as the slice has, so every register counts; and most loops have no operation that
// needs mask scratch 0.
uint32_t LoopMasks(const ir::Function& function, const ir::Block& block);

inline x86::Zmm Z(int reg) { return x86::zmm(static_cast<uint32_t>(reg)); }
inline x86::Ymm Y(int reg) { return x86::ymm(static_cast<uint32_t>(reg)); }
inline x86::Xmm X(int reg) { return x86::xmm(static_cast<uint32_t>(reg)); }
inline x86::KReg K(int reg) { return x86::k(static_cast<uint32_t>(reg)); }

// The next instruction for the lanes of `mask` only; -1: for all.
inline x86::Assembler& Under(x86::Assembler& a, int mask) { return mask < 0 ? a : a.k(K(mask)); }
// The same; the other lanes become 0.
inline x86::Assembler& OrZero(x86::Assembler& a, int mask) {
  return mask < 0 ? a : a.k(K(mask)).z();
}
// A mask for instructions that cannot do without one.
inline void CopyMask(x86::Assembler& a, int to, int mask) {
  if (mask < 0) {
    a.kxnorw(K(to), K(to), K(to));
  } else {
    a.kmovw(K(to), K(mask));
  }
}

}  // namespace gcnjit::backend::avx512
