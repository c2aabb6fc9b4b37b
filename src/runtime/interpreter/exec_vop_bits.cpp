// Bit fields, bit counts, byte permutation, and the packed byte operations of video codecs.
#include <algorithm>
#include <bit>

#include "runtime/interpreter/lanes.h"

namespace gcnjit::runtime {
namespace {

template <typename F>
void Unary(Wave& w, const Instruction& i, F f) {
  MapLanes1<uint32_t, uint32_t>(w, i, f);
}
template <typename F>
void Ternary(Wave& w, const Instruction& i, F f) {
  MapLanes3<uint32_t, uint32_t, uint32_t, uint32_t>(w, i, f);
}

uint32_t LowBits(uint32_t count) { return (1u << (count & 31)) - 1; }
uint32_t ByteOf(uint64_t value, int n) { return static_cast<uint32_t>(value >> (8 * n)) & 0xFF; }
constexpr auto kDifference = [](uint32_t a, uint32_t b) { return a > b ? a - b : b - a; };

}  // namespace

// ---- Fields

void exec_V_BFE_U32(Wave& w, const Instruction& i) {
  Ternary(w, i, [](uint32_t a, uint32_t offset, uint32_t width) {
    return (a >> (offset & 31)) & LowBits(width);
  });
}
// A field that reaches beyond bit 31 has bit 31 as its sign.
void exec_V_BFE_I32(Wave& w, const Instruction& i) {
  MapLanes3<int32_t, int32_t, uint32_t, uint32_t>(
      w, i, [](int32_t a, uint32_t offset, uint32_t width) {
        const uint32_t unused = (32 - (width & 31)) & 31;
        const auto field = static_cast<uint32_t>(a >> (offset & 31)) << unused;
        return (width & 31) == 0 ? 0 : static_cast<int32_t>(field) >> unused;
      });
}
void exec_V_BFM_B32(Wave& w, const Instruction& i) {
  MapLanes2<uint32_t, uint32_t, uint32_t>(
      w, i, [](uint32_t width, uint32_t offset) { return LowBits(width) << (offset & 31); });
}
void exec_V_BFREV_B32(Wave& w, const Instruction& i) {
  Unary(w, i, [](uint32_t a) {
    a = (a >> 1 & 0x55555555) | (a & 0x55555555) << 1;
    a = (a >> 2 & 0x33333333) | (a & 0x33333333) << 2;
    a = (a >> 4 & 0x0F0F0F0F) | (a & 0x0F0F0F0F) << 4;
    return __builtin_bswap32(a);
  });
}

// ---- Counting

void exec_V_FFBH_U32(Wave& w, const Instruction& i) {
  Unary(w, i, [](uint32_t a) { return a == 0 ? ~0u : static_cast<uint32_t>(std::countl_zero(a)); });
}
void exec_V_FFBL_B32(Wave& w, const Instruction& i) {
  Unary(w, i, [](uint32_t a) { return a == 0 ? ~0u : static_cast<uint32_t>(std::countr_zero(a)); });
}
// Leading bits that equal the sign; -1 if all do.
void exec_V_FFBH_I32(Wave& w, const Instruction& i) {
  MapLanes1<uint32_t, int32_t>(w, i, [](int32_t a) {
    const auto magnitude = static_cast<uint32_t>(a < 0 ? ~a : a);
    return magnitude == 0 ? ~0u : static_cast<uint32_t>(std::countl_zero(magnitude));
  });
}
void exec_V_BCNT_U32_B32(Wave& w, const Instruction& i) {
  MapLanes2<uint32_t, uint32_t, uint32_t>(
      w, i, [](uint32_t a, uint32_t b) { return static_cast<uint32_t>(std::popcount(a)) + b; });
}

namespace {

// src1 + the set bits of src0 that stand for lanes `first_lane`.. before this one.
void CountLanesBelow(Wave& w, const Instruction& i, int first_lane) {
  alignas(64) uint32_t a_buffer[kLanes];
  alignas(64) uint32_t b_buffer[kLanes];
  alignas(64) uint32_t result[kLanes];
  const uint32_t* a = ReadLanes<uint32_t>(w, i, 0, a_buffer);
  const uint32_t* b = ReadLanes<uint32_t>(w, i, 1, b_buffer);
  for (int lane = 0; lane < kLanes; ++lane) {
    const int below = std::clamp(lane - first_lane, 0, 32);
    const auto mask = static_cast<uint32_t>((uint64_t{1} << below) - 1);
    result[lane] = static_cast<uint32_t>(std::popcount(a[lane] & mask)) + b[lane];
  }
  WriteLanes<uint32_t>(w, i, result);
}

}  // namespace

void exec_V_MBCNT_LO_U32_B32(Wave& w, const Instruction& i) { CountLanesBelow(w, i, 0); }
void exec_V_MBCNT_HI_U32_B32(Wave& w, const Instruction& i) { CountLanesBelow(w, i, 32); }

// ---- Bytes

void exec_V_ALIGNBIT_B32(Wave& w, const Instruction& i) {
  Ternary(w, i, [](uint32_t high, uint32_t low, uint32_t count) {
    return static_cast<uint32_t>((static_cast<uint64_t>(high) << 32 | low) >> (count & 31));
  });
}
void exec_V_ALIGNBYTE_B32(Wave& w, const Instruction& i) {
  Ternary(w, i, [](uint32_t high, uint32_t low, uint32_t count) {
    return static_cast<uint32_t>((static_cast<uint64_t>(high) << 32 | low) >> (8 * (count & 3)));
  });
}

// A selector chooses a byte of {src0, src1}, the sign of one of its four words, 0 or 0xff.
void exec_V_PERM_B32(Wave& w, const Instruction& i) {
  Ternary(w, i, [](uint32_t high, uint32_t low, uint32_t selectors) {
    const uint64_t bytes = static_cast<uint64_t>(high) << 32 | low;
    uint32_t result = 0;
    for (int n = 0; n < 4; ++n) {
      const uint32_t selector = ByteOf(selectors, n);
      const uint32_t chosen = static_cast<uint32_t>(bytes >> (8 * (selector & 7))) & 0xFF;
      const uint32_t sign = static_cast<uint32_t>(bytes >> (16 * (selector & 3) + 15)) & 1;
      const uint32_t byte = selector >= 13   ? 0xFF
                            : selector == 12 ? 0
                            : selector >= 8  ? sign * 0xFF
                                             : chosen;
      result |= byte << (8 * n);
    }
    return result;
  });
}

void exec_V_LERP_U8(Wave& w, const Instruction& i) {
  Ternary(w, i, [](uint32_t a, uint32_t b, uint32_t round) {
    uint32_t result = 0;
    for (int n = 0; n < 4; ++n) {
      const uint32_t sum = ByteOf(a, n) + ByteOf(b, n) + (ByteOf(round, n) & 1);
      result |= sum >> 1 << (8 * n);
    }
    return result;
  });
}

void exec_V_SAT_PK_U8_I16(Wave& w, const Instruction& i) {
  Unary(w, i, [](uint32_t a) {
    const int32_t low = std::clamp<int32_t>(static_cast<int16_t>(a), 0, 255);
    const int32_t high = std::clamp<int32_t>(static_cast<int32_t>(a) >> 16, 0, 255);
    return static_cast<uint32_t>(low | high << 8);
  });
}

// ---- Sums of absolute differences

namespace {

constexpr auto kSadBytes = [](uint32_t a, uint32_t b) {
  uint32_t sum = 0;
  for (int n = 0; n < 4; ++n) sum += kDifference(ByteOf(a, n), ByteOf(b, n));
  return sum;
};
// Bytes of b that are 0 do not count.
constexpr auto kSadMaskedBytes = [](uint32_t a, uint32_t b) {
  uint32_t sum = 0;
  for (int n = 0; n < 4; ++n) {
    sum += ByteOf(b, n) == 0 ? 0 : kDifference(ByteOf(a, n), ByteOf(b, n));
  }
  return sum;
};

// src2 + f(src0, src1)
template <typename F>
void Accumulate(Wave& w, const Instruction& i, F f) {
  if (ClampsInteger(w, i)) {
    Ternary(w, i, [f](uint32_t a, uint32_t b, uint32_t c) {
      const uint64_t sum = uint64_t{f(a, b)} + c;
      return static_cast<uint32_t>(std::min<uint64_t>(sum, 0xFFFFFFFF));
    });
  } else {
    Ternary(w, i,
            [f](uint32_t a, uint32_t b, uint32_t c) { return static_cast<uint32_t>(f(a, b) + c); });
  }
}

}  // namespace

void exec_V_SAD_U8(Wave& w, const Instruction& i) { Accumulate(w, i, kSadBytes); }
void exec_V_MSAD_U8(Wave& w, const Instruction& i) { Accumulate(w, i, kSadMaskedBytes); }
void exec_V_SAD_HI_U8(Wave& w, const Instruction& i) {
  Accumulate(w, i, [](uint32_t a, uint32_t b) { return kSadBytes(a, b) << 16; });
}
void exec_V_SAD_U16(Wave& w, const Instruction& i) {
  Accumulate(w, i, [](uint32_t a, uint32_t b) {
    return kDifference(a & 0xFFFF, b & 0xFFFF) + kDifference(a >> 16, b >> 16);
  });
}
void exec_V_SAD_U32(Wave& w, const Instruction& i) { Accumulate(w, i, kDifference); }

namespace {

// Four sums with the reference src1 at byte offsets 0 to 3 of src0, accumulated on 16-bit fields.
template <typename F>
void QuadSad16(Wave& w, const Instruction& i, F sad) {
  const bool clamp = ClampsInteger(w, i);
  MapLanes3<uint64_t, uint64_t, uint32_t, uint64_t>(
      w, i, [sad, clamp](uint64_t a, uint32_t b, uint64_t c) {
        uint64_t result = 0;
        for (int n = 0; n < 4; ++n) {
          const uint64_t sum =
              sad(static_cast<uint32_t>(a >> (8 * n)), b) + (c >> (16 * n) & 0xFFFF);
          const uint64_t field = clamp ? std::min<uint64_t>(sum, 0xFFFF) : sum & 0xFFFF;
          result |= field << (16 * n);
        }
        return result;
      });
}

}  // namespace

void exec_V_QSAD_PK_U16_U8(Wave& w, const Instruction& i) { QuadSad16(w, i, kSadBytes); }
void exec_V_MQSAD_PK_U16_U8(Wave& w, const Instruction& i) { QuadSad16(w, i, kSadMaskedBytes); }
// gfx6's names of the same operations.
void exec_V_QSAD_U8(Wave& w, const Instruction& i) { QuadSad16(w, i, kSadBytes); }
void exec_V_MQSAD_U8(Wave& w, const Instruction& i) { QuadSad16(w, i, kSadMaskedBytes); }

// As above on 32-bit fields: src2 and dst are four registers.
void exec_V_MQSAD_U32_U8(Wave& w, const Instruction& i) {
  alignas(64) uint64_t a_buffer[kLanes];
  alignas(64) uint32_t b_buffer[kLanes];
  alignas(64) uint32_t c_buffer[kLanes];
  alignas(64) uint32_t result[4][kLanes];
  const uint64_t* a = ReadLanes<uint64_t>(w, i, 0, a_buffer);
  const uint32_t* b = ReadLanes<uint32_t>(w, i, 1, b_buffer);
  if (i.src[2].kind != OperandKind::kVector) {
    return w.RaiseUnsupported("v_mqsad_u32_u8 with a third source that is not four VGPRs");
  }
  VgprIndex(w, i.dst, 3);  // both must have room for all four
  VgprIndex(w, i.src[2], 2);
  if (w.event == WaveEvent::kFault) return;
  const bool clamp = ClampsInteger(w, i);
  Instruction part = i;  // the n-th dword of src2 and dst
  for (int n = 0; n < 4; ++n) {
    const uint32_t* c = ReadLanes<uint32_t>(w, part, 2, c_buffer);
    for (int lane = 0; lane < kLanes; ++lane) {
      const uint32_t sad = kSadMaskedBytes(static_cast<uint32_t>(a[lane] >> (8 * n)), b[lane]);
      const uint64_t sum = uint64_t{sad} + c[lane];
      result[n][lane] = static_cast<uint32_t>(clamp ? std::min<uint64_t>(sum, 0xFFFFFFFF) : sum);
    }
    ++part.src[2].index;
  }
  for (int n = 0; n < 4; ++n) {
    WriteLanes<uint32_t>(w, part, result[n]);
    ++part.dst.index;
  }
}

}  // namespace gcnjit::runtime
