// Vector operands: how each encoding reads sources and writes results (lanes.h).
//
// Sources: Vega ISA manual, "Vector ALU Operations" (SDWA, DPP, output modifiers, VGPR indexing),
// as passed on by CLRX GcnSdwaDpp.md and GcnInstrsVop2.md.
#include "runtime/interpreter/lanes.h"

#include <immintrin.h>

#include <bit>
#include <cstring>
#include <type_traits>

#include "runtime/interpreter/half.h"
#include "runtime/interpreter/signalling_nans.h"

namespace gcnjit::runtime {
namespace {

using frontend::Dpp;
using frontend::Encoding;
using frontend::IsGfx9;
using frontend::Sdwa;
using frontend::SdwaSelect;
using frontend::SdwaUnused;

template <typename T>
constexpr bool kIsFloatElement =
    std::is_same_v<T, float> || std::is_same_v<T, double> || std::is_same_v<T, Half>;

template <int kBytes>
struct UnsignedOf;
template <>
struct UnsignedOf<2> {
  using Type = uint16_t;
};
template <>
struct UnsignedOf<4> {
  using Type = uint32_t;
};
template <>
struct UnsignedOf<8> {
  using Type = uint64_t;
};
template <typename T>
using Bits = typename UnsignedOf<sizeof(T)>::Type;

template <typename T>
constexpr Bits<T> kSignBit = static_cast<Bits<T>>(Bits<T>{1} << (8 * sizeof(T) - 1));

uint32_t IndexOrFault(Wave& w, const Operand& operand, int n, uint32_t registers) {
  uint32_t index = operand.index;
  const uint32_t m0 = w.state.m0();
  if ((w.state.mode & kModeGprIdxEn) != 0 && ((m0 >> (12 + n)) & 1) != 0) [[unlikely]] {
    index += m0 & 0xFF;
  }
  if (index + registers > w.state.vgpr_count) [[unlikely]] {
    w.RaiseFault(FaultKind::kIllegalRegister, -1, 0, 0,
                 "VGPR " + std::to_string(index + registers - 1) + " of " +
                     std::to_string(w.state.vgpr_count));
    return 0;
  }
  return index;
}

template <typename T>
uint32_t IndexFor(Wave& w, const Operand& operand, int n) {
  return IndexOrFault(w, operand, n, sizeof(T) == 8 ? 2 : 1);
}

// ---- Sources

uint32_t SelectSubDword(uint32_t value, SdwaSelect select, bool sign_extend) {
  if (select == SdwaSelect::kDword) return value;
  const bool is_word = select >= SdwaSelect::kWord0;
  const int bits = is_word ? 16 : 8;
  const int position = is_word ? static_cast<int>(select) - static_cast<int>(SdwaSelect::kWord0)
                               : static_cast<int>(select);
  const uint32_t field = (value >> (position * bits)) << (32 - bits);
  return sign_extend ? static_cast<uint32_t>(static_cast<int32_t>(field) >> (32 - bits))
                     : field >> (32 - bits);
}

constexpr int kNoLane = -1;

// The lane that `lane` reads under a DPP_CTRL; kNoLane where there is none, -2 for a reserved code.
int DppSourceLane(uint32_t ctrl, int lane) {
  const int row = lane & ~15;
  const int in_row = lane & 15;
  const int count = static_cast<int>(ctrl & 15);
  if (ctrl <= 0xFF) return (lane & ~3) + static_cast<int>((ctrl >> (2 * (lane & 3))) & 3);
  if (ctrl >= 0x101 && ctrl <= 0x10F) return in_row + count <= 15 ? lane + count : kNoLane;
  if (ctrl >= 0x111 && ctrl <= 0x11F) return in_row >= count ? lane - count : kNoLane;
  if (ctrl >= 0x121 && ctrl <= 0x12F) return row + ((in_row - count) & 15);
  if (ctrl >= 0x150 && ctrl <= 0x15F) return row + count;  // row_newbcast
  switch (ctrl) {
    case 0x130: return lane < 63 ? lane + 1 : kNoLane;  // wave_shl
    case 0x134: return (lane + 1) & 63;                 // wave_rol
    case 0x138: return lane - 1;                        // wave_shr: lane 0 has none
    case 0x13C: return (lane - 1) & 63;                 // wave_ror
    case 0x140: return row + 15 - in_row;               // row_mirror
    case 0x141:
      return lane ^ 7;  // row_half_mirror
    // row_bcast has no source for the lanes before the first that receives (gem5 inst_util.hh;
    // Mesa's ACO counts it among the controls that BOUND_CTRL acts on).
    case 0x142: return lane > 15 ? row - 1 : kNoLane;
    case 0x143: return lane > 31 ? 31 : kNoLane;
    default: return -2;
  }
}

// Permutes `from` and sets the lanes that may be written. A lane that EXEC masks out is as invalid
// a source as one beyond the row.
void PermuteDpp(Wave& w, const Dpp& dpp, const uint32_t* from, uint32_t (&to)[kLanes]) {
  const uint64_t exec = w.exec();
  uint64_t write = 0;
  for (int lane = 0; lane < kLanes; ++lane) {
    const int source = DppSourceLane(dpp.ctrl, lane);
    if (source < kNoLane) {
      w.RaiseUnsupported("reserved DPP control " + std::to_string(dpp.ctrl));
      return;
    }
    const bool valid = source != kNoLane && ((exec >> source) & 1) != 0;
    to[lane] = valid ? from[source] : 0;
    const bool enabled =
        ((dpp.row_mask >> (lane >> 4)) & 1) != 0 && ((dpp.bank_mask >> ((lane >> 2) & 3)) & 1) != 0;
    if (enabled && (valid || dpp.bound_ctrl)) write |= uint64_t{1} << lane;
  }
  w.dpp_write_mask = write;
}

template <typename T>
void ApplyNegAbs(const Instruction& i, int n, T (&buffer)[kLanes]) {
  const bool abs = ((i.abs >> n) & 1) != 0;
  const bool neg = ((i.neg >> n) & 1) != 0;
  if (!abs && !neg) return;
  const Bits<T> keep = abs ? static_cast<Bits<T>>(~kSignBit<T>) : static_cast<Bits<T>>(~Bits<T>{0});
  const Bits<T> flip = neg ? kSignBit<T> : Bits<T>{0};
  for (T& element : buffer) {
    element =
        std::bit_cast<T>(static_cast<Bits<T>>((std::bit_cast<Bits<T>>(element) & keep) ^ flip));
  }
}

// 16-bit types of VOP3 take the half that op_sel names (gfx9); the bit is 0 elsewhere.
int HalfShift(const Instruction& i, int n) {
  return i.encoding == Encoding::kVop3a && ((i.op_sel >> n) & 1) != 0 ? 16 : 0;
}

template <typename T>
void Broadcast(Wave& w, const Instruction& i, int n, T (&buffer)[kLanes]) {
  const Operand& operand = i.src[n];
  Bits<T> value;
  if constexpr (sizeof(T) == 8) {
    value = ReadScalar64(w, operand);
  } else {
    uint32_t dword = ReadScalar32(w, operand);
    if (i.encoding == Encoding::kSdwa) {
      dword = SelectSubDword(dword, i.sdwa.src_sel[n], ((i.sdwa.sext >> n) & 1) != 0);
    }
    if constexpr (sizeof(T) == 2) dword >>= HalfShift(i, n);
    value = static_cast<Bits<T>>(dword);
  }
  for (T& element : buffer) element = std::bit_cast<T>(value);
}

// `dwords` as lanes of T.
template <typename T>
void Narrow(const Instruction& i, int n, const uint32_t* dwords, T (&buffer)[kLanes]) {
  const int shift = sizeof(T) == 2 ? HalfShift(i, n) : 0;
  for (int lane = 0; lane < kLanes; ++lane) {
    buffer[lane] = std::bit_cast<T>(static_cast<Bits<T>>(dwords[lane] >> shift));
  }
}

template <typename T>
void Gather(Wave& w, const Instruction& i, int n, T (&buffer)[kLanes]) {
  const uint32_t(*registers)[kLanes] = &w.state.vgpr[IndexFor<T>(w, i.src[n], n)];
  if constexpr (sizeof(T) == 8) {
    alignas(64) uint32_t permuted[2][kLanes] = {};
    if (i.encoding == Encoding::kDpp && n == 0) {
      PermuteDpp(w, i.dpp, registers[0], permuted[0]);
      PermuteDpp(w, i.dpp, registers[1], permuted[1]);
      registers = permuted;
    }
    for (int lane = 0; lane < kLanes; ++lane) {
      buffer[lane] =
          std::bit_cast<T>(registers[0][lane] | static_cast<uint64_t>(registers[1][lane]) << 32);
    }
  } else if (i.encoding == Encoding::kSdwa && n < 2) {
    alignas(64) uint32_t selected[kLanes];
    const bool sign_extend = ((i.sdwa.sext >> n) & 1) != 0;
    for (int lane = 0; lane < kLanes; ++lane) {
      selected[lane] = SelectSubDword(registers[0][lane], i.sdwa.src_sel[n], sign_extend);
    }
    Narrow(i, n, selected, buffer);
  } else if (i.encoding == Encoding::kDpp && n == 0) {
    alignas(64) uint32_t permuted[kLanes] = {};
    PermuteDpp(w, i.dpp, registers[0], permuted);
    Narrow(i, n, permuted, buffer);
  } else {
    Narrow(i, n, registers[0], buffer);
  }
}

// ---- Results

// to[lane] = from[lane] where the mask has a bit.
void StoreMasked(uint32_t* to, const uint32_t* from, uint64_t mask) {
  if (mask == ~uint64_t{0}) {
    std::memcpy(to, from, kLanes * sizeof(uint32_t));
    return;
  }
  const __m256i bits = _mm256_setr_epi32(1, 2, 4, 8, 16, 32, 64, 128);
  for (int group = 0; group < kLanes / 8; ++group) {
    const __m256i mask8 = _mm256_set1_epi32(static_cast<int>((mask >> (8 * group)) & 0xFF));
    const __m256i select = _mm256_cmpeq_epi32(_mm256_and_si256(mask8, bits), bits);
    __m256i* at = reinterpret_cast<__m256i*>(to) + group;
    const __m256i value = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from) + group);
    _mm256_storeu_si256(at, _mm256_blendv_epi8(_mm256_loadu_si256(at), value, select));
  }
}

