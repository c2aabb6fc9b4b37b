// Reading and writing vector operands: 64 lanes at a time, with everything an encoding can say
// about them (neg/abs, OMOD, clamp, op_sel, SDWA, DPP, VGPR indexing), so that an exec_* function
// is just the arithmetic of one lane.
//
// Element types: uint32_t, int32_t, float; uint64_t, int64_t, double (register pairs);
// uint16_t, int16_t, Half (one half of a register, see ReadLanes).
#pragma once

#include <immintrin.h>

#include <cstdint>
#include <type_traits>

#include "runtime/interpreter/scalar_operands.h"
#include "runtime/interpreter/wave.h"

namespace gcnjit::runtime {

// An IEEE binary16 value as bits.
struct Half {
  uint16_t bits;
};

// VGPR number of vector operand `n` (0..2: sources, 3: dst) with MODE.gpr_idx_en applied (gfx8-9);
// out-of-range raises kIllegalRegister and gives v0.
uint32_t VgprIndex(Wave& w, const Operand& operand, int n);

// ReadLanes for everything but plain 32-bit registers.
template <typename T>
const T* ReadModifiedLanes(Wave& w, const Instruction& i, int n, T (&buffer)[kLanes]);

// Whether the encoding is one in which an operand is a whole register as it is.
inline bool IsPlainEncoding(const Wave& w, const Instruction& i) {
  return i.encoding != frontend::Encoding::kSdwa && i.encoding != frontend::Encoding::kDpp &&
         (w.state.mode & kModeGprIdxEn) == 0;
}

// The 64 values of src[n] as T: constants and scalars broadcast; SDWA select and sign extension,
// DPP permutation, op_sel (16-bit types in VOP3 on gfx9), then abs and neg, which change the sign
// bit of whatever is read (of 16-bit types only halves have them). Returns
// a pointer either straight into the register file or to `buffer`, filled. Under DPP, src[0] also
// sets w.dpp_write_mask.
template <typename T>
inline const T* ReadLanes(Wave& w, const Instruction& i, int n, T (&buffer)[kLanes]) {
  if constexpr (sizeof(T) == 4) {
    const Operand& operand = i.src[n];
    const bool has_sign = std::is_same_v<T, float> || i.encoding != frontend::Encoding::kVop3p;
    const bool modified = has_sign && ((i.neg | i.abs) >> n & 1) != 0;
    if (operand.kind == OperandKind::kVector && IsPlainEncoding(w, i) && !modified &&
        operand.index < w.state.vgpr_count) [[likely]] {
      return reinterpret_cast<const T*>(w.state.vgpr[operand.index]);
    }
  }
  return ReadModifiedLanes<T>(w, i, n, buffer);
}

// Lanes that a vector instruction writes: EXEC, less those that DPP masks out.
inline uint64_t WriteMask(const Wave& w, const Instruction& i) {
  return i.encoding == frontend::Encoding::kDpp ? w.exec() & w.dpp_write_mask : w.exec();
}

// Stores to dst under the write mask. Float types first get OMOD and clamp (integer clamp is the
// exec_* function's business: it needs the wide result, see ClampsInteger). 16-bit types zero the
// upper half of the register unless `keep_other_half` (gfx9 rows with op_sel); op_sel[3] writes the
// upper half and keeps the lower one. SDWA applies dst_sel and dst_unused.
template <typename T>
void WriteLanes(Wave& w, const Instruction& i, T (&values)[kLanes], bool keep_other_half = false);

// Where a lane loop may put its results: the destination register itself if all lanes are written
// as they are, else `buffer`. FinishLanes then stores what is in `buffer`. Lanes must be computed
// each from its own operands: the destination may be one of them.
template <typename T>
inline T* ResultLanes(Wave& w, const Instruction& i, T (&buffer)[kLanes]) {
  if constexpr (sizeof(T) == 4) {
    const bool modified =
        std::is_same_v<T, float> && (i.clamp || i.omod != 0 || w.nan_operands != nullptr);
    if (w.exec() == ~uint64_t{0} && IsPlainEncoding(w, i) && !modified &&
        i.dst.index < w.state.vgpr_count) [[likely]] {
      return reinterpret_cast<T*>(w.state.vgpr[i.dst.index]);
    }
  }
  return buffer;
}
template <typename T>
inline void FinishLanes(Wave& w, const Instruction& i, const T* result, T (&buffer)[kLanes]) {
  if (result == buffer) WriteLanes<T>(w, i, buffer);
}

// Whether an integer result saturates instead of wrapping (VOP3 and SDWA, from gfx8 on).
inline bool ClampsInteger(const Wave& w, const Instruction& i) {
  return i.clamp && frontend::IsGfx8Plus(w.generation());
}

// The destination as a further source (READS_DST) of a 32-bit type.
template <typename T>
inline const T* DstLanes(Wave& w, const Instruction& i) {
  static_assert(sizeof(T) == 4);
  return reinterpret_cast<const T*>(w.state.vgpr[VgprIndex(w, i.dst, 3)]);
}

// Lane masks: VCC or an SGPR pair. Written bits of inactive lanes must already be 0.
inline uint64_t ReadLaneMask(Wave& w, const Operand& operand) { return ReadScalar64(w, operand); }
inline void WriteLaneMask(Wave& w, const Operand& operand, uint64_t mask) {
  WriteScalar64(w, operand, mask);
}

// dst[lane] = f(src0[lane], ...) for all lanes (f is pure; inactive lanes are computed and
// dropped).
template <typename D, typename A, typename F>
inline void MapLanes1(Wave& w, const Instruction& i, F f) {
  alignas(64) A a_buffer[kLanes];
  alignas(64) D d_buffer[kLanes];
  const A* a = ReadLanes<A>(w, i, 0, a_buffer);
  D* result = ResultLanes<D>(w, i, d_buffer);
#pragma GCC ivdep
  for (int lane = 0; lane < kLanes; ++lane) result[lane] = f(a[lane]);
  FinishLanes<D>(w, i, result, d_buffer);
}

template <typename D, typename A, typename B, typename F>
inline void MapLanes2(Wave& w, const Instruction& i, F f) {
  alignas(64) A a_buffer[kLanes];
  alignas(64) B b_buffer[kLanes];
  alignas(64) D d_buffer[kLanes];
  const A* a = ReadLanes<A>(w, i, 0, a_buffer);
  const B* b = ReadLanes<B>(w, i, 1, b_buffer);
  D* result = ResultLanes<D>(w, i, d_buffer);
#pragma GCC ivdep
  for (int lane = 0; lane < kLanes; ++lane) result[lane] = f(a[lane], b[lane]);
  FinishLanes<D>(w, i, result, d_buffer);
}

template <typename D, typename A, typename B, typename C, typename F>
inline void MapLanes3(Wave& w, const Instruction& i, F f) {
  alignas(64) A a_buffer[kLanes];
  alignas(64) B b_buffer[kLanes];
  alignas(64) C c_buffer[kLanes];
  alignas(64) D d_buffer[kLanes];
  const A* a = ReadLanes<A>(w, i, 0, a_buffer);
  const B* b = ReadLanes<B>(w, i, 1, b_buffer);
  const C* c = ReadLanes<C>(w, i, 2, c_buffer);
  D* result = ResultLanes<D>(w, i, d_buffer);
#pragma GCC ivdep
  for (int lane = 0; lane < kLanes; ++lane) result[lane] = f(a[lane], b[lane], c[lane]);
  FinishLanes<D>(w, i, result, d_buffer);
}

// Bit n is set where bytes[n] is 0xFF (and clear where it is 0).
inline uint64_t MaskOfBytes(const uint8_t (&bytes)[kLanes]) {
  const __m256i* halves = reinterpret_cast<const __m256i*>(bytes);
  const auto low = static_cast<uint32_t>(_mm256_movemask_epi8(_mm256_loadu_si256(halves)));
  const auto high = static_cast<uint32_t>(_mm256_movemask_epi8(_mm256_loadu_si256(halves + 1)));
  return low | static_cast<uint64_t>(high) << 32;
}

// Bit n is set where lanes[n] has its highest bit set.
inline uint64_t MaskOfLanes(const uint32_t (&lanes)[kLanes]) {
  uint64_t mask = 0;
  for (int group = 0; group < kLanes / 8; ++group) {
    const __m256 eight = _mm256_loadu_ps(reinterpret_cast<const float*>(lanes) + 8 * group);
    mask |= static_cast<uint64_t>(static_cast<uint32_t>(_mm256_movemask_ps(eight))) << (8 * group);
  }
  return mask;
}

// Bit n of the mask as lanes[n]: all ones or 0.
inline void LanesOfMask(uint64_t mask, uint32_t (&lanes)[kLanes]) {
  const __m256i bits = _mm256_setr_epi32(1, 2, 4, 8, 16, 32, 64, 128);
  for (int group = 0; group < kLanes / 8; ++group) {
    const __m256i mask8 = _mm256_set1_epi32(static_cast<int>((mask >> (8 * group)) & 0xFF));
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(lanes) + group,
                        _mm256_cmpeq_epi32(_mm256_and_si256(mask8, bits), bits));
  }
}

// The lanes for which f(src0, src1) holds, as a mask of active lanes.
template <typename A, typename B, typename F>
inline uint64_t CompareLanes(Wave& w, const Instruction& i, F f) {
  alignas(64) A a_buffer[kLanes];
  alignas(64) B b_buffer[kLanes];
  alignas(64) uint8_t holds[kLanes];
  const A* a = ReadLanes<A>(w, i, 0, a_buffer);
  const B* b = ReadLanes<B>(w, i, 1, b_buffer);
#pragma GCC ivdep
  for (int lane = 0; lane < kLanes; ++lane) holds[lane] = f(a[lane], b[lane]) ? 0xFF : 0;
  return MaskOfBytes(holds) & w.exec();
}

}  // namespace gcnjit::runtime
