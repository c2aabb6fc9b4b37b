// Types of the IR's values, and the small records that operations carry.
#pragma once

#include <array>
#include <cstdint>

namespace gcnjit::ir {

enum class Type : uint8_t {
  kVoid,
  kU1,   // one bit a wave: SCC, branch conditions
  kU32,  // one value a wave
  kU64,  // one value a wave; also a lane mask, bit n for lane n
  kV32,  // one value a lane
  kV64,
};
constexpr bool IsLanes(Type type) { return type == Type::kV32 || type == Type::kV64; }
constexpr bool IsScalar(Type type) {
  return type == Type::kU1 || type == Type::kU32 || type == Type::kU64;
}
constexpr bool Is64(Type type) { return type == Type::kU64 || type == Type::kV64; }

// Rounding and denormals of a floating operation, resolved from MODE when code is lifted. The bits
// are those of MXCSR: rounding in 13 and 14, flush results in 15, denormals-are-zero in 6.
struct FloatEnv {
  uint16_t bits = 0;
  static constexpr uint16_t kFlushInputs = 1 << 6;
  static constexpr uint16_t kFlushResults = 1 << 15;
  // 0 nearest even, 1 toward -inf, 2 toward +inf, 3 toward zero: MXCSR's order, not MODE's.
  static constexpr int kRoundShift = 13;
  friend bool operator==(FloatEnv, FloatEnv) = default;
};

// Atomic functions, common to LDS and global memory. 64-bit forms have MemoryAccess::bytes 8. Data
// dwords: one operand, two dwords if 64-bit; kCmpSwap and kFCmpSwap two operands (compare, new),
// kMaskedOr and kWrap two (data0, data1). Integer arithmetic wraps around.
//
// Floats: kFAdd rounds to nearest even, and of NaNs gives the first of (old, data), quieted.
// kFMin and kFMax give a signalling NaN, old's first, quieted; of a quiet NaN and a number the
// number; -0 is less than +0; else one of the two unmodified. kFCmpSwap compares as IEEE does.
// flush_inputs: all of them see denormals as zeros, and kFCmpSwap gives them as such, new and old;
// flush_results: kFAdd's denormal result is a zero.
// In LDS, which those of Space::kFlat may reach, MODE says both instead.
// clang-format off
enum class AtomicOp : uint8_t {
  kSwap, kCmpSwap, kAdd, kSub, kRevSub, kMinS, kMinU, kMaxS, kMaxU, kAnd, kOr, kXor,
  kInc,       // old >= data ? 0 : old + 1
  kDec,       // old == 0 || old > data ? data : old - 1
  kFAdd, kFMin, kFMax, kFCmpSwap,
  kMaskedOr,  // ds_mskor: (old & ~data0) | data1
  kWrap,      // ds_wrap: old >= data0 ? old - data0 : old + data1
};
// clang-format on

enum class Space : uint8_t {
  kGlobal,  // guest memory only
  kFlat,    // guest memory, LDS and scratch apertures
};

// What a memory operation does to each lane; packed into Inst::aux.
struct MemoryAccess {
  uint8_t bytes = 4;  // 1, 2, 4, 8, 12, 16; of atomics 4 or 8
  bool sign_extend = false;
  Space space = Space::kGlobal;
  AtomicOp atomic = AtomicOp::kSwap;
  bool flush_inputs = false;  // float atomics
  bool flush_results = false;
  // Of kLoad and kStore: the address is a base and a lane's index, see opcodes.def.
  bool indexed = false;
  bool index_signed = false;
  uint8_t index_shift = 0;  // 0..31
  // Of kLoad and kLoadLds, of 8 or 16 bytes: the results are quadwords, not dwords.
  bool quadwords = false;
  // Of kLoad, kStore and kAtomic: addresses count modulo 2^48.
  bool wraps = false;
  static constexpr uint64_t kWrapMask = (uint64_t{1} << 48) - 1;