// The dword that SDWA leaves in the register: `result` placed at dst_sel, the rest by dst_unused.
uint32_t PlaceSubDword(uint32_t result, uint32_t old, const Sdwa& sdwa) {
  if (sdwa.dst_sel == SdwaSelect::kDword) return result;
  const bool is_word = sdwa.dst_sel >= SdwaSelect::kWord0;
  const int bits = is_word ? 16 : 8;
  const int shift =
      bits * (is_word ? static_cast<int>(sdwa.dst_sel) - static_cast<int>(SdwaSelect::kWord0)
                      : static_cast<int>(sdwa.dst_sel));
  const uint32_t field = is_word ? 0xFFFFu : 0xFFu;
  switch (sdwa.dst_unused) {
    case SdwaUnused::kPad: return (result & field) << shift;
    case SdwaUnused::kSext: {
      const int32_t top = static_cast<int32_t>(result << (32 - bits));
      return static_cast<uint32_t>(top >> (32 - bits)) << shift;
    }
    case SdwaUnused::kPreserve: break;
  }
  return ((result & field) << shift) | (old & ~(field << shift));
}

float Scale(float value, float factor) { return value * factor; }
double Scale(double value, float factor) { return value * static_cast<double>(factor); }

template <typename T>
constexpr Bits<T> kInfinity = sizeof(T) == 2   ? static_cast<Bits<T>>(0x7C00)
                              : sizeof(T) == 4 ? static_cast<Bits<T>>(0x7F800000)
                                               : static_cast<Bits<T>>(0x7FF0000000000000);
