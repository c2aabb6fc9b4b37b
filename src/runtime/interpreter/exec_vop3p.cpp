// VOP3P: two 16-bit operations a lane. op_sel chooses the halves that make the low result,
// op_sel_hi those that make the high one; neg and neg_hi likewise.
//
// Sources: Vega manual, VOP3P (via CLRX GcnInstrsVop3p and gem5 vop3p.cc): integer clamp saturates,
// and the multiplication of v_pk_mad_* is as wide as it needs to be before it does; v_pk_mul_lo_u16
// and the shifts ignore it.
#include <cstdint>

#include "runtime/interpreter/half.h"
#include "runtime/interpreter/lanes.h"
#include "runtime/interpreter/min_max.h"
#include "runtime/interpreter/signalling_nans.h"

namespace gcnjit::runtime {
namespace {

// The half of src[n] that goes into the low (`part` 0) or high (1) result: v_pk_fmac_f16, a VOP2
// instruction, has no choice.
int HalfShift(const Instruction& i, int n, int part) {
  if (i.encoding != frontend::Encoding::kVop3p) return 16 * part;
  const int select = part == 0 ? i.op_sel : i.op_sel_hi;
  return ((select >> n) & 1) * 16;
}

// ---- Integers

int32_t SaturateI16(int32_t x, bool clamp) {
  const int32_t saturated = x > 32767 ? 32767 : x < -32768 ? -32768 : x;
  return clamp ? saturated : x;
}

// f(a, b, c, clamp) -> wide result. T: int16_t or uint16_t, how the halves extend to 32 bits.
template <typename T, typename F>
void MapPacked(Wave& w, const Instruction& i, int sources, F f) {
  alignas(64) uint32_t buffers[3][kLanes];
  const uint32_t* src[3];
  for (int n = 0; n < 3; ++n) {
    // Absent operands are read as the first one and ignored.
    src[n] = n < sources ? ReadLanes<uint32_t>(w, i, n, buffers[n]) : src[0];
  }
  alignas(64) uint32_t result[kLanes] = {};
  for (int part = 0; part < 2; ++part) {
    const int shift[3] = {HalfShift(i, 0, part), HalfShift(i, 1, part), HalfShift(i, 2, part)};
    for (int lane = 0; lane < kLanes; ++lane) {
      const auto a = static_cast<T>(src[0][lane] >> shift[0]);
      const auto b = static_cast<T>(src[1][lane] >> shift[1]);
      const auto c = static_cast<T>(src[2][lane] >> shift[2]);
      const auto wide = static_cast<uint32_t>(f(a, b, c, i.clamp));
      result[lane] |= (wide & 0xFFFF) << (16 * part);
    }
  }
  WriteLanes<uint32_t>(w, i, result);
}

// ---- Floats

void ReadPart(Wave& w, const Instruction& i, int n, int part, Half (&to)[kLanes]) {
  alignas(64) uint32_t buffer[kLanes];
  const bool is_destination = n == 2 && i.row().Has(frontend::READS_DST);
  const uint32_t* dwords =
      is_destination ? DstLanes<uint32_t>(w, i) : ReadLanes<uint32_t>(w, i, n, buffer);
  const int shift = HalfShift(i, n, part);
  const int negate = part == 0 ? i.neg : i.neg_hi;
  const uint32_t sign = ((negate >> n) & 1) != 0 ? 0x8000 : 0;
  for (int lane = 0; lane < kLanes; ++lane) {
    to[lane].bits = static_cast<uint16_t>((dwords[lane] >> shift) ^ sign);
  }
}

void ReadWidePart(Wave& w, const Instruction& i, int n, int part, float (&to)[kLanes]) {
  alignas(64) Half halves[kLanes];
  ReadPart(w, i, n, part, halves);
  Widen(halves, to, Denormals64(w).flush_inputs);
}

// To [0, 1], as WriteLanes does it for a single float.
void ClampHalves(const Wave& w, Half (&values)[kLanes]) {
  const bool nan_to_zero = (w.state.mode & kModeDx10Clamp) != 0;
  for (Half& value : values) {
    const uint32_t bits = value.bits;
    const bool is_nan = (bits & 0x7FFF) > 0x7C00;
    const bool is_negative = (bits & 0x8000) != 0;
    const uint32_t limited = is_negative ? 0 : bits < 0x3C00 ? bits : 0x3C00;
    value.bits = static_cast<uint16_t>(!is_nan ? limited : nan_to_zero ? 0 : bits);
  }
}

void WriteParts(Wave& w, const Instruction& i, Half (&parts)[2][kLanes]) {
  alignas(64) uint32_t result[kLanes];
  if (i.clamp) {
    ClampHalves(w, parts[0]);
    ClampHalves(w, parts[1]);
  }
  for (int lane = 0; lane < kLanes; ++lane) {
    result[lane] = parts[0][lane].bits | static_cast<uint32_t>(parts[1][lane].bits) << 16;
  }
  WriteLanes<uint32_t>(w, i, result);
}

// Results of MODE.IEEE off have the quiet bits of their operands.
void KeepPartNans(Wave& w, const Instruction& i, int sources, int part, Half (&results)[kLanes]) {
  alignas(64) Half operands[3][kLanes];
  for (int n = 0; n < sources; ++n) ReadPart(w, i, n, part, operands[n]);
  for (int lane = 0; lane < kLanes; ++lane) {
    KeptNan<Half> kept = {results[lane].bits};
    for (int n = 0; n < sources; ++n) kept.Offer(operands[n][lane].bits);
    results[lane].bits = static_cast<uint16_t>(kept.result);
  }
}

template <typename F>
void MapPackedFloat(Wave& w, const Instruction& i, int sources, F f) {
  alignas(64) float src[3][kLanes];
  alignas(64) Half parts[2][kLanes];
  for (int part = 0; part < 2; ++part) {
    for (int n = 0; n < sources; ++n) ReadWidePart(w, i, n, part, src[n]);
    for (int lane = 0; lane < kLanes; ++lane) {
      if constexpr (requires { f(0.0f, 0.0f, 0.0f); }) {
        src[0][lane] = f(src[0][lane], src[1][lane], src[2][lane]);
      } else {
        src[0][lane] = f(src[0][lane], src[1][lane]);
      }
    }
    Narrow(src[0], parts[part], HalfRoundingOf(w));
    if (!IsIeee(w)) KeepPartNans(w, i, sources, part, parts[part]);
  }
  WriteParts(w, i, parts);
}

template <typename F>
void MapPackedMinMax(Wave& w, const Instruction& i, F f) {
  const auto m = MinMaxOf<Half>(w);
  alignas(64) Half b[kLanes];
  alignas(64) Half parts[2][kLanes];
  for (int part = 0; part < 2; ++part) {
    ReadPart(w, i, 0, part, parts[part]);
    ReadPart(w, i, 1, part, b);
    for (int lane = 0; lane < kLanes; ++lane) {
      Half& a = parts[part][lane];
      a = m.Finish(f(m, m.Prepare(a), m.Prepare(b[lane])));
    }
  }
  WriteParts(w, i, parts);
}

}  // namespace

void exec_V_PK_MAD_I16(Wave& w, const Instruction& i) {
  MapPacked<int16_t>(w, i, 3, [](int32_t a, int32_t b, int32_t c, bool clamp) {
    return SaturateI16(a * b + c, clamp);
  });
}
void exec_V_PK_ADD_I16(Wave& w, const Instruction& i) {
  MapPacked<int16_t>(
      w, i, 2, [](int32_t a, int32_t b, int32_t, bool clamp) { return SaturateI16(a + b, clamp); });
}
void exec_V_PK_SUB_I16(Wave& w, const Instruction& i) {
  MapPacked<int16_t>(
      w, i, 2, [](int32_t a, int32_t b, int32_t, bool clamp) { return SaturateI16(a - b, clamp); });
}
void exec_V_PK_MAX_I16(Wave& w, const Instruction& i) {
  MapPacked<int16_t>(w, i, 2, [](int32_t a, int32_t b, int32_t, bool) { return a > b ? a : b; });
}
void exec_V_PK_MIN_I16(Wave& w, const Instruction& i) {
  MapPacked<int16_t>(w, i, 2, [](int32_t a, int32_t b, int32_t, bool) { return a < b ? a : b; });
}

void exec_V_PK_MAD_U16(Wave& w, const Instruction& i) {
  // At most 65535 * 65535 + 65535, which just fits.
  MapPacked<uint16_t>(w, i, 3, [](uint32_t a, uint32_t b, uint32_t c, bool clamp) {
    const uint32_t sum = a * b + c;
    return clamp && sum > 0xFFFF ? 0xFFFF : sum;
  });
}
void exec_V_PK_ADD_U16(Wave& w, const Instruction& i) {
  MapPacked<uint16_t>(w, i, 2, [](uint32_t a, uint32_t b, uint32_t, bool clamp) {
    return clamp && a + b > 0xFFFF ? 0xFFFF : a + b;
  });
}
void exec_V_PK_SUB_U16(Wave& w, const Instruction& i) {
  MapPacked<uint16_t>(w, i, 2, [](uint32_t a, uint32_t b, uint32_t, bool clamp) {
    return clamp && a < b ? 0 : a - b;
  });
}
void exec_V_PK_MUL_LO_U16(Wave& w, const Instruction& i) {
  MapPacked<uint16_t>(w, i, 2, [](uint32_t a, uint32_t b, uint32_t, bool) { return a * b; });
}
void exec_V_PK_MAX_U16(Wave& w, const Instruction& i) {
  MapPacked<uint16_t>(w, i, 2,
                      [](uint32_t a, uint32_t b, uint32_t, bool) { return a > b ? a : b; });
}
void exec_V_PK_MIN_U16(Wave& w, const Instruction& i) {
  MapPacked<uint16_t>(w, i, 2,
                      [](uint32_t a, uint32_t b, uint32_t, bool) { return a < b ? a : b; });
}

// The shifted value is src1.
void exec_V_PK_LSHLREV_B16(Wave& w, const Instruction& i) {
  MapPacked<uint16_t>(w, i, 2,
                      [](uint32_t a, uint32_t b, uint32_t, bool) { return b << (a & 15); });
}
void exec_V_PK_LSHRREV_B16(Wave& w, const Instruction& i) {
  MapPacked<uint16_t>(w, i, 2,
                      [](uint32_t a, uint32_t b, uint32_t, bool) { return b >> (a & 15); });
}
void exec_V_PK_ASHRREV_I16(Wave& w, const Instruction& i) {
  MapPacked<int16_t>(w, i, 2, [](int32_t a, int32_t b, int32_t, bool) { return b >> (a & 15); });
}

void exec_V_PK_ADD_F16(Wave& w, const Instruction& i) {
  MapPackedFloat(w, i, 2, [](float a, float b) { return FirstNan(a, b, a + b); });
}
void exec_V_PK_MUL_F16(Wave& w, const Instruction& i) {
  MapPackedFloat(w, i, 2, [](float a, float b) { return FirstNan(a, b, a * b); });
}
void exec_V_PK_FMA_F16(Wave& w, const Instruction& i) {
  MapPackedFloat(w, i, 3, FusedHalf{Round64(w) == Round::kNearest});
}
void exec_V_PK_FMAC_F16(Wave& w, const Instruction& i) { exec_V_PK_FMA_F16(w, i); }
void exec_V_PK_MIN_F16(Wave& w, const Instruction& i) {
  MapPackedMinMax(w, i, [](auto& m, Half a, Half b) { return m.Min(a, b); });
}
void exec_V_PK_MAX_F16(Wave& w, const Instruction& i) {
  MapPackedMinMax(w, i, [](auto& m, Half a, Half b) { return m.Max(a, b); });
}

}  // namespace gcnjit::runtime
