// Moving data between memory and the lanes of VGPRs: what each kind of load and store does with the
// bits it moves, and the loops over active lanes that every memory instruction shares.
//
// Sources for the sub-dword and D16 forms: CLRX GcnInstrsDs.md, GcnInstrsFlat.md,
// GcnInstrsMubuf.md; Vega manual as quoted in gem5 ds.cc and flat.cc.
#pragma once

#include <immintrin.h>

#include <bit>
#include <cstdint>
#include <cstring>

#include "runtime/interpreter/wave.h"

namespace gcnjit::runtime {

// Bits of a VGPR.
struct ValueBits {
  int reg = -1;
  uint32_t bits = 0;
};

// ---- Loads: kBytes of memory become kRegisters registers. Result() makes a register from the raw
// little-endian bits and from what it held before.

struct LoadUbyte {
  static constexpr uint32_t kBytes = 1;
  static constexpr int kRegisters = 1;
  static uint32_t Result(uint32_t raw, uint32_t) { return raw; }
};
struct LoadSbyte {
  static constexpr uint32_t kBytes = 1;
  static constexpr int kRegisters = 1;
  static uint32_t Result(uint32_t raw, uint32_t) {
    return static_cast<uint32_t>(static_cast<int32_t>(static_cast<int8_t>(raw)));
  }
};
struct LoadUshort {
  static constexpr uint32_t kBytes = 2;
  static constexpr int kRegisters = 1;
  static uint32_t Result(uint32_t raw, uint32_t) { return raw; }
};
struct LoadSshort {
  static constexpr uint32_t kBytes = 2;
  static constexpr int kRegisters = 1;
  static uint32_t Result(uint32_t raw, uint32_t) {
    return static_cast<uint32_t>(static_cast<int32_t>(static_cast<int16_t>(raw)));
  }
};
// The 16-bit value of From goes to the low (high) half; the other half stays or, with kZeroes,
// becomes 0 (Instruction::zeroes_half).
template <typename From, bool kZeroes>
struct LoadD16 {
  static constexpr uint32_t kBytes = From::kBytes;
  static constexpr int kRegisters = 1;
  static uint32_t Result(uint32_t raw, uint32_t old) {
    return (kZeroes ? 0 : old & 0xFFFF0000) | (From::Result(raw, 0) & 0xFFFF);
  }
};
template <typename From, bool kZeroes>
struct LoadD16Hi {
  static constexpr uint32_t kBytes = From::kBytes;
  static constexpr int kRegisters = 1;
  static uint32_t Result(uint32_t raw, uint32_t old) {
    return (kZeroes ? 0 : old & 0xFFFF) | From::Result(raw, 0) << 16;
  }
};
template <int kCount>
struct LoadDwords {
  static constexpr uint32_t kBytes = 4 * kCount;
  static constexpr int kRegisters = kCount;
  static uint32_t Result(uint32_t raw, uint32_t) { return raw; }
};

// ---- Stores: Bits() makes a register's contribution to memory; its low kBytes are stored.

struct StoreByte {
  static constexpr uint32_t kBytes = 1;
  static constexpr int kRegisters = 1;
  static uint32_t Bits(uint32_t value) { return value; }
};
struct StoreShort {
  static constexpr uint32_t kBytes = 2;
  static constexpr int kRegisters = 1;
  static uint32_t Bits(uint32_t value) { return value; }
};
struct StoreByteD16Hi {
  static constexpr uint32_t kBytes = 1;
  static constexpr int kRegisters = 1;
  static uint32_t Bits(uint32_t value) { return value >> 16; }
};
struct StoreShortD16Hi {
  static constexpr uint32_t kBytes = 2;
  static constexpr int kRegisters = 1;
  static uint32_t Bits(uint32_t value) { return value >> 16; }
};
template <int kCount>
struct StoreDwords {
  static constexpr uint32_t kBytes = 4 * kCount;
  static constexpr int kRegisters = kCount;
  static uint32_t Bits(uint32_t value) { return value; }
};

// ---- Lanes

inline constexpr uint64_t kAllLanes = ~uint64_t{0};

// f(lane) for the lanes of `mask`, ascending, until one returns false.
template <typename F>
inline void ForEachLane(uint64_t mask, F f) {
  for (; mask != 0; mask &= mask - 1) {
    if (!f(std::countr_zero(mask))) return;
  }
}

// Bit n of the result: bytes[n], which must be 0 or 1 (lanes.h has MaskOfBytes for 0 and 0xFF).
inline uint64_t MaskOfFlags(const uint8_t (&bytes)[kLanes]) {
  const auto* vectors = reinterpret_cast<const __m256i*>(bytes);
  const __m256i low = _mm256_slli_epi16(_mm256_loadu_si256(vectors), 7);
  const __m256i high = _mm256_slli_epi16(_mm256_loadu_si256(vectors + 1), 7);
  return static_cast<uint32_t>(_mm256_movemask_epi8(low)) |
         static_cast<uint64_t>(static_cast<uint32_t>(_mm256_movemask_epi8(high))) << 32;
}

template <typename Form>
inline void PutLane(Wave& w, int reg, int lane, const uint32_t* raw) {
  for (int r = 0; r < Form::kRegisters; ++r) {
    uint32_t& slot = w.state.vgpr[reg + r][lane];
    slot = Form::Result(raw[r], slot);
  }
}

template <typename Form>
inline void TakeLane(const Wave& w, int reg, int lane, uint32_t* raw) {
  for (int r = 0; r < Form::kRegisters; ++r) raw[r] = Form::Bits(w.state.vgpr[reg + r][lane]);
}

// What a load outside the range of its resource returns.
template <typename Form>
inline void PutZeros(Wave& w, int reg, uint64_t mask) {
  static constexpr uint32_t kZeros[Form::kRegisters] = {};
  ForEachLane(mask, [&](int lane) {
    PutLane<Form>(w, reg, lane, kZeros);
    return true;
  });
}

// One lane of a register or register pair.
template <typename T>
inline T LaneValue(const Wave& w, int reg, int lane) {
  if constexpr (sizeof(T) == 8) {
    return w.state.vgpr[reg][lane] | static_cast<uint64_t>(w.state.vgpr[reg + 1][lane]) << 32;
  } else {
    return w.state.vgpr[reg][lane];
  }
}
template <typename T>
inline void SetLaneValue(Wave& w, int reg, int lane, T value) {
  w.state.vgpr[reg][lane] = static_cast<uint32_t>(value);
  if constexpr (sizeof(T) == 8) {
    w.state.vgpr[reg + 1][lane] = static_cast<uint32_t>(value >> 32);
  }
}

// With TFE a load or returning atomic writes one register more. It is 0 unless a page of a
// partially resident resource was missing, which can't happen here: absent memory is a fault.
inline void PutTfeStatus(Wave& w, const Instruction& i, int data_registers) {
  if (!i.tfe || i.dst.kind != OperandKind::kVector) return;
  ForEachLane(w.exec(), [&](int lane) {
    w.state.vgpr[i.dst.index + data_registers][lane] = 0;
    return true;
  });
}

// Guest addresses of the lanes.
using LaneAddresses = uint64_t[kLanes];

}  // namespace gcnjit::runtime