template <typename T>
constexpr Bits<T> kOne = sizeof(T) == 2   ? static_cast<Bits<T>>(0x3C00)
                         : sizeof(T) == 4 ? static_cast<Bits<T>>(0x3F800000)
                                          : static_cast<Bits<T>>(0x3FF0000000000000);

template <typename T>
constexpr Bits<T> kLeastNormal = sizeof(T) == 2   ? static_cast<Bits<T>>(0x400)
                                 : sizeof(T) == 4 ? static_cast<Bits<T>>(0x800000)
                                                  : static_cast<Bits<T>>(uint64_t{1} << 52);

template <typename T>
void Multiply(Wave& w, float factor, T (&values)[kLanes]) {
  if constexpr (std::is_same_v<T, Half>) {
    alignas(64) float wide[kLanes];
    Widen(values, wide, false);
    for (float& value : wide) value *= factor;  // exact
    Narrow(wide, values, HalfRoundingOf(w));
  } else {
    w.UseFloatClass(sizeof(T) == 4 ? FloatClass::kF32 : FloatClass::kF64F16);
    for (T& value : values) value = Scale(value, factor);
  }
}

// OMOD is not IEEE: it is ignored where MODE asks for IEEE or for output denormals, and it turns -0
// and denormals into +0; NaNs stay. What it makes denormal is a zero of its sign (AMD's rocjitsu,
// output_modifier.h, measured on gfx10 to gfx12; the CDNA manual, 6.2.2, has both sentences and not
// their order).
template <typename T>
void ApplyOmod(Wave& w, int omod, T (&values)[kLanes]) {
  constexpr int kDenormShift = sizeof(T) == 4 ? kModeDenorm32Shift : kModeDenorm64Shift;
  constexpr uint32_t kIgnored = kModeIeee | 2u << kDenormShift;
  if ((w.state.mode & kIgnored) != 0) return;
  alignas(64) T unscaled[kLanes];
  std::memcpy(unscaled, values, sizeof unscaled);
  Multiply(w, omod == 1 ? 2.0f : omod == 2 ? 4.0f : 0.5f, values);
  for (int lane = 0; lane < kLanes; ++lane) {
    const auto size = static_cast<Bits<T>>(std::bit_cast<Bits<T>>(unscaled[lane]) & ~kSignBit<T>);
    if (size < kLeastNormal<T>) values[lane] = T{};
    if (size > kInfinity<T>) values[lane] = unscaled[lane];
  }
}

