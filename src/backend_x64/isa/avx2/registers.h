// The registers of AVX2 as compiled code uses them, 8 lanes each: scratch ones, and those that
// values may be in. A mask is a vector of dwords that are all ones or 0. A v64 is two registers of
// 4 lanes: 0, 1, 4, 5 and 2, 3, 6, 7, as the host's unpacking of dwords leaves them.
#pragma once

#include <asmjit/x86.h>

#include <cstdint>

#include "ir/function.h"

namespace gcnjit::backend::avx2 {

namespace x86 = asmjit::x86;

inline constexpr int kLanes = 8;          // of a register
inline constexpr int kHalf = kLanes / 2;  // of an xmm register
inline constexpr uint32_t kAllLanes = (1u << kLanes) - 1;

// Scratch registers.
inline constexpr int kT0 = 13;
inline constexpr int kT1 = 14;
inline constexpr int kT2 = 15;

// Those of a block's values, bit by bit: all of the 16 but those that its lane operations change on
// the way, so kFewest at least. kT0 always is among the latter; most operations need no other,
// memory accesses do.
inline constexpr int kFewest = 13;
uint32_t RegistersOfValues(const ir::Function& function, const ir::Block& block);

inline x86::Ymm Y(int reg) { return x86::ymm(static_cast<uint32_t>(reg)); }
inline x86::Xmm X(int reg) { return x86::xmm(static_cast<uint32_t>(reg)); }

// vpermq: the middle quarters change places, as needed after operations that work on each half.
inline constexpr int kSwapMiddle = 0xD8;
// vpermq: the halves do.
inline constexpr int kSwapHalves = 0x4E;
// vperm2i128: the low or high halves of two registers.
inline constexpr int kLowHalves = 0x20;
inline constexpr int kHighHalves = 0x31;
// vshufps: the even or odd dwords of two registers.
inline constexpr int kEvenDwords = 0x88;
inline constexpr int kOddDwords = 0xDD;
// vpshufd: the even or odd dwords, each twice.
inline constexpr int kEvenTwice = 0xA0;
inline constexpr int kOddTwice = 0xF5;

// `from` in the lanes of `mask`, 0 in the others; -1: all lanes.
inline void MoveLanes(x86::Assembler& a, int to, int from, int mask) {
  if (mask >= 0) {
    a.vandps(Y(to), Y(from), Y(mask));
  } else if (to != from) {
    a.vmovaps(Y(to), Y(from));
  }
}

}  // namespace gcnjit::backend::avx2