  constexpr uint32_t Pack() const {
    return bytes | uint32_t{sign_extend} << 8 | static_cast<uint32_t>(space) << 9 |
           static_cast<uint32_t>(atomic) << 12 | uint32_t{flush_inputs} << 20 |
           uint32_t{flush_results} << 21 | uint32_t{indexed} << 22 | uint32_t{index_signed} << 23 |
           uint32_t{index_shift} << 24 | uint32_t{quadwords} << 29 | uint32_t{wraps} << 30;
  }
  static constexpr MemoryAccess Unpack(uint32_t aux) {
    return {static_cast<uint8_t>(aux & 0xFF),
            ((aux >> 8) & 1) != 0,
            static_cast<Space>((aux >> 9) & 7),
            static_cast<AtomicOp>((aux >> 12) & 0xFF),
            ((aux >> 20) & 1) != 0,
            ((aux >> 21) & 1) != 0,
            ((aux >> 22) & 1) != 0,
            ((aux >> 23) & 1) != 0,
            static_cast<uint8_t>((aux >> 24) & 31),
            ((aux >> 29) & 1) != 0,
            ((aux >> 30) & 1) != 0};
  }
  // Of the indexed form: what the indices of consecutive elements differ by; 0 if elements cannot
  // be consecutive.
  constexpr uint32_t IndexStep() const {
    const uint32_t unit = uint32_t{1} << index_shift;
    return bytes % unit == 0 ? bytes / unit : 0;
  }
  constexpr uint64_t Wrapped(uint64_t address) const {
    return wraps ? address & kWrapMask : address;
  }
  constexpr int Dwords() const { return bytes <= 4 ? 1 : bytes / 4; }
};

// Where a lane's access lies in an element of a swizzled buffer, and how elements follow each
// other, as a dword. An offset of 0 fits all accesses: their bytes are contiguous.
struct SwizzledPlace {
  uint8_t offset = 0;         // of the first byte, its four low bits
  uint8_t element_shift = 0;  // an element has 1 << element_shift bytes, 0..4
  uint8_t index_shift = 0;    // and is followed 1 << index_shift elements further on, 0..6

  static constexpr int kElementShift = 4;  // bits from here on
  static constexpr int kIndexShift = 8;
  static constexpr uint32_t kOffsetMask = 15;
  static constexpr SwizzledPlace Unpack(uint32_t dword) {
    return {static_cast<uint8_t>(dword & kOffsetMask),
            static_cast<uint8_t>(dword >> kElementShift & 15),
            static_cast<uint8_t>(dword >> kIndexShift & 15)};
  }
  // Is each byte of an access accessed by itself?
  constexpr bool IsApart(uint32_t bytes) const { return (offset & (bytes - 1)) != 0; }
  // Byte n of the access, from its first byte on.
  constexpr uint64_t OffsetOf(uint32_t n) const {
    const uint32_t mask = (1u << element_shift) - 1;
    const uint32_t within = offset & mask;
    const uint32_t byte = within + n;
    return (uint64_t{byte >> element_shift} << (element_shift + index_shift)) + (byte & mask) -
           within;
  }
};

// Why compiled code returns to the dispatcher.
enum class ExitReason : uint32_t {
  kNext,       // continue at WaveState::pc, with whatever engine has it
  kInterpret,  // the instruction at WaveState::pc is the interpreter's
  kEnd,        // s_endpgm
  kBarrier,    // at s_barrier; pc is the instruction after it
  kYield,      // let other waves run, then continue at WaveState::pc
  kFault,      // see the context's fault record
};

// The offsets (`imm`) of kLoad, kStore and kAtomic stay below this in either direction.
inline constexpr int64_t kMaxLaneOffset = 8192;

inline constexpr int kLanes = 64;
inline constexpr uint64_t kAllLanes = ~uint64_t{0};  // as a lane mask
// Vector registers by number: VGPRs, and from 256 on AccVGPRs.
inline constexpr int kVgprs = 512;
inline constexpr int kExec = 126;  // operand code of EXEC's low half
inline constexpr uint8_t kNoLane = 0xFF;
// Where each lane takes its value from, for kPermute.
using LanePattern = std::array<uint8_t, kLanes>;

}  // namespace gcnjit::ir