// To [0, 1]; NaN becomes 0 under DX10_CLAMP and stays otherwise.
template <typename T>
void ApplyClamp(const Wave& w, T (&values)[kLanes]) {
  const bool nan_to_zero = (w.state.mode & kModeDx10Clamp) != 0;
  for (T& value : values) {
    const auto bits = std::bit_cast<Bits<T>>(value);
    const bool is_nan = static_cast<Bits<T>>(bits & ~kSignBit<T>) > kInfinity<T>;
    Bits<T> clamped = bits < kOne<T> ? bits : kOne<T>;
    clamped = (bits & kSignBit<T>) != 0 ? Bits<T>{0} : clamped;
    clamped = is_nan ? (nan_to_zero ? Bits<T>{0} : bits) : clamped;
    value = std::bit_cast<T>(clamped);
  }
}

template <typename T>
void WriteSdwa(const Instruction& i, uint32_t* reg, const T (&values)[kLanes], uint64_t mask) {
  alignas(64) uint32_t placed[kLanes];
  for (int lane = 0; lane < kLanes; ++lane) {
    placed[lane] = PlaceSubDword(std::bit_cast<Bits<T>>(values[lane]), reg[lane], i.sdwa);
  }
  StoreMasked(reg, placed, mask);
}

// op_sel[3] (gfx9) writes the upper half and keeps the lower one.
void WriteHalves(const Instruction& i, uint32_t* reg, const uint16_t* values, uint64_t mask,
                 bool keep_other_half) {
  const bool to_high = i.encoding == Encoding::kVop3a && (i.op_sel & 8) != 0;
  const int shift = to_high ? 16 : 0;
  const uint32_t keep = to_high || keep_other_half ? ~(0xFFFFu << shift) : 0;
  alignas(64) uint32_t dwords[kLanes];
  for (int lane = 0; lane < kLanes; ++lane) {
    dwords[lane] = (reg[lane] & keep) | static_cast<uint32_t>(values[lane]) << shift;
  }
  StoreMasked(reg, dwords, mask);
}

