// SOP2: scalar instructions with two sources. Sources: CLRX GcnInstrsSop2; Vega manual.
#include <bit>
#include <limits>

#include "runtime/interpreter/scalar_exec.h"

namespace gcnjit::runtime {
namespace {

// dst = f(src0, src1), SCC = dst != 0.
template <typename F>
void Logic32(Wave& w, const Instruction& i, F f) {
  WriteNonZero32(w, i, f(Source32(w, i, 0), Source32(w, i, 1)));
}
template <typename F>
void Logic64(Wave& w, const Instruction& i, F f) {
  WriteNonZero64(w, i, f(Source64(w, i, 0), Source64(w, i, 1)));
}
// 64-bit value, 32-bit shift count or field descriptor.
template <typename F>
void Shift64(Wave& w, const Instruction& i, F f) {
  WriteNonZero64(w, i, f(Source64(w, i, 0), Source32(w, i, 1)));
}

// dst = low half of a 33-bit sum, SCC = its carry.
void WriteSum(Wave& w, const Instruction& i, uint64_t sum) {
  WriteScalar32(w, i.dst, static_cast<uint32_t>(sum));
  SetScc(w, sum > 0xFFFFFFFF);
}

// dst = the value modulo 2^32, SCC = signed overflow.
void WriteSigned(Wave& w, const Instruction& i, int64_t value) {
  WriteScalar32(w, i.dst, static_cast<uint32_t>(value));
  SetScc(w, value != static_cast<int32_t>(value));
}

// dst = src0 if `first` (SCC = 1), else src1.
void Choose(Wave& w, const Instruction& i, bool first) {
  const uint32_t value = Source32(w, i, first ? 0 : 1);
  WriteScalar32(w, i.dst, value);
  SetScc(w, first);
}

// A bit field as s_bfe_* describe it: offset in S1[4:0] (S1[5:0] for 64 bits), width in S1[22:16].
// A field that reaches past the top ends there.
template <typename T>
T ExtractField(T value, uint32_t descriptor) {
  constexpr uint32_t kBits = std::numeric_limits<std::make_unsigned_t<T>>::digits;
  const uint32_t offset = descriptor & (kBits - 1);
  const uint32_t width = descriptor >> 16 & 0x7F;
  if (width == 0) return 0;
  if (offset + width >= kBits) return static_cast<T>(value >> offset);
  const auto raised = static_cast<std::make_unsigned_t<T>>(value) << (kBits - offset - width);
  return static_cast<T>(static_cast<T>(raised) >> (kBits - width));
}

// SCC is the carry out of the 64-bit sum: bits shifted out at the top count.
void ShiftAdd(Wave& w, const Instruction& i, int shift) {
  const uint64_t sum = (uint64_t{Source32(w, i, 0)} << shift) + Source32(w, i, 1);
  WriteSum(w, i, sum);
}

}  // namespace

void exec_S_ADD_U32(Wave& w, const Instruction& i) {
  const uint64_t sum = uint64_t{Source32(w, i, 0)} + Source32(w, i, 1);
  WriteSum(w, i, sum);
}

void exec_S_SUB_U32(Wave& w, const Instruction& i) {
  const uint32_t a = Source32(w, i, 0);
  const uint32_t b = Source32(w, i, 1);
  WriteScalar32(w, i.dst, a - b);
  SetScc(w, b > a);
}

void exec_S_ADD_I32(Wave& w, const Instruction& i) {
  WriteSigned(w, i, int64_t{SignedSource32(w, i, 0)} + SignedSource32(w, i, 1));
}

void exec_S_SUB_I32(Wave& w, const Instruction& i) {
  WriteSigned(w, i, int64_t{SignedSource32(w, i, 0)} - SignedSource32(w, i, 1));
}

void exec_S_ADDC_U32(Wave& w, const Instruction& i) {
  const uint64_t sum = uint64_t{Source32(w, i, 0)} + Source32(w, i, 1) + w.state.scc;
  WriteSum(w, i, sum);
}

void exec_S_SUBB_U32(Wave& w, const Instruction& i) {
  const uint64_t a = Source32(w, i, 0);
  const uint64_t b = uint64_t{Source32(w, i, 1)} + w.state.scc;
  WriteScalar32(w, i.dst, static_cast<uint32_t>(a - b));
  SetScc(w, b > a);
}

// The comparisons are strict: equal operands give SCC = 0.
void exec_S_MIN_I32(Wave& w, const Instruction& i) {
  Choose(w, i, SignedSource32(w, i, 0) < SignedSource32(w, i, 1));
}
void exec_S_MIN_U32(Wave& w, const Instruction& i) {
  Choose(w, i, Source32(w, i, 0) < Source32(w, i, 1));
}
void exec_S_MAX_I32(Wave& w, const Instruction& i) {
  Choose(w, i, SignedSource32(w, i, 0) > SignedSource32(w, i, 1));
}
void exec_S_MAX_U32(Wave& w, const Instruction& i) {
  Choose(w, i, Source32(w, i, 0) > Source32(w, i, 1));
}

void exec_S_CSELECT_B32(Wave& w, const Instruction& i) {
  WriteScalar32(w, i.dst, Source32(w, i, w.state.scc != 0 ? 0 : 1));
}
void exec_S_CSELECT_B64(Wave& w, const Instruction& i) {
  WriteScalar64(w, i.dst, Source64(w, i, w.state.scc != 0 ? 0 : 1));
}

void exec_S_AND_B32(Wave& w, const Instruction& i) {
  Logic32(w, i, [](uint32_t a, uint32_t b) { return a & b; });
}
void exec_S_AND_B64(Wave& w, const Instruction& i) {
  Logic64(w, i, [](uint64_t a, uint64_t b) { return a & b; });
}
void exec_S_OR_B32(Wave& w, const Instruction& i) {
  Logic32(w, i, [](uint32_t a, uint32_t b) { return a | b; });
}
void exec_S_OR_B64(Wave& w, const Instruction& i) {
  Logic64(w, i, [](uint64_t a, uint64_t b) { return a | b; });
}
void exec_S_XOR_B32(Wave& w, const Instruction& i) {
  Logic32(w, i, [](uint32_t a, uint32_t b) { return a ^ b; });
}
void exec_S_XOR_B64(Wave& w, const Instruction& i) {
  Logic64(w, i, [](uint64_t a, uint64_t b) { return a ^ b; });
}
void exec_S_ANDN2_B32(Wave& w, const Instruction& i) {
  Logic32(w, i, [](uint32_t a, uint32_t b) { return a & ~b; });
}
void exec_S_ANDN2_B64(Wave& w, const Instruction& i) {
  Logic64(w, i, [](uint64_t a, uint64_t b) { return a & ~b; });
}
void exec_S_ORN2_B32(Wave& w, const Instruction& i) {
  Logic32(w, i, [](uint32_t a, uint32_t b) { return a | ~b; });
}
void exec_S_ORN2_B64(Wave& w, const Instruction& i) {
  Logic64(w, i, [](uint64_t a, uint64_t b) { return a | ~b; });
}
void exec_S_NAND_B32(Wave& w, const Instruction& i) {
  Logic32(w, i, [](uint32_t a, uint32_t b) { return ~(a & b); });
}
void exec_S_NAND_B64(Wave& w, const Instruction& i) {
  Logic64(w, i, [](uint64_t a, uint64_t b) { return ~(a & b); });
}
void exec_S_NOR_B32(Wave& w, const Instruction& i) {
  Logic32(w, i, [](uint32_t a, uint32_t b) { return ~(a | b); });
}
void exec_S_NOR_B64(Wave& w, const Instruction& i) {
  Logic64(w, i, [](uint64_t a, uint64_t b) { return ~(a | b); });
}
void exec_S_XNOR_B32(Wave& w, const Instruction& i) {
  Logic32(w, i, [](uint32_t a, uint32_t b) { return ~(a ^ b); });
}
void exec_S_XNOR_B64(Wave& w, const Instruction& i) {
  Logic64(w, i, [](uint64_t a, uint64_t b) { return ~(a ^ b); });
}

// Shift counts: the low 5 bits, 6 for 64-bit values.
void exec_S_LSHL_B32(Wave& w, const Instruction& i) {
  Logic32(w, i, [](uint32_t a, uint32_t b) { return a << (b & 31); });
}
void exec_S_LSHL_B64(Wave& w, const Instruction& i) {
  Shift64(w, i, [](uint64_t a, uint32_t b) { return a << (b & 63); });
}
void exec_S_LSHR_B32(Wave& w, const Instruction& i) {
  Logic32(w, i, [](uint32_t a, uint32_t b) { return a >> (b & 31); });
}
void exec_S_LSHR_B64(Wave& w, const Instruction& i) {
  Shift64(w, i, [](uint64_t a, uint32_t b) { return a >> (b & 63); });
}
void exec_S_ASHR_I32(Wave& w, const Instruction& i) {
  Logic32(w, i, [](uint32_t a, uint32_t b) {
    return static_cast<uint32_t>(static_cast<int32_t>(a) >> (b & 31));
  });
}
void exec_S_ASHR_I64(Wave& w, const Instruction& i) {
  Shift64(w, i, [](uint64_t a, uint32_t b) {
    return static_cast<uint64_t>(static_cast<int64_t>(a) >> (b & 63));
  });
}

// A mask of S0 ones from bit S1 up. The width's low 5 (6) bits count, so it is never the full
// width.
void exec_S_BFM_B32(Wave& w, const Instruction& i) {
  const uint32_t ones = (uint32_t{1} << (Source32(w, i, 0) & 31)) - 1;
  WriteScalar32(w, i.dst, ones << (Source32(w, i, 1) & 31));
}
void exec_S_BFM_B64(Wave& w, const Instruction& i) {
  const uint64_t ones = (uint64_t{1} << (Source32(w, i, 0) & 63)) - 1;
  WriteScalar64(w, i.dst, ones << (Source32(w, i, 1) & 63));
}

void exec_S_MUL_I32(Wave& w, const Instruction& i) {
  WriteScalar32(w, i.dst, Source32(w, i, 0) * Source32(w, i, 1));
}
void exec_S_MUL_HI_U32(Wave& w, const Instruction& i) {
  const uint64_t product = uint64_t{Source32(w, i, 0)} * Source32(w, i, 1);
  WriteScalar32(w, i.dst, static_cast<uint32_t>(product >> 32));
}
void exec_S_MUL_HI_I32(Wave& w, const Instruction& i) {
  const int64_t product = int64_t{SignedSource32(w, i, 0)} * SignedSource32(w, i, 1);
  WriteScalar32(w, i.dst, static_cast<uint32_t>(product >> 32));
}

void exec_S_BFE_U32(Wave& w, const Instruction& i) {
  Logic32(w, i, [](uint32_t a, uint32_t b) { return ExtractField(a, b); });
}
void exec_S_BFE_I32(Wave& w, const Instruction& i) {
  Logic32(w, i, [](uint32_t a, uint32_t b) {
    return static_cast<uint32_t>(ExtractField(static_cast<int32_t>(a), b));
  });
}
void exec_S_BFE_U64(Wave& w, const Instruction& i) {
  Shift64(w, i, [](uint64_t a, uint32_t b) { return ExtractField(a, b); });
}
void exec_S_BFE_I64(Wave& w, const Instruction& i) {
  Shift64(w, i, [](uint64_t a, uint32_t b) {
    return static_cast<uint64_t>(ExtractField(static_cast<int64_t>(a), b));
  });
}

void exec_S_CBRANCH_G_FORK(Wave& w, const Instruction& i) {
  ForkBranch(w, Source64(w, i, 0), Source64(w, i, 1));
}

// The difference wraps at 32 bits before its sign is looked at.
void exec_S_ABSDIFF_I32(Wave& w, const Instruction& i) {
  const uint32_t difference = Source32(w, i, 0) - Source32(w, i, 1);
  WriteNonZero32(w, i, static_cast<int32_t>(difference) < 0 ? 0 - difference : difference);
}

void exec_S_LSHL1_ADD_U32(Wave& w, const Instruction& i) { ShiftAdd(w, i, 1); }
void exec_S_LSHL2_ADD_U32(Wave& w, const Instruction& i) { ShiftAdd(w, i, 2); }
void exec_S_LSHL3_ADD_U32(Wave& w, const Instruction& i) { ShiftAdd(w, i, 3); }
void exec_S_LSHL4_ADD_U32(Wave& w, const Instruction& i) { ShiftAdd(w, i, 4); }

void exec_S_PACK_LL_B32_B16(Wave& w, const Instruction& i) {
  WriteScalar32(w, i.dst, (Source32(w, i, 0) & 0xFFFF) | Source32(w, i, 1) << 16);
}
void exec_S_PACK_LH_B32_B16(Wave& w, const Instruction& i) {
  WriteScalar32(w, i.dst, (Source32(w, i, 0) & 0xFFFF) | (Source32(w, i, 1) & 0xFFFF0000));
}
void exec_S_PACK_HH_B32_B16(Wave& w, const Instruction& i) {
  WriteScalar32(w, i.dst, Source32(w, i, 0) >> 16 | (Source32(w, i, 1) & 0xFFFF0000));
}

}  // namespace gcnjit::runtime