void WritePairs(uint32_t (*registers)[kLanes], const uint64_t* values, uint64_t mask) {
  alignas(64) uint32_t low[kLanes];
  alignas(64) uint32_t high[kLanes];
  for (int lane = 0; lane < kLanes; ++lane) {
    low[lane] = static_cast<uint32_t>(values[lane]);
    high[lane] = static_cast<uint32_t>(values[lane] >> 32);
  }
  StoreMasked(registers[0], low, mask);
  StoreMasked(registers[1], high, mask);
}

}  // namespace

uint32_t VgprIndex(Wave& w, const Operand& operand, int n) {
  const int registers = frontend::RegistersOf(operand.type);
  return IndexOrFault(w, operand, n, static_cast<uint32_t>(registers > 0 ? registers : 1));
}

template <typename T>
const T* ReadModifiedLanes(Wave& w, const Instruction& i, int n, T (&buffer)[kLanes]) {
  if (i.src[n].kind == OperandKind::kVector) {
    Gather(w, i, n, buffer);
  } else {
    Broadcast(w, i, n, buffer);
  }
  // VOP3P's bits are for halves: its functions see to those of dwords.
  const bool has_sign = kIsFloatElement<T> || (sizeof(T) >= 4 && i.encoding != Encoding::kVop3p);
  if (has_sign) ApplyNegAbs(i, n, buffer);
  return buffer;
}

template <typename T>
void WriteLanes(Wave& w, const Instruction& i, T (&values)[kLanes], bool keep_other_half) {
  if constexpr (kIsFloatElement<T>) {
    if (w.nan_operands != nullptr) [[unlikely]]
      KeepSignallingNans(*w.nan_operands, values);
    if (i.omod != 0) [[unlikely]]
      ApplyOmod(w, i.omod, values);
    if (i.clamp) [[unlikely]]
      ApplyClamp(w, values);
  }
  uint32_t(*registers)[kLanes] = &w.state.vgpr[IndexFor<T>(w, i.dst, 3)];
  if (w.event == WaveEvent::kFault) [[unlikely]]
    return;
  const uint64_t mask = WriteMask(w, i);
  if constexpr (sizeof(T) == 8) {
    WritePairs(registers, reinterpret_cast<const uint64_t*>(values), mask);
  } else {
    if (i.encoding == Encoding::kSdwa) {
      WriteSdwa(i, registers[0], values, mask);
    } else if constexpr (sizeof(T) == 2) {
      WriteHalves(i, registers[0], reinterpret_cast<const uint16_t*>(values), mask,
                  keep_other_half);
    } else {
      StoreMasked(registers[0], reinterpret_cast<const uint32_t*>(values), mask);
    }
  }
}

#define LANES_OF(T)                                                                     \
  template const T* ReadModifiedLanes<T>(Wave&, const Instruction&, int, T(&)[kLanes]); \
  template void WriteLanes<T>(Wave&, const Instruction&, T(&)[kLanes], bool);
LANES_OF(uint32_t)
LANES_OF(int32_t)
LANES_OF(float)
LANES_OF(uint64_t)
LANES_OF(int64_t)
LANES_OF(double)
LANES_OF(uint16_t)
LANES_OF(int16_t)
LANES_OF(Half)
#undef LANES_OF

}  // namespace gcnjit::runtime
